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
const forgot = (email: string): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
const reset = (token: string, password?: string): Promise<TestResponse> =>
  submitToken(instance, 'reset-password', token, password);
const change = (accessToken: string, currentPassword: string, newPassword: string): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', {
    currentPassword,
    newPassword,
  });
const me = async (accessToken: string): Promise<number> =>
  (await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status;
const invalidToken = { status: 400, body: { code: 'invalid_token' } };

describe('a change of password', () => {
  it('requires the current one, ends other sessions and open links, keeps this session, and notifies the customer (TK-10)', async () => {
    const customer = await registerCustomer(instance);
    const { email, id, tokens } = customer;
    const other = (await login(email)).body.tokens;
    const resetToken = await requestReset(instance, email);
    const { fresh } = await requestEmailChange(instance, customer);
    expect(await change(tokens.accessToken, PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 204, body: '' });
    expect([await me(tokens.accessToken), await me(other.accessToken)]).toEqual([200, 401]);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).status).toBe(200);
    expect(await reset(resetToken, 'a third phrase of mine')).toMatchObject(invalidToken);
    expect(await submitToken(instance, 'confirm-email-change', fresh)).toMatchObject(invalidToken);
    expect(await instance.listMails(email, 'password-changed')).toMatchObject([{ link: null }]);
    const [event] = await instance.events(id, 'password.changed');
    expect(event!.data).toMatchObject({ customer: { id, email } });
    const [revoked, ...more] = await instance.events(id, 'session.revoked');
    expect([revoked!.data.reason, more]).toEqual(['password_changed', []]);
  });

  it('is refused for a wrong, unchanged or weak one, with the field', async () => {
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

  it('of two at once one wins', async () => {
    const { email, tokens } = await registerCustomer(instance);
    const phrases = ['the first phrase here', 'the second phrase here'];
    const answers = await Promise.all(phrases.map((phrase) => change(tokens.accessToken, PASSWORD, phrase)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const logins = await Promise.all(phrases.map((phrase) => login(email, phrase)));
    expect(logins.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a forgotten password (EV-07)', () => {
  it('gets one response for known, unknown and disabled customers, and one mail a minute for the first (RL-08)', async () => {
    const [known, disabled] = [await registerCustomer(instance), await registerCustomer(instance)];
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    const emails = [known.email, uniqueEmail(), disabled.email];
    const answers: TestResponse[] = [];
    for (const email of [...emails, ...emails]) answers.push(await forgot(email));
    for (const answer of answers) expect(normalizeResponse(answer)).toEqual(normalizeResponse(answers[0]!));
    expect(answers[0]).toMatchObject({ status: 202, body: {} });
    const kinds = await Promise.all(emails.map((email) => instance.listMailKinds(email)));
    expect(kinds).toEqual([['verify-email', 'reset-password'], [], ['verify-email']]);
  });

  it('is reset once, which verifies the address, ends every session and open change, and signs no customer in', async () => {
    const customer = await registerCustomer(instance);
    const { email, id, tokens } = customer;
    const { fresh } = await requestEmailChange(instance, customer);
    const token = await requestReset(instance, email);
    expect(await reset(token, 'short')).toMatchObject({ status: 422, body: { code: 'weak_password' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => retryWhileRejected(() => reset(token))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(400)]);
    expect(answers.find(({ status }) => status === 204)!.body).toBe('');
    expect(await me(tokens.accessToken)).toBe(401);
    expect(await submitToken(instance, 'confirm-email-change', fresh)).toMatchObject(invalidToken);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, NEW_PASSWORD)).body.customer).toMatchObject({ id, emailVerified: true });
    expect(await instance.listMails(email, 'password-changed')).toHaveLength(1);
    expect(await instance.events(id, 'password.reset_requested')).toHaveLength(1);
    expect(await instance.events(id, 'password.reset_completed')).toHaveLength(1);
    const [verified] = await instance.events(id, 'verification.completed');
    expect(verified!.data.verification).toMatchObject({ kind: 'email', email, via: 'reset' });
  });

  it.each([false, true])(
    'is requested and reset at once without a deadlock, the reset first: %s',
    async (isResetFirst) => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      const round = async (): Promise<number[] | null> => {
        const { id, email } = await registerCustomer(instance);
        const token = await insertResetToken(id, email);
        const requests = [() => forgot(email), () => reset(token)];
        if (isResetFirst) requests.reverse();
        const blocker = await instance.db.connect();
        try {
          // Held up at the customer, each keeps whatever it has locked before.
          await blocker.query('BEGIN');
          await blocker.query('SELECT FROM customers WHERE id = $1 FOR UPDATE', [id]);
          const first = requests[0]!();
          await eventually('the first', async () => (await instance.sql(waiting)).length > 0, 80);
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
      // Where a lock was waited for too long, a round shows nothing.
      const statuses = await eventually('a round in which both wait', round, 30);
      expect(statuses).toEqual(isResetFirst ? [204, 202] : [202, 400]);
    },
  );

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

it('an invitation sets the first password, once, and verifies the address; it is mailed only on request', async () => {
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

describe('stored hashes', () => {
  const hashOf = async (email: string): Promise<string> => {
    const [row] = await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]);
    return row!['password_hash'];
  };

  it('of another system fit all who sign in at once with them, and are replaced at the first sign-in (PW-07)', async () => {
    const email = uniqueEmail();
    const passwordHash = await bcrypt.hash(PASSWORD, 4);
    const created = await instance.requestWithSecretKey('POST', '/api/v1/customers', { email, passwordHash });
    expect(created.status).toBe(201);
    expect(JSON.stringify(created.body)).not.toContain('$2b$');
    expect(await hashOf(email)).not.toContain(passwordHash);
    expect((await login(email, 'wrong password')).status).toBe(401);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => retryWhileRejected(() => login(email))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await hashOf(email)).toMatch(/^v1\$[0-9a-f]{8}\$2b\$04\$/);
    expect((await login(email)).status).toBe(200);
  });

  it('PW-03: are of the password alone, and no earlier sign-in is cached beside them', async () => {
    const long = `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(50)}.example.com`;
    const other = uniqueEmail();
    await instance.register(long);
    await instance.register(other, { password: NEW_PASSWORD });
    for (let times = 0; times < 3; times += 1) expect((await login(long)).status).toBe(200);
    const hash = await hashOf(other);
    await instance.sql('UPDATE customers SET password_hash = $2 WHERE email = $1', [long, hash]);
    expect((await login(long)).status).toBe(401);
    expect((await login(long, NEW_PASSWORD)).status).toBe(200);
  });
});

/** Presses the button of a hosted page with a password as a browser encodes it. */
const press = (page: string, token: string, encoded: string): Promise<TestResponse> =>
  instance.request('POST', page, {
    body: `token=${token}&password=${encoded}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const resettable = async (): Promise<{ email: string; token: string }> => {
  const { email } = await registerCustomer(instance);
  return { email, token: await requestReset(instance, email) };
};

interface Set {
  email: string;
  answer: TestResponse;
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
    return { email, answer: await instance.requestWithSecretKey('POST', '/api/v1/customers', body) };
  },
  'POST /me/password': async (password) => {
    const { email, tokens } = await registerCustomer(instance);
    return { email, answer: await change(tokens.accessToken, PASSWORD, password(email)) };
  },
  'reset-password': async (password) => {
    const { email, token } = await resettable();
    return { email, answer: await reset(token, password(email)) };
  },
  'the page behind a reset link': async (password) => {
    const { email, token } = await resettable();
    return { email, answer: await press('/reset-password', token, encodeURIComponent(password(email))) };
  },
  'the page behind an invitation': async (password) => {
    const { email, token } = await inviteCustomer(instance);
    return { email, answer: await press('/accept-invite', token, encodeURIComponent(password(email))) };
  },
};

describe('every way to set a password', () => {
  /** Two at a time, for which there are always threads. */
  const atOnce = 2;

  it('PW-01, PW-02: takes any characters to the last one, also behind byte 72', async () => {
    const passwords = ['  päss & wörd + 漢字 = 🦄% ', `${'🦄'.repeat(127)}🐴`];
    const cases = Object.entries(ways).flatMap(([way, set]) =>
      passwords.map((password) => [`${way} ${password}`, set, password] as const),
    );
    await checkCases(
      cases,
      async (set, password) => {
        const { email, answer } = await set(() => password);
        expect([200, 201, 204]).toContain(answer.status);
        const cut = [...password].slice(0, -1).join('');
        const statuses: number[] = [];
        for (const tried of [cut, `${cut}B`, password]) statuses.push((await login(email, tried)).status);
        expect(statuses).toEqual([401, 401, 200]);
      },
      atOnce,
    );
  });

  it('PW-01, PW-05: refuses long, short and common ones, the email and the names of project and organization', async () => {
    const weak: [string, (email: string) => string][] = [
      ['too_long', () => '🦄'.repeat(129)],
      ['too_common', () => 'Password123'],
      ['contains_personal_data', (email) => email.toUpperCase()],
      ['contains_personal_data', () => 'my project'],
      ['contains_personal_data', (email) => email.split('@')[0]!],
      ['contains_personal_data', () => 'My Organization'],
      ['too_short', () => 'vq7#Kz9'],
    ];
    const cases = Object.entries(ways).flatMap(([way, set]) =>
      weak
        .slice(0, way === 'register' ? weak.length : 4)
        .map(([reason, password]) => [`${way} ${reason}`, set, reason, password] as const),
    );
    await checkCases(
      cases,
      async (set, reason, password) => {
        const { email, answer } = await set(password);
        expect(answer.status).toBe(422);
        if (typeof answer.body !== 'string')
          expect(answer.body).toMatchObject({ code: 'weak_password', reasons: [reason] });
        expect((await login(email, password(email))).status).toBe(401);
      },
      atOnce,
    );
  });

  it('PW-04: refuses a NUL or a lone surrogate with 400, and a link stays good', async () => {
    const { email, tokens } = await registerCustomer(instance);
    const pk = { 'x-publishable-key': instance.credentials.publishableKey };
    const routes: [string, object, string, Record<string, string>][] = [
      ['auth/register', { email: uniqueEmail() }, 'password', pk],
      ['auth/login', { email }, 'password', pk],
      ['auth/reset-password', { token: 'x' }, 'password', {}],
      ['me/password', { currentPassword: PASSWORD }, 'newPassword', bearerHeader(tokens.accessToken)],
      ['customers', { email: uniqueEmail() }, 'password', bearerHeader(instance.credentials.secretKey)],
    ];
    const escaped = ['correct\\u0000horse', 'correct\\ud83ehorse', 'correct\\udd84horse'];
    await checkCases(
      routes.flatMap(([path, ...row]) =>
        escaped.map((each) => [`${path} ${each}`, path, ...row, each] as const),
      ),
      async (path, rest, field, headers, password) => {
        const body = JSON.stringify({ ...rest, [field]: '*' }).replace('"*"', `"${password}"`);
        const answer = await instance.request('POST', `/api/v1/${path}`, { headers, body });
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
      },
    );
    expect((await login(email)).status).toBe(200);

    // A NUL, a lone surrogate, an invalid byte, half a character.
    const encoded = ['correct%00horse', 'correct%ED%A0%BEhorse', 'correct%FFhorse', 'correct%F0%9F%A6'];
    for (const [page, subject] of [
      ['/reset-password', await resettable()],
      ['/accept-invite', await inviteCustomer(instance)],
    ] as const) {
      for (const each of encoded)
        expect([page, each, (await press(page, subject.token, each)).status]).toEqual([page, each, 400]);
      expect((await press(page, subject.token, 'quite+another+phrase')).status).toBe(200);
      expect((await login(subject.email, NEW_PASSWORD)).status).toBe(200);
    }
  });
});
