import { createHash, randomBytes, randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { registerOne } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type Answer } from '../support/test-instance.js';
import { patiently } from '../support/patiently.js';
import { uniqueEmail } from '../support/unique-email.js';

const NEW_PASSWORD = 'quite another phrase';
let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

const login = (email: string, password?: string): Promise<Answer> => instance.login(email, password);
const forgot = (email: string, more = {}): Promise<Answer> =>
  instance.page('POST', '/api/v1/auth/forgot-password', { email, ...more });
const reset = (token: string, password = NEW_PASSWORD): Promise<Answer> =>
  instance.request('POST', '/api/v1/auth/reset-password', { body: { token, password } });
const change = (accessToken: string, currentPassword: string, newPassword: string): Promise<Answer> =>
  instance.customer(accessToken, 'POST', '/api/v1/me/password', { currentPassword, newPassword });

const registered = () => registerOne(instance);
const typesOf = async (id: string): Promise<string[]> =>
  (await instance.events(id)).map(({ type }) => type as string);

describe('a change of password', () => {
  it('asks for the current one, ends other sessions, keeps this one, and tells the customer (TK-10)', async () => {
    const { email, id, tokens } = await registered();
    const other = (await login(email)).body.tokens;
    expect(await change(tokens.accessToken, PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 204, body: '' });
    expect((await instance.customer(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);
    expect((await instance.customer(other.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    const [mail] = await eventually('the mail', async () => {
      const mails = await instance.mails(email, 'password-changed');
      return mails.length > 0 && mails;
    });
    expect(mail).toMatchObject({ link: null });
    const [event] = await instance.events(id, 'password.changed');
    expect(event!.data).toMatchObject({ customer: { id, email } });
    expect((await instance.events(id, 'session.revoked')).map(({ data }) => data.reason)).toEqual([
      'password_changed',
    ]);
  });

  it('is refused for a wrong or weak one, with the field, and changes nothing', async () => {
    const { email, tokens } = await registered();
    expect(await change(tokens.accessToken, 'wrong password', NEW_PASSWORD)).toMatchObject({
      status: 401,
      body: {
        code: 'invalid_credentials',
        detail: 'The password is wrong.',
        errors: [{ field: 'currentPassword', code: 'wrong' }],
      },
    });
    expect(await change(tokens.accessToken, PASSWORD, PASSWORD)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'newPassword', code: 'unchanged' }] },
    });
    expect(await change(tokens.accessToken, PASSWORD, 'vq7#Kz')).toMatchObject({
      status: 422,
      body: {
        code: 'weak_password',
        reasons: ['too_short'],
        errors: [{ field: 'newPassword', code: 'too_short', message: 'Use at least 8 characters.' }],
      },
    });
    expect((await login(email)).status).toBe(200);
  });

  it('voids reset links that are under way', async () => {
    const { email, tokens } = await registered();
    await forgot(email);
    const token = await instance.token(email, 'reset-password');
    expect((await change(tokens.accessToken, PASSWORD, NEW_PASSWORD)).status).toBe(204);
    expect(await reset(token, 'a third phrase of mine')).toMatchObject({
      status: 400,
      body: { code: 'invalid_token' },
    });
  });

  it('voids a change of address in progress, as a reset does', async () => {
    for (const way of ['a change', 'a reset']) {
      const { email, tokens } = await registered();
      const newEmail = uniqueEmail();
      const wanted = { email: newEmail, password: PASSWORD };
      await instance.customer(tokens.accessToken, 'POST', '/api/v1/me/email', wanted);
      const token = await instance.token(newEmail, 'change-email-new');
      if (way === 'a change') await change(tokens.accessToken, PASSWORD, NEW_PASSWORD);
      else {
        await forgot(email);
        await reset(await instance.token(email, 'reset-password'));
      }
      const { status, body } = await instance.request('POST', '/api/v1/auth/confirm-email-change', {
        body: { token },
      });
      expect([way, status, body.code]).toEqual([way, 400, 'invalid_token']);
    }
  });

  it('of two at once one wins', async () => {
    const { email, tokens } = await registered();
    const answers = await Promise.all(
      ['the first phrase here', 'the second phrase here'].map((phrase) =>
        change(tokens.accessToken, PASSWORD, phrase),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const logins = [
      await login(email, 'the first phrase here'),
      await login(email, 'the second phrase here'),
    ];
    expect(logins.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a forgotten password (EV-07)', () => {
  it('answers alike for known, unknown and disabled customers, and mails only the first', async () => {
    const [known, disabled] = [await registered(), await registered()];
    await instance.server('POST', `/api/v1/customers/${disabled.id}/disable`);
    const unknown = uniqueEmail();
    const answers = [await forgot(known.email), await forgot(unknown), await forgot(disabled.email)];
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 202, body: {} });
    await instance.token(known.email, 'reset-password');
    expect(await instance.mails(unknown, 'reset-password')).toEqual([]);
    expect(await instance.mails(disabled.email, 'reset-password')).toEqual([]);
  });

  it('is set anew once, verifies the address, ends every session and logs nobody in', async () => {
    const { email, id, tokens } = await registered();
    await forgot(email);
    const token = await instance.token(email, 'reset-password');
    expect(await reset(token, 'short')).toMatchObject({ status: 422, body: { code: 'weak_password' } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => patiently(() => reset(token))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(400)]);
    expect(answers.find(({ status }) => status === 204)!.body).toBe('');
    expect((await instance.customer(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).body.customer).toMatchObject({ id, emailVerified: true });
    expect(await instance.mails(email, 'password-changed')).toHaveLength(1);
    expect(await typesOf(id)).toEqual(
      expect.arrayContaining([
        'password.reset_requested',
        'verification.completed',
        'password.reset_completed',
      ]),
    );
    const [verified] = await instance.events(id, 'verification.completed');
    expect(verified!.data.verification).toMatchObject({ kind: 'email', email, via: 'reset' });
    expect(await instance.events(id, 'password.reset_completed')).toHaveLength(1);
  });

  it('the newest link voids older ones; expired, voided, used and unknown ones answer alike (EV-04)', async () => {
    const { email } = await registered();
    await forgot(email);
    const older = await instance.token(email, 'reset-password');
    await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
    const expired = await registered();
    await forgot(expired.email);
    const expiredToken = await instance.token(expired.email, 'reset-password');
    await instance.sql(
      `UPDATE one_time_tokens SET expires_at = now() WHERE customer_id = $1 AND kind = 'reset-password'`,
      [expired.id],
    );
    const used = await registered();
    await forgot(used.email);
    const usedToken = await instance.token(used.email, 'reset-password');
    await reset(usedToken);
    await instance.sql(
      `UPDATE one_time_tokens SET voided_at = now() WHERE kind = 'reset-password' AND email = $1`,
      [email],
    );
    const answers = [
      await reset('x'.repeat(43)),
      await reset(older),
      await reset(expiredToken),
      await reset(usedToken),
      await reset(''),
    ].map(({ status, body }) => ({ status, body: { ...body, requestId: '' } }));
    expect(answers[0]).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('a link dies with the address it was sent to', async () => {
    const { email, id } = await registered();
    await forgot(email);
    const token = await instance.token(email, 'reset-password');
    await instance.sql('UPDATE customers SET email = $2 WHERE id = $1', [id, uniqueEmail()]);
    expect((await reset(token)).status).toBe(400);
  });

  it('is mailed at most once a minute to one address, with the same answer (RL-08)', async () => {
    const { email } = await registered();
    for (let tries = 0; tries < 4; tries += 1) expect((await forgot(email)).status).toBe(202);
    await instance.token(email, 'reset-password');
    expect(
      await instance.sql(`SELECT 1 FROM mails WHERE recipient = $1 AND kind = 'reset-password'`, [email]),
    ).toHaveLength(1);
  });

  it('is asked for and set anew at once, whoever comes first, without a deadlock', async () => {
    const blocker = await instance.db.connect();
    const blocked = async (count: number): Promise<boolean> => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const areWaiting = async () => (await instance.sql(waiting)).length === count;
      return eventually(`${count} requests that wait`, areWaiting, 200).catch(() => false);
    };
    try {
      for (let [round, tries] = [0, 0]; round < 4; tries += 1) {
        const customers = await Promise.all([registered(), registered(), registered()]);
        const tokens = await Promise.all(customers.map(({ id, email }) => insertResetToken(id, email)));
        const asks = () => customers.map(({ email }) => forgot(email));
        const resets = () => tokens.map((token) => reset(token));
        const [early, late] = round % 2 === 0 ? [asks, resets] : [resets, asks];
        // Held up at the customer, each goes on holding whatever it has locked before.
        await blocker.query('BEGIN');
        const ids = customers.map(({ id }) => id);
        await blocker.query('SELECT FROM customers WHERE id = ANY ($1) FOR UPDATE', [ids]);
        const began = performance.now();
        const answers = early();
        const isFirst = await blocked(3);
        answers.push(...late());
        const isHeldUp = (await blocked(6)) && isFirst;
        await blocker.query('COMMIT');
        const heldMs = performance.now() - began;
        const expected = round % 2 === 0 ? [202, 202, 202, 400, 400, 400] : [204, 204, 204, 202, 202, 202];
        const ended = await Promise.all(answers);
        const isOverloaded = ended.some(({ body }) => body.code === 'overloaded');
        // Where a lock or a thread was waited for too long, the round shows nothing.
        if (!isHeldUp || heldMs > 1_800 || isOverloaded) {
          expect(tries).toBeLessThan(30);
          continue;
        }
        const statuses = ended.map(({ status }) => status);
        expect(statuses).toEqual(expected);
        round += 1;
      }
    } finally {
      blocker.release(true);
    }
  });

  /** A link of an earlier mail: the instance writes no two within a minute. */
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

describe('a first password for an invited customer', () => {
  const create = (body: Record<string, unknown>): Promise<Answer> =>
    instance.server('POST', '/api/v1/customers', body);

  it('is set through the invitation, which verifies the address', async () => {
    const email = uniqueEmail();
    const created = await create({ email, firstName: 'Grace', sendInvite: true });
    expect(created).toMatchObject({ status: 201, body: { email, emailVerified: false } });
    expect((await login(email)).status).toBe(401);
    const token = await instance.token(email, 'accept-invite');
    expect((await reset(token)).status).toBe(204);
    expect((await login(email, NEW_PASSWORD)).body.customer).toMatchObject({ emailVerified: true });
    const [verified] = await instance.events(created.body.id, 'verification.completed');
    expect(verified!.data.verification.via).toBe('invite');
    expect(await instance.mails(email, 'password-changed')).toEqual([]);
    expect((await reset(token)).status).toBe(400);
  });

  it('is not asked for beside a password', async () => {
    expect(await create({ email: uniqueEmail(), password: PASSWORD, sendInvite: true })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'sendInvite', code: 'conflict' }] },
    });
  });

  it('is not mailed unless asked for', async () => {
    const email = uniqueEmail();
    await create({ email });
    expect(await instance.sql('SELECT 1 FROM mails WHERE recipient = $1', [email])).toEqual([]);
  });
});

describe('a password that another system hashed', () => {
  it('opens the door, and is replaced by a hash of ours at the first login (PW-07)', async () => {
    const email = uniqueEmail();
    const passwordHash = await bcrypt.hash(PASSWORD, 4);
    const created = await instance.server('POST', '/api/v1/customers', { email, passwordHash });
    expect(created.status).toBe(201);
    expect(JSON.stringify(created.body)).not.toContain('$2b$');
    const stored = async () =>
      (await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]))[0]![
        'password_hash'
      ] as string;
    expect(await stored()).not.toContain(passwordHash);
    expect((await login(email, 'wrong password')).status).toBe(401);
    expect((await login(email)).status).toBe(200);
    expect(await stored()).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$/);
    expect((await login(email)).status).toBe(200);
  });

  it('opens the door to all who come at once with it', async () => {
    const email = uniqueEmail();
    const passwordHash = await bcrypt.hash(PASSWORD, 4);
    await instance.server('POST', '/api/v1/customers', { email, passwordHash });
    const answers = await Promise.all(Array.from({ length: 6 }, () => patiently(() => login(email))));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('is refused in an unknown format, or of a cost that would hold up all others', async () => {
    for (const passwordHash of ['md5$5f4dcc3b5aa765d61d8327deb882cf99', `$2b$31$${'a'.repeat(53)}`]) {
      expect(
        await instance.server('POST', '/api/v1/customers', { email: uniqueEmail(), passwordHash }),
      ).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ field: 'passwordHash' }] },
      });
    }
  });

  it('cannot come beside a password', async () => {
    const body = { email: uniqueEmail(), password: PASSWORD, passwordHash: await bcrypt.hash(PASSWORD, 4) };
    expect(await instance.server('POST', '/api/v1/customers', body)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'passwordHash' }] },
    });
  });
});

const loginStatus = async (email: string, password: string): Promise<number> =>
  (await login(email, password)).status;

/** The cases that are not as promised; two at a time, for which there are always threads. */
async function faultsOf<Case>(cases: Case[], holds: (one: Case) => Promise<boolean>): Promise<Case[]> {
  const faults: Case[] = [];
  for (let done = 0; done < cases.length; done += 2) {
    const chunk = cases.slice(done, done + 2);
    const kept = await Promise.all(chunk.map(holds));
    faults.push(...chunk.filter((_, index) => !kept[index]));
  }
  return faults;
}

/** Presses the button of a hosted page with a password as a browser encodes it. */
const press = (page: string, token: string, encoded: string): Promise<Answer> =>
  instance.request('POST', page, {
    body: `token=${token}&password=${encoded}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

const resetToken = async (): Promise<{ email: string; token: string }> => {
  const email = uniqueEmail();
  await instance.register(email);
  await instance.page('POST', '/api/v1/auth/forgot-password', { email });
  return { email, token: await instance.token(email, 'reset-password') };
};
const inviteToken = async (): Promise<{ email: string; token: string }> => {
  const email = uniqueEmail();
  await instance.server('POST', '/api/v1/customers', { email, sendInvite: true });
  return { email, token: await instance.token(email, 'accept-invite') };
};

interface Set {
  email: string;
  answer: Answer;
}

/** Every way to set a password of a new customer. */
const ways: Record<string, (password: (email: string) => string) => Promise<Set>> = {
  register: async (password) => {
    const email = uniqueEmail();
    return { email, answer: await instance.register(email, { password: password(email) }) };
  },
  'POST /customers': async (password) => {
    const email = uniqueEmail();
    const body = { email, password: password(email) };
    return { email, answer: await instance.server('POST', '/api/v1/customers', body) };
  },
  'POST /me/password': async (password) => {
    const email = uniqueEmail();
    const { accessToken } = (await instance.register(email)).body.tokens;
    const body = { currentPassword: PASSWORD, newPassword: password(email) };
    return { email, answer: await instance.customer(accessToken, 'POST', '/api/v1/me/password', body) };
  },
  'reset-password': async (password) => {
    const { email, token } = await resetToken();
    const body = { token, password: password(email) };
    return { email, answer: await instance.request('POST', '/api/v1/auth/reset-password', { body }) };
  },
  'the page behind a reset link': async (password) => {
    const { email, token } = await resetToken();
    return { email, answer: await press('/reset-password', token, encodeURIComponent(password(email))) };
  },
  'the page behind an invitation': async (password) => {
    const { email, token } = await inviteToken();
    return { email, answer: await press('/accept-invite', token, encodeURIComponent(password(email))) };
  },
};
const names = Object.keys(ways);
const give = (way: string, password: string | ((email: string) => string)): Promise<Set> =>
  ways[way]!(typeof password === 'string' ? () => password : password);

describe('every way to set a password', () => {
  const passwords = [
    '  päss & wörd + 漢字 = 🦄% ',
    `${'long enough to pass the limit of bcrypt '.repeat(2)}🦄A`,
    `${'🦄'.repeat(127)}🐴`,
    '🦄🐴🦄🐴🦄🐴🦄🐴',
    '正しい馬電池ホチキス',
  ];

  it('PW-01, PW-02: takes any characters to the last one, also behind byte 72', async () => {
    const given = names.flatMap((way) =>
      passwords.slice(0, way === 'register' ? 5 : 3).map((password) => [way, password] as const),
    );
    const faults = await faultsOf(given, async ([way, password]) => {
      const { email, answer } = await give(way, password);
      const withoutLast = [...password].slice(0, -1).join('');
      const statuses = [];
      for (const tried of [withoutLast, `${withoutLast}B`, password])
        statuses.push(await loginStatus(email, tried));
      return [200, 201, 204].includes(answer.status) && statuses.join() === '401,401,200';
    });
    expect(faults).toEqual([]);
  });

  it('PW-01: refuses 129 characters and cuts none', async () => {
    const faults = await faultsOf(names, async (way) => {
      const { email, answer } = await give(way, '🦄'.repeat(129));
      return answer.status === 422 && (await loginStatus(email, '🦄'.repeat(128))) === 401;
    });
    expect(faults).toEqual([]);
  });

  it('PW-05: refuses short, long and common passwords, the email and the names of project and organization', async () => {
    const weak: [string, string | ((email: string) => string)][] = [
      ['too_common', 'Password123'],
      ['contains_personal_data', (email) => email.toUpperCase()],
      ['contains_personal_data', (email) => email.split('@')[0]!],
      ['contains_personal_data', 'my project'],
      ['contains_personal_data', 'My Organization'],
      ['too_short', 'vq7#Kz9'],
      ['too_long', 'x'.repeat(129)],
    ];
    const given = names.flatMap((way) =>
      weak.slice(0, way === 'register' ? 7 : 5).map((each) => [way, ...each] as const),
    );
    const faults = await faultsOf(given, async ([way, reason, password]) => {
      const { email, answer } = await give(way, password);
      const isNamed =
        typeof answer.body === 'string' ||
        (answer.body.code === 'weak_password' && answer.body.reasons.join() === reason);
      const tried = typeof password === 'string' ? password : password(email);
      return answer.status === 422 && isNamed && (await loginStatus(email, tried)) === 401;
    });
    expect(faults).toEqual([]);
    const named = await instance.register('Ada.Lovelace@example.com', { password: 'ada.lovelace' });
    expect(named.body).toMatchObject({
      reasons: ['contains_personal_data'],
      errors: [{ field: 'password', code: 'contains_personal_data' }],
    });
  });
});

describe('what no password may hold', () => {
  it('PW-04: a NUL or a lone surrogate is a 400 on every route that takes a password', async () => {
    const email = uniqueEmail();
    const { accessToken } = (await instance.register(email)).body.tokens;
    const { token } = await resetToken();
    const bearer = { authorization: `Bearer ${accessToken}` };
    const pk = { 'x-publishable-key': instance.credentials.publishableKey };
    const sk = { authorization: `Bearer ${instance.credentials.secretKey}` };
    const routes: [string, Record<string, string>, string[], Record<string, string>][] = [
      ['/api/v1/auth/register', { email: uniqueEmail() }, ['password'], pk],
      ['/api/v1/auth/login', { email }, ['password'], pk],
      ['/api/v1/auth/reset-password', { token }, ['password'], {}],
      ['/api/v1/me/password', {}, ['currentPassword', 'newPassword'], bearer],
      ['/api/v1/me/email', { email: uniqueEmail() }, ['password'], bearer],
      ['/api/v1/me/delete', {}, ['currentPassword'], bearer],
      ['/api/v1/customers', { email: uniqueEmail() }, ['password'], sk],
    ];
    const escaped = ['correct\\u0000horse', 'correct\\ud83ehorse', 'correct\\udd84horse'];
    const given = escaped.flatMap((password) =>
      routes.flatMap(([path, rest, fields, headers]) =>
        fields.map((field) => {
          const others = Object.fromEntries(fields.map((name) => [name, PASSWORD]));
          const body = JSON.stringify({ ...rest, ...others, [field]: '*' }).replace('"*"', `"${password}"`);
          return { path, headers, body };
        }),
      ),
    );
    const faults = await faultsOf(given, async ({ path, headers, body }) => {
      const answer = await instance.request('POST', path, { headers, body });
      return answer.status === 400 && answer.body.code === 'invalid_json';
    });
    expect(faults).toEqual([]);
    expect(await loginStatus(email, PASSWORD)).toBe(200);
  });

  it('PW-04: is a 400 on the hosted pages, and the link stays good', async () => {
    // A NUL, a lone surrogate, an invalid byte, half a character.
    const encoded = ['correct%00horse', 'correct%ED%A0%BEhorse', 'correct%FFhorse', 'correct%F0%9F%A6'];
    for (const [page, { email, token }] of [
      ['/reset-password', await resetToken()],
      ['/accept-invite', await inviteToken()],
    ] as const) {
      const faults = await faultsOf(encoded, async (each) => (await press(page, token, each)).status === 400);
      expect([page, faults]).toEqual([page, []]);
      expect((await press(page, token, 'quite+another+phrase')).status).toBe(200);
      expect(await loginStatus(email, 'quite another phrase')).toBe(200);
    }
  });
});

describe('what is hashed', () => {
  const hashOf = async (email: string): Promise<string> =>
    (await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]))[0]![
      'password_hash'
    ];
  const setHash = (email: string, hash: string) =>
    instance.sql('UPDATE customers SET password_hash = $2 WHERE email = $1', [email, hash]);

  it('PW-03: is the password alone: a hash fits any customer', async () => {
    const long = `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(50)}.example.com`;
    const [first, second] = [uniqueEmail(), long];
    await instance.register(first, { password: 'the first phrase here' });
    await instance.register(second, { password: 'the second phrase here' });
    await setHash(second, await hashOf(first));
    expect(await loginStatus(second, 'the first phrase here')).toBe(200);
    expect(await loginStatus(second, 'the second phrase here')).toBe(401);
  });

  it('PW-03: no earlier login is cached beside the hash', async () => {
    const [email, other] = [uniqueEmail(), uniqueEmail()];
    await instance.register(email);
    await instance.register(other, { password: 'quite another phrase' });
    for (let times = 0; times < 3; times += 1) expect(await loginStatus(email, PASSWORD)).toBe(200);
    await setHash(email, await hashOf(other));
    expect(await loginStatus(email, PASSWORD)).toBe(401);
    expect(await loginStatus(email, 'quite another phrase')).toBe(200);
  });
});
