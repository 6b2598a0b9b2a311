import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const refresh = (refreshToken: string): Promise<Answer> =>
  instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken } });
const me = (accessToken: string): Promise<Answer> => instance.customer(accessToken, 'GET', '/api/v1/me');
const verify = (token: string): Promise<Answer> =>
  instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });

/** A problem without what differs from request to request. */
const anonymous = ({ status, body, headers }: Answer) => ({
  status,
  body: { ...body, requestId: undefined },
  headers: Object.fromEntries([...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))),
});

const countEvents = async (email: string, type: string): Promise<number> => {
  const rows = await instance.sql(
    'SELECT 1 FROM events e JOIN customers c ON c.id = e.customer_id WHERE c.email = $1 AND e.type = $2',
    [email, type],
  );
  return rows.length;
};

describe('register', () => {
  it('answers as the specification shows', async () => {
    const email = uniqueEmail();
    const answer = await instance.register(email.toUpperCase(), { firstName: 'Ada', lastName: 'Lovelace' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      tokens: { accessToken: expect.any(String), refreshToken: expect.any(String), expiresIn: 3600 },
      customer: {
        id: expect.any(String),
        email,
        firstName: 'Ada',
        lastName: 'Lovelace',
        emailVerified: false,
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('takes a secret key with customer:write and tells it who has the address', async () => {
    const email = uniqueEmail();
    const first = await instance.server('POST', '/api/v1/auth/register', { email, password: PASSWORD });
    expect(first.status).toBe(201);
    const second = await instance.server('POST', '/api/v1/auth/register', { email, password: PASSWORD });
    expect(second).toMatchObject({
      status: 409,
      body: { code: 'email_already_registered', customerId: first.body.customer.id },
    });
    const third = await instance.register(email);
    expect(third.status).toBe(409);
    expect(third.body).not.toHaveProperty('customerId');
  });

  it('gives one 201 for 50 parallel registrations of one address in case variants, with one mail and one event', async () => {
    const email = uniqueEmail();
    const variants = Array.from({ length: 50 }, (_, index) => (index % 2 ? email : email.toUpperCase()));
    const answers = await Promise.all(variants.map((variant) => patiently(() => instance.register(variant))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
    expect(await countEvents(email, 'customer.created')).toBe(1);
    expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toHaveLength(1);
  });

  it('keeps the password only as a peppered hash (PW-06)', async () => {
    const { body } = await instance.register();
    const [row] = await instance.sql('SELECT password_hash FROM customers WHERE id = $1', [body.customer.id]);
    expect(row!['password_hash']).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$.{53}$/);
  });

  it('sends nothing that the input tries to set (IN-07)', async () => {
    const email = uniqueEmail();
    const answer = await instance.register(email, { emailVerified: true });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'emailVerified', code: 'unknown_field' }] },
    });
    expect(await instance.sql('SELECT 1 FROM customers WHERE email = $1', [email])).toHaveLength(0);
  });

  it('keeps quiet and hands out no token where the project hides who is registered', async () => {
    await withSettings({ enumerationProtection: true }, async () => {
      const email = uniqueEmail();
      const [first, second] = [await instance.register(email), await instance.register(email)];
      expect(anonymous(second)).toEqual(anonymous(first));
      expect(first).toMatchObject({ status: 202, body: {} });
      expect(await countEvents(email, 'customer.created')).toBe(1);
      // Whoever owns the address learns from the mail what the page must not say; once a minute.
      await instance.register(email);
      const notices = await eventually('the mail', async () => {
        const mails = await instance.mails(email, 'already-registered');
        return mails.length > 0 && mails;
      });
      expect(notices).toMatchObject([{ to: email, link: null }]);
      // Nor may a login with the password of the first registration tell that it was the first.
      expect(anonymous(await instance.login(email))).toEqual(anonymous(await instance.login(uniqueEmail())));
      expect(await instance.sql(`SELECT 1 FROM mails WHERE recipient = $1`, [email])).toHaveLength(2);
    });
  });

  it('opens no session before verification where the project requires it', async () => {
    await withSettings({ requireVerifiedEmail: true }, async () => {
      const email = uniqueEmail();
      expect((await instance.register(email)).body.tokens).toBeNull();
      expect(await instance.login(email)).toMatchObject({
        status: 403,
        body: { code: 'email_not_verified' },
      });
      await verify(await instance.verificationToken(email));
      expect((await instance.login(email)).status).toBe(200);
    });
  });
});

describe('login', () => {
  it('answers like register and moves lastLoginAt', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const answer = await instance.login(email);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['tokens', 'customer']);
    const shown = await me(answer.body.tokens.accessToken);
    expect(shown.body.lastLoginAt).toMatch(/^\d{4}-.*Z$/);
  });

  it('answers alike for an unknown address, a wrong password, no password and a disabled customer (PW-08)', async () => {
    const [known, passwordless, disabled] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    await Promise.all([known, disabled].map((email) => instance.register(email)));
    await instance.server('POST', '/api/v1/customers', { email: passwordless });
    await instance.sql('UPDATE customers SET disabled_at = now() WHERE email = $1', [disabled]);
    const answers = [
      await instance.login(uniqueEmail(), 'wrong password'),
      await instance.login(known, 'wrong password'),
      await instance.login(passwordless, PASSWORD),
      await instance.login(disabled, 'wrong password'),
    ].map(anonymous);
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await instance.login(disabled)).toMatchObject({
      status: 403,
      body: { code: 'customer_disabled' },
    });
  });

  it('forgets failed tries after a success', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 9; index += 1)
        expect((await instance.login(email, 'wrong password')).status).toBe(401);
      expect((await instance.login(email)).status).toBe(200);
    }
  });

  it('keeps customers of two projects apart (AK-10)', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const other = await insertProject(instance, instance.credentials.organizationId);
    const foreign = await instance.login(email, PASSWORD, { 'x-publishable-key': other.publishableKey });
    expect(foreign.status).toBe(401);
  });
});

describe('refresh', () => {
  it('gives one successor to 20 parallel refreshes (TK-08), and the same again within the grace (TK-09)', async () => {
    const { body } = await instance.register();
    const again = () => patiently(() => refresh(body.tokens.refreshToken));
    const answers = await Promise.all(Array.from({ length: 20 }, again));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const successors = new Set(answers.map((answer) => answer.body.tokens.refreshToken as string));
    expect(successors.size).toBe(1);
    expect((await refresh(body.tokens.refreshToken)).body.tokens.refreshToken).toBe([...successors][0]);
  });

  it('revokes the whole family when a token comes back after its successor was used (TK-07)', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const first = body.tokens.refreshToken;
    const second = (await refresh(first)).body.tokens.refreshToken;
    const third = (await refresh(second)).body.tokens;
    expect(await refresh(first)).toMatchObject({ status: 401, body: { code: 'refresh_token_reused' } });
    expect(await refresh(third.refreshToken)).toMatchObject({
      status: 401,
      body: { code: 'invalid_refresh_token' },
    });
    expect((await me(third.accessToken)).status).toBe(401);
    expect(await countEvents(email, 'token.reuse_detected')).toBe(1);
    expect(await countEvents(email, 'session.revoked')).toBe(1);
  });

  it('ends idle and old sessions (TK-04)', async () => {
    for (const column of ['idle_expires_at', 'absolute_expires_at']) {
      const { body } = await instance.register();
      await instance.sql(
        `UPDATE sessions SET ${column} = now() - interval '1 second' WHERE customer_id = $1`,
        [body.customer.id],
      );
      expect(await refresh(body.tokens.refreshToken)).toMatchObject({
        body: { code: 'refresh_token_expired' },
      });
      expect((await me(body.tokens.accessToken)).status).toBe(401);
    }
  });

  it('refuses anything else, and a forged token revokes nothing', async () => {
    const { body } = await instance.register();
    const genuine = body.tokens.refreshToken as string;
    const forged = genuine.slice(0, -4) + (genuine.endsWith('AAAA') ? 'BBBB' : 'AAAA');
    for (const token of [
      '',
      'rt_',
      forged,
      `${genuine}=`,
      body.tokens.accessToken,
      instance.credentials.secretKey,
    ]) {
      const answer = await refresh(token);
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await refresh(genuine)).status).toBe(200);
  });

  it('and verification refuse a page that may not call, before any token is spent', async () => {
    const email = uniqueEmail();
    const { tokens } = (await instance.register(email)).body;
    const token = await instance.verificationToken(email);
    await withSettings({ allowedOrigins: ['https://app.example.com'] }, async () => {
      const from = (origin: string, path: string, body: object) =>
        instance.request('POST', path, { body, headers: { origin } });
      for (const [path, body] of [
        ['/api/v1/auth/refresh', { refreshToken: tokens.refreshToken }],
        ['/api/v1/auth/verify-email', { token }],
      ] as [string, object][]) {
        const refused = await from('https://evil.example', path, body);
        expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
        expect((await from('https://app.example.com', path, body)).status).toBe(200);
      }
    });
    expect(await countEvents(email, 'verification.completed')).toBe(1);
  });
});

describe('me', () => {
  it('shows the customer and nothing that is for servers', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    await instance.sql(
      `UPDATE customers SET metadata = '{"risk":1}', public_metadata = '{"plan":"pro"}' WHERE email = $1`,
      [email],
    );
    expect((await me(body.tokens.accessToken)).body).toEqual({
      ...body.customer,
      projectId: instance.credentials.projectId,
      publicMetadata: { plan: 'pro' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.any(String),
      lastLoginAt: null,
    });
  });

  it('takes an access token of the documented form (TK-02)', async () => {
    const { body } = await instance.register();
    const [head, claims] = (body.tokens.accessToken as string)
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, any>);
    expect(head).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(claims).toEqual({
      iss: instance.baseUrl,
      aud: instance.credentials.projectId,
      sub: body.customer.id,
      sid: expect.any(String),
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: claims!['iat'] + body.tokens.expiresIn,
      email_verified: false,
    });
    const { keys } = (await instance.request('GET', '/.well-known/jwks.json')).body;
    expect(keys).toEqual([
      expect.objectContaining({ kid: head!['kid'], kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }),
    ]);
    expect(keys[0]).not.toHaveProperty('d');
  });

  it('refuses bearer tokens that are none (AK-09)', async () => {
    for (const token of ['', 'nonsense', 'a.b.c', 'e30.e30.e30', '\u00e9']) {
      const answer = await me(token);
      expect([token, answer.status, answer.body.code]).toEqual([token, 401, 'invalid_access_token']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  });

  it('refuses a token whose algorithm, key, type or signature was changed (TK-01)', async () => {
    const { body } = await instance.register();
    const [head, claims, signature] = (body.tokens.accessToken as string).split('.') as [
      string,
      string,
      string,
    ];
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const changed = [
      { ...header, alg: 'none' },
      { ...header, alg: 'HS256' },
      { ...header, typ: 'JWT' },
      { ...header, kid: 'other' },
      { ...header, crit: ['x'], x: 1 },
    ].map((entry) => `${encode(entry)}.${claims}.${signature}`);
    for (const token of [
      ...changed,
      `${head}.${claims}.`,
      `${head}.${claims}`,
      `${head}.${encode({})}.${signature}`,
    ]) {
      expect((await me(token)).status).toBe(401);
    }
  });
});

describe('verify-email', () => {
  it('verifies once, answers the same again, and emits one event for 20 parallel calls (EV-02)', async () => {
    const email = uniqueEmail();
    const { body } = await instance.register(email);
    const token = await instance.verificationToken(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => patiently(() => verify(token))));
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 200,
        body: { customer: { id: body.customer.id, email, emailVerified: true } },
      });
    }
    expect(await countEvents(email, 'verification.completed')).toBe(1);
    const renewed = await refresh(body.tokens.refreshToken);
    expect(renewed.body.customer.emailVerified).toBe(true);
  });

  it('answers alike for unknown, expired and voided tokens (EV-04)', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    const token = await instance.verificationToken(email);
    const unknown = await verify('A'.repeat(43));
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    await instance.sql(`UPDATE one_time_tokens SET expires_at = now() WHERE email = $1`, [email]);
    expect(anonymous(await verify(token))).toEqual(anonymous(unknown));
    await instance.sql(
      `UPDATE one_time_tokens SET expires_at = now() + interval '1 day', voided_at = now() WHERE email = $1`,
      [email],
    );
    expect(anonymous(await verify(token))).toEqual(anonymous(unknown));
    expect(anonymous(await verify(''))).toEqual(anonymous(unknown));
  });
});

/** Runs with other settings of the project, and puts them back. */
async function withSettings(settings: Record<string, unknown>, work: () => Promise<void>): Promise<void> {
  await instance.sql('UPDATE projects SET settings = $1', [JSON.stringify(settings)]);
  try {
    await work();
  } finally {
    await instance.sql(`UPDATE projects SET settings = '{}'`);
  }
}
