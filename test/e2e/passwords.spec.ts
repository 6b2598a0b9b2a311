import { createHash, randomBytes, randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { checkCases } from '../support/check-cases.js';
import {
  normalizeResponse,
  inviteCustomer,
  NEW_PASSWORD,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { bearerHeader, TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const login = (email: string, password?: string): Promise<TestResponse> => instance.login(email, password);
const requestResetMail = (email: string): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
const reset = (token: string, password?: string): Promise<TestResponse> =>
  submitToken(instance, 'reset-password', token, password);
const change = (accessToken: string, currentPassword: string, newPassword: string): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', {
    currentPassword,
    newPassword,
  });
const getMeStatus = async (accessToken: string): Promise<number> =>
  (await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status;
const invalidToken = { status: 400, body: { code: 'invalid_token' } };

describe('a password change', () => {
  it('requires the current one, ends other sessions and links, and sends an email (TK-10)', async () => {
    const customer = await registerCustomer(instance);
    const { email, id, tokens } = customer;
    const other = (await login(email)).body.tokens;
    const resetToken = await requestReset(instance, email);
    const { newToken } = await requestEmailChange(instance, customer);
    expect(await change(tokens.accessToken, PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 204, body: '' });
    expect([await getMeStatus(tokens.accessToken), await getMeStatus(other.accessToken)]).toEqual([200, 401]);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    expect(await reset(resetToken, 'a third phrase of mine')).toMatchObject(invalidToken);
    expect(await submitToken(instance, 'confirm-email-change', newToken)).toMatchObject(invalidToken);
    expect(await instance.listMails(email, 'password-changed')).toMatchObject([{ link: null }]);
    const [event] = await instance.events(id, 'password.changed');
    expect(event!.data).toMatchObject({ customer: { id, email } });
    const [revoked, ...others] = await instance.events(id, 'session.revoked');
    expect([revoked!.data.reason, others]).toEqual(['password_changed', []]);
  });

  it('fails for a wrong, unchanged or weak password, and reports the field', async () => {
    const { email, tokens } = await registerCustomer(instance);
    for (const [reason, current, next, status, code, field] of [
      ['wrong', 'wrong password', NEW_PASSWORD, 401, 'invalid_credentials', 'currentPassword'],
      ['unchanged', PASSWORD, PASSWORD, 400, 'validation_failed', 'newPassword'],
      ['too_short', PASSWORD, 'vq7#Kz', 422, 'weak_password', 'newPassword'],
    ] as const) {
      const body = { code, errors: [{ field, code: reason }] };
      expect(await change(tokens.accessToken, current, next)).toMatchObject({ status, body });
    }
    expect((await login(email)).status).toBe(200);
  });

  it('succeeds once for two concurrent requests', async () => {
    const { email, tokens } = await registerCustomer(instance);
    const phrases = ['the first phrase here', 'the second phrase here'];
    const responses = await Promise.all(
      phrases.map((phrase) => change(tokens.accessToken, PASSWORD, phrase)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 401]);
    const logins = await Promise.all(phrases.map((phrase) => login(email, phrase)));
    expect(logins.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a forgotten password (EV-07)', () => {
  it('causes the same response for all addresses, and one email a minute to known ones (RL-08)', async () => {
    const [known, disabled] = [await registerCustomer(instance), await registerCustomer(instance)];
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    const emails = [known.email, uniqueEmail(), disabled.email];
    const responses: TestResponse[] = [];
    for (const email of [...emails, ...emails]) responses.push(await requestResetMail(email));
    for (const response of responses)
      expect(normalizeResponse(response)).toEqual(normalizeResponse(responses[0]!));
    expect(responses[0]).toMatchObject({ status: 202, body: {} });
    const kinds = await Promise.all(emails.map((email) => instance.listMailKinds(email)));
    expect(kinds).toEqual([['verify-email', 'reset-password'], [], ['verify-email']]);
  });

  it('can be reset, which verifies the address, ends all sessions and creates none', async () => {
    const customer = await registerCustomer(instance);
    const { email, id, tokens } = customer;
    const { newToken } = await requestEmailChange(instance, customer);
    const token = await requestReset(instance, email);
    expect(await reset(token, 'short')).toMatchObject({ status: 422, body: { code: 'weak_password' } });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => retryWhileRejected(() => reset(token))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(400)]);
    expect(responses.find(({ status }) => status === 204)!.body).toBe('');
    expect(await getMeStatus(tokens.accessToken)).toBe(401);
    expect(await submitToken(instance, 'confirm-email-change', newToken)).toMatchObject(invalidToken);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).body.customer).toMatchObject({ id, emailVerified: true });
    expect(await instance.listMails(email, 'password-changed')).toHaveLength(1);
    expect(await instance.events(id, 'password.reset_requested')).toHaveLength(1);
    expect(await instance.events(id, 'password.reset_completed')).toHaveLength(1);
    const [verified] = await instance.events(id, 'verification.completed');
    expect(verified!.data.verification).toMatchObject({ kind: 'email', email, via: 'reset' });
  });

  it('ends the sessions of a customer whose address was verified before (TK-10)', async () => {
    const { email, id, tokens } = await registerCustomer(instance);
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { emailVerified: true });
    expect((await reset(await requestReset(instance, email))).status).toBe(204);
    expect(await getMeStatus(tokens.accessToken)).toBe(401);
    const [revoked] = await instance.events(id, 'session.revoked');
    expect(revoked!.data).toMatchObject({ reason: 'password_reset' });
  });

  it.each([false, true])(
    'can be requested and reset at the same time without a deadlock (reset first: %s)',
    async (isResetFirst) => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const runRound = async (): Promise<number[] | null> => {
        const { id, email } = await registerCustomer(instance);
        const token = await insertResetToken(id, email);
        const requests = [() => requestResetMail(email), () => reset(token)];
        if (isResetFirst) requests.reverse();
        const blocker = await instance.db.connect();
        try {
          // Both requests wait for the row of the customer, and hold any locks that they acquired before.
          await blocker.query('BEGIN');
          await blocker.query('SELECT FROM customers WHERE id = $1 FOR UPDATE', [id]);
          const first = requests[0]!();
          await eventually(
            'the first request to wait',
            async () => (await instance.sql(waiting)).length > 0,
            80,
          );
          const second = requests[1]!();
          await commitWhenOthersWait(blocker, 2);
          const statuses = (await Promise.all([first, second])).map(({ status }) => status);
          return statuses.includes(503) ? null : statuses;
        } catch {
          return null;
        } finally {
          blocker.release(true);
        }
      };
      // A round has no result if a request waited too long for a lock.
      const statuses = await eventually('a round in which both requests wait', runRound, 30);
      expect(statuses).toEqual(isResetFirst ? [204, 202] : [202, 400]);
    },
  );

  /** Inserts an earlier email's token, because the instance sends at most one email a minute. */
  const insertResetToken = async (customerId: string, email: string): Promise<string> => {
    const token = randomBytes(32).toString('base64url');
    await instance.sql(
      `INSERT INTO one_time_tokens (id, customer_id, kind, email, token_hash, expires_at)
       VALUES ($1, $2, 'reset-password', $3, $4, now() + interval '1 hour')`,
      [randomUUID(), customerId, email, createHash('sha256').update(token).digest()],
    );
    return token;
  };
});

it('an invitation is emailed only on request, sets a password once and verifies the address', async () => {
  const uninvited = uniqueEmail();
  await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: uninvited });
  expect(await instance.listMailKinds(uninvited)).toEqual([]);

  const { id, email, token } = await inviteCustomer(instance);
  expect((await login(email)).status).toBe(401);
  expect((await reset(token)).status).toBe(204);
  expect((await login(email, NEW_PASSWORD)).body.customer).toMatchObject({ id, emailVerified: true });
  const [verified] = await instance.events(id, 'verification.completed');
  expect(verified!.data.verification.via).toBe('invite');
  expect(await instance.listMailKinds(email)).toEqual(['accept-invite']);
  expect((await reset(token)).status).toBe(400);
});

describe('a stored password hash', () => {
  const findHash = async (email: string): Promise<string> => {
    const [row] = await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]);
    return row!['password_hash'];
  };

  it('PW-07: works in concurrent sign-ins after an import, and is replaced at the first of them', async () => {
    const email = uniqueEmail();
    const passwordHash = await bcrypt.hash(PASSWORD, 4);
    const created = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email, passwordHash });
    expect(created.status).toBe(201);
    expect(JSON.stringify(created.body)).not.toContain('$2b$');
    expect(await findHash(email)).not.toContain(passwordHash);
    expect((await login(email, 'wrong password')).status).toBe(401);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => retryWhileRejected(() => login(email))),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await findHash(email)).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$/);
    expect((await login(email)).status).toBe(200);
  });

  it('PW-06, PW-07: follows passwordHashing at the next sign-in unless the password is too long', async () => {
    const [email, longer, imported] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const tooLong = 'x'.repeat(73);
    await instance.register(email);
    await instance.register(longer, { password: tooLong });
    const foreign = { email: imported, passwordHash: await bcrypt.hash(PASSWORD, 4) };
    await instance.requestWithSecretKey('POST', '/api/v1/customers', foreign);
    const peppered = await findHash(longer);
    await withSettings(instance, { passwordHashing: 'portable' }, async () => {
      expect((await findHash(imported)).startsWith('i1$')).toBe(true);
      for (const each of [email, imported]) {
        const responses = await Promise.all(
          Array.from({ length: 4 }, () => retryWhileRejected(() => login(each))),
        );
        expect(responses.map(({ status }) => status)).toEqual(Array(4).fill(200));
        const hash = await findHash(each);
        expect(hash).toMatch(/^\$2b\$04\$/);
        expect(await bcrypt.compare(PASSWORD, hash)).toBe(true);
        expect((await login(each, 'wrong password')).status).toBe(401);
        expect((await login(each)).status).toBe(200);
        expect(await findHash(each)).toBe(hash);
      }
      expect((await login(longer, tooLong)).status).toBe(200);
      expect((await login(longer, tooLong.slice(1))).status).toBe(401);
      expect(await findHash(longer)).toBe(peppered);
    });
    expect((await login(email)).status).toBe(200);
    expect(await findHash(email)).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$/);
  });

  it('PW-03: is verified at every sign-in, because no result is cached', async () => {
    const longEmail = `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(50)}.example.com`;
    const other = uniqueEmail();
    await instance.register(longEmail);
    await instance.register(other, { password: NEW_PASSWORD });
    for (let round = 0; round < 3; round += 1) expect((await login(longEmail)).status).toBe(200);
    const hash = await findHash(other);
    await instance.sql('UPDATE customers SET password_hash = $2 WHERE email = $1', [longEmail, hash]);
    expect((await login(longEmail)).status).toBe(401);
    expect((await login(longEmail, NEW_PASSWORD)).status).toBe(200);
  });
});

/** Submits a hosted page's form with a password that is encoded as in a browser. */
const submitForm = (page: string, token: string, encoded: string): Promise<TestResponse> =>
  instance.request('POST', page, {
    body: `token=${token}&password=${encoded}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const createResetToken = async (): Promise<{ email: string; token: string }> => {
  const { email } = await registerCustomer(instance);
  return { email, token: await requestReset(instance, email) };
};

interface PasswordResult {
  email: string;
  response: TestResponse;
}

/** Functions that set the password of a new customer. The keys are the route or page. */
const setters: Record<string, (password: (email: string) => string) => Promise<PasswordResult>> = {
  register: async (password) => {
    const email = uniqueEmail();
    return { email, response: await instance.register(email, { password: password(email) }) };
  },
  'POST /customers': async (password) => {
    const email = uniqueEmail();
    const body = { email, password: password(email) };
    return { email, response: await instance.requestWithSecretKey('POST', '/api/v1/customers', body) };
  },
  'POST /me/password': async (password) => {
    const { email, tokens } = await registerCustomer(instance);
    return { email, response: await change(tokens.accessToken, PASSWORD, password(email)) };
  },
  'reset-password': async (password) => {
    const { email, token } = await createResetToken();
    return { email, response: await reset(token, password(email)) };
  },
  'the page of a reset link': async (password) => {
    const { email, token } = await createResetToken();
    return {
      email,
      response: await submitForm('/reset-password', token, encodeURIComponent(password(email))),
    };
  },
  'the page of an invitation': async (password) => {
    const { email, token } = await inviteCustomer(instance);
    return {
      email,
      response: await submitForm('/accept-invite', token, encodeURIComponent(password(email))),
    };
  },
};

describe('each route that sets a password', () => {
  /** Number of concurrent cases. The hash threads always suffice for two. */
  const concurrency = 2;

  it('PW-01, PW-02: accepts and compares all characters, even after byte 72', async () => {
    const passwords = ['  päss & wörd + 漢字 = 🦄% ', `${'🦄'.repeat(127)}🐴`];
    const cases = Object.entries(setters).flatMap(([route, set]) =>
      passwords.map((password) => [`${route} ${password}`, set, password] as const),
    );
    await checkCases(
      cases,
      async (set, password) => {
        const { email, response } = await set(() => password);
        expect([200, 201, 204]).toContain(response.status);
        const truncated = [...password].slice(0, -1).join('');
        const statuses: number[] = [];
        for (const candidate of [truncated, `${truncated}B`, password])
          statuses.push((await login(email, candidate)).status);
        expect(statuses).toEqual([401, 401, 200]);
      },
      concurrency,
    );
  });

  it('PW-02, PW-06: accepts 72 bytes with portable hashes, and rejects more with the reason', async () => {
    const longest = `${'é'.repeat(35)}xy`;
    const cases = Object.entries(setters).map(([route, set]) => [route, set] as const);
    await withSettings(instance, { passwordHashing: 'portable' }, () =>
      checkCases(
        cases,
        async (set) => {
          const { email, response } = await set(() => longest);
          expect([200, 201, 204]).toContain(response.status);
          expect((await login(email, longest)).status).toBe(200);
          expect((await login(email, `${longest}z`)).status).toBe(401);
          const rejected = await set(() => `${longest}z`);
          expect(rejected.response.status).toBe(422);
          if (typeof rejected.response.body === 'string')
            expect(rejected.response.body).toContain('Use at most 72 characters.');
          else
            expect(rejected.response.body).toMatchObject({
              code: 'weak_password',
              reasons: ['too_many_bytes'],
              errors: [{ message: expect.stringMatching(/^Use at most 72 characters\. /) }],
            });
        },
        concurrency,
      ),
    );
  });

  it('PW-01, PW-05: rejects long, short and common passwords, the email and related names', async () => {
    const weak: [string, (email: string) => string][] = [
      ['too_long', () => '🦄'.repeat(129)],
      ['too_common', () => 'Password123'],
      ['contains_personal_data', (email) => email.toUpperCase()],
      ['contains_personal_data', () => 'my project'],
      ['contains_personal_data', (email) => email.split('@')[0]!],
      ['contains_personal_data', () => 'My Organization'],
      ['too_short', () => 'vq7#Kz9'],
    ];
    const cases = Object.entries(setters).flatMap(([route, set]) =>
      weak
        .slice(0, route === 'register' ? weak.length : 4)
        .map(([reason, password]) => [`${route} ${reason}`, set, reason, password] as const),
    );
    await checkCases(
      cases,
      async (set, reason, password) => {
        const { email, response } = await set(password);
        expect(response.status).toBe(422);
        if (typeof response.body !== 'string')
          expect(response.body).toMatchObject({ code: 'weak_password', reasons: [reason] });
        expect((await login(email, password(email))).status).toBe(401);
      },
      concurrency,
    );
  });

  it('PW-04: returns 400 for a NUL or a lone surrogate, and a link stays valid', async () => {
    const { email, tokens } = await registerCustomer(instance);
    const publishableKeyHeader = { 'x-publishable-key': instance.credentials.publishableKey };
    const routes: [string, object, string, Record<string, string>][] = [
      ['auth/register', { email: uniqueEmail() }, 'password', publishableKeyHeader],
      ['auth/login', { email }, 'password', publishableKeyHeader],
      ['auth/reset-password', { token: 'x' }, 'password', {}],
      ['me/password', { currentPassword: PASSWORD }, 'newPassword', bearerHeader(tokens.accessToken)],
      ['customers', { email: uniqueEmail() }, 'password', bearerHeader(instance.credentials.secretKey)],
    ];
    const escaped = ['correct\\u0000horse', 'correct\\ud83ehorse', 'correct\\udd84horse'];
    await checkCases(
      routes.flatMap(([path, ...row]) =>
        escaped.map((each) => [`${path} ${each}`, path, ...row, each] as const),
      ),
      async (path, otherFields, field, headers, password) => {
        const body = JSON.stringify({ ...otherFields, [field]: '*' }).replace('"*"', `"${password}"`);
        const response = await instance.request('POST', `/api/v1/${path}`, { headers, body });
        expect(response).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
      },
    );
    expect((await login(email)).status).toBe(200);

    // A NUL, a lone surrogate, an invalid byte, and an incomplete character.
    const encoded = ['correct%00horse', 'correct%ED%A0%BEhorse', 'correct%FFhorse', 'correct%F0%9F%A6'];
    for (const [page, link] of [
      ['/reset-password', await createResetToken()],
      ['/accept-invite', await inviteCustomer(instance)],
    ] as const) {
      for (const each of encoded)
        expect([page, each, (await submitForm(page, link.token, each)).status]).toEqual([page, each, 400]);
      expect((await submitForm(page, link.token, 'quite+another+phrase')).status).toBe(200);
      expect((await login(link.email, NEW_PASSWORD)).status).toBe(200);
    }
  });
});
