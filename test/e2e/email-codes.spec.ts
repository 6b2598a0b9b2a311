import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import {
  expectStatus,
  normalizeResponse,
  registerCustomer,
  requestEmailChange,
  requestReset,
  refreshSession,
  submitToken,
  withSettings,
} from '../support/customers.js';
import {
  exchangeCode,
  receiveEmailCode,
  receiveEmailLink,
  requestEmailCode,
  submitEmailLink,
  toFullWidth,
  useEmailLink,
  verifyEmailCode,
  wrongCode,
  type EmailCode,
  type EmailLink,
} from '../support/email-codes.js';
import { completeChallenge, registerWithTotp } from '../support/customer-factors.js';
import { eventually } from '../support/eventually.js';
import { startReplica } from '../support/start-replica.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let replicaUrl: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  replicaUrl = (await startReplica(instance)).baseUrl;
});
afterAll(async () => instance?.stop());
beforeEach(async () => {
  await patchSettings({
    signIn: { emailCode: true, allowSignUp: null },
    testEmailCode: null,
    redirectUrls: [REDIRECT_URL],
  });
  // Other tests' wrong codes would make the codes longer.
  await instance.sql('DELETE FROM email_code_guesses');
});

/** A redirect URL with a query and a fragment, which the redirect must preserve. */
const REDIRECT_URL = 'https://app.example.com/welcome?from=mail#top';

const patchSettings = (settings: object): Promise<TestResponse> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, { settings });

const invalid = { status: 400, body: { code: 'invalid_code' } };
const tooMany = { status: 429, body: { code: 'too_many_attempts' } };

/** Creates a customer with a verified address and no password. */
async function createVerified(more: object = {}): Promise<{ id: string; email: string }> {
  const email = uniqueEmail();
  const body = { email, emailVerified: true, ...more };
  return { id: (await instance.requestWithSecretKey('POST', '/api/v1/customers', body)).body.id, email };
}

/**
 * Sends `count` guesses in parallel, alternating between both API processes. @returns the number of responses by code
 * or status
 */
async function guessInParallel(count: number, guessOf: (index: number) => EmailCode): Promise<object> {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      verifyEmailCode(instance, guessOf(index), {
        baseUrl: index % 2 === 0 ? instance.baseUrl : replicaUrl,
      }),
    ),
  );
  const counts: Record<string, number> = {};
  for (const { status, body } of responses) {
    const result = status === 200 ? 'success' : (body.code as string);
    counts[result] = (counts[result] ?? 0) + 1;
  }
  return counts;
}

describe('a sign-in with an email code', () => {
  it('MF-07: signs in a customer once, and records the verification, events and client IP', async () => {
    const { id, email } = await createVerified();
    const received = await receiveEmailCode(instance, email);
    expect(received.code).toMatch(/^\d{6}$/);
    const typed = {
      ...received,
      code: `${toFullWidth(received.code.slice(0, 3))} ${received.code.slice(3)}\u200b`,
    };
    const response = await verifyEmailCode(instance, typed);
    expect(response).toMatchObject({ status: 200, body: { customer: { id, email, emailVerified: true } } });
    const { tokens } = response.body;
    expect(decodeJwt(tokens.accessToken)).toMatchObject({ sub: id, amr: ['email'] });
    const refreshed = await refreshSession(instance, tokens.refreshToken);
    expect(decodeJwt(refreshed.body.tokens.accessToken)['amr']).toEqual(['email']);
    const [event] = await instance.events(id, 'login.succeeded');
    expect(event).toMatchObject({
      data: { methods: ['email'], customer: { lastLoginAt: expect.any(String) } },
    });
    expect(await instance.events(id, 'session.created')).toHaveLength(1);
    const known = await instance.sql('SELECT FROM customer_addresses WHERE customer_id = $1', [id]);
    expect(known).toHaveLength(1);
    expect(await verifyEmailCode(instance, received)).toMatchObject(invalid);
  });

  it("MF-07: creates a verified customer for an unknown address, in the request's language", async () => {
    const email = uniqueEmail();
    const received = await receiveEmailCode(instance, email, { headers: { 'accept-language': 'de-AT' } });
    const [mail] = await instance.listMails(email, 'email-code');
    expect(mail!['subject']).toBe(`${received.code} ist Ihr Anmeldecode für ${await projectName()}`);
    expect(mail!['text']).toContain('10 Minuten');
    const response = await verifyEmailCode(instance, received, { locale: 'de-AT' });
    expect(response).toMatchObject({ status: 200, body: { customer: { email, emailVerified: true } } });
    const { id } = response.body.customer;
    const types = (await instance.events(id)).map(({ type }) => type as string);
    expect(types).toEqual(['customer.created', 'session.created']);
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
    expect(body).toMatchObject({ locale: 'de-AT', emailVerified: true });
  });

  it('MF-01: rejects a disabled customer, without counting the correct code as a failure', async () => {
    const { id, email } = await createVerified();
    const received = await receiveEmailCode(instance, email);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
    expect(await verifyEmailCode(instance, received)).toMatchObject({
      status: 403,
      body: { code: 'customer_disabled' },
    });
    const [attempts] = await instance.sql(
      `SELECT tries, failures FROM email_code_attempts WHERE email_hash = sha256($1::bytea)`,
      [email],
    );
    expect(attempts).toMatchObject({ tries: 0, failures: 0 });
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/enable`);
    // Disabling the customer ended all access, including codes that were sent before.
    expect((await verifyEmailCode(instance, received)).body.code).toBe('invalid_code');
    expect((await verifyEmailCode(instance, await receiveEmailCode(instance, email))).status).toBe(200);
  });

  it('MF-01: fails if email codes are disabled, and creates no customer if sign-up is disabled', async () => {
    const received = await receiveEmailCode(instance, uniqueEmail());
    await patchSettings({ signIn: { allowSignUp: false } });
    expect(await verifyEmailCode(instance, received)).toMatchObject({
      status: 403,
      body: { code: 'sign_up_not_allowed' },
    });
    await patchSettings({ signIn: null });
    const notEnabled = { status: 403, body: { code: 'method_not_enabled' } };
    expect(await verifyEmailCode(instance, received)).toMatchObject(notEnabled);
    expect(await requestEmailCode(instance, uniqueEmail())).toMatchObject(notEnabled);
  });

  it('records login.failed for a wrong code of an existing customer', async () => {
    const { id, email } = await createVerified();
    await verifyEmailCode(instance, wrongCode(await receiveEmailCode(instance, email)));
    await eventually('the event', async () => (await instance.events(id, 'login.failed')).length > 0);
  });
});

const projectName = async (): Promise<string> =>
  (await instance.sql('SELECT name FROM projects WHERE id = $1', [instance.credentials.projectId]))[0]![
    'name'
  ] as string;

describe('a challenge', () => {
  it('MF-07: responds the same for all addresses, and emails only those that can sign in', async () => {
    const [known, disabled] = [await createVerified(), await createVerified()];
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${disabled.id}/disable`);
    const unknown = uniqueEmail();
    const comparable = async (email: string, target: object): Promise<unknown> => {
      const response = normalizeResponse(await requestEmailCode(instance, email, { target }));
      const { token, expiresAt } = response.body.challenge;
      expect(response.body).toEqual({ challenge: { token, expiresAt } });
      return { ...response, body: [token.length, expiresAt.length] };
    };
    const emails = [known.email, disabled.email, unknown];
    for (const allowSignUp of [true, false]) {
      await patchSettings({ signIn: { allowSignUp } });
      const target = allowSignUp ? {} : { redirectUrl: REDIRECT_URL, codeChallenge: 'c'.repeat(43) };
      const responses = [];
      for (const email of emails) responses.push(await comparable(email, target));
      expect(responses[0]).toMatchObject({ status: 202, body: [43, 24] });
      expect(responses).toEqual(Array(3).fill(responses[0]));
    }
    const counts = await Promise.all(emails.map((email) => instance.listMails(email, 'email-code')));
    expect(counts.map(({ length }) => length)).toEqual([2, 0, 1]);
  });

  it('MF-07: counts wrong codes equally, whether or not the address has received an email', async () => {
    const { email } = await createVerified();
    await patchSettings({ signIn: { allowSignUp: false } });
    const results = [];
    for (const address of [email, uniqueEmail()]) {
      const tokens = [];
      for (let count = 0; count < 4; count += 1)
        tokens.push((await requestEmailCode(instance, address)).body.challenge.token as string);
      const codes = [];
      for (let guess = 0; guess < 12; guess += 1) {
        const { body, headers } = await verifyEmailCode(instance, {
          token: tokens[guess % 4]!,
          code: 'wrong',
        });
        codes.push([body.code, body.detail, headers.get('ratelimit-policy')]);
      }
      results.push(codes);
    }
    expect(results[0]).toEqual(results[1]);
    expect(results[0]!.map(([code]) => code)).toEqual([
      ...Array(10).fill('invalid_code'),
      ...Array(2).fill('too_many_attempts'),
    ]);
  });

  it('MF-07: works once, within ten minutes, with its token and project; failures are uniform', async () => {
    const [{ email }, { email: other }] = [await createVerified(), await createVerified()];
    const [first, second] = [
      await receiveEmailCode(instance, email),
      await receiveEmailCode(instance, other),
    ];
    const [{ seconds }] = await instance.sql<any>(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM email_codes WHERE email = $1',
      [email],
    );
    expect(seconds).toBe(600);
    const foreign = await insertOrganization(instance);
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"emailCode": true}}' WHERE id = $1`, [
      foreign.projectId,
    ]);
    const { publishableKey } = foreign;
    const failures = [
      await verifyEmailCode(instance, wrongCode(first)),
      await verifyEmailCode(instance, { token: first.token, code: second.code }),
      await verifyEmailCode(instance, { token: 'unknown', code: first.code }),
      await verifyEmailCode(instance, first, { publishableKey }),
    ];
    expect((await verifyEmailCode(instance, first)).status).toBe(200);
    failures.push(await verifyEmailCode(instance, first));
    await instance.sql(`UPDATE email_codes SET expires_at = now() - interval '1 ms' WHERE email = $1`, [
      other,
    ]);
    failures.push(await verifyEmailCode(instance, second));
    for (const failure of failures) {
      expect(failure).toMatchObject(invalid);
      expect({ ...failure.body, requestId: null }).toEqual({ ...failures[0]!.body, requestId: null });
    }
  });

  it('MF-07: expires after five wrong codes, without affecting other challenges', async () => {
    const { email } = await createVerified();
    const [first, second] = [
      await receiveEmailCode(instance, email),
      await receiveEmailCode(instance, email),
    ];
    for (let count = 0; count < 5; count += 1)
      expect(await verifyEmailCode(instance, wrongCode(first))).toMatchObject(invalid);
    expect(await verifyEmailCode(instance, first)).toMatchObject(invalid);
    expect((await verifyEmailCode(instance, second)).status).toBe(200);
  });

  it('MF-07: expires once three newer codes have been sent', async () => {
    const { email } = await createVerified();
    const codes: EmailCode[] = [];
    for (let count = 0; count < 4; count += 1) codes.push(await receiveEmailCode(instance, email));
    expect(await verifyEmailCode(instance, codes[0]!)).toMatchObject(invalid);
    expect((await verifyEmailCode(instance, codes[1]!)).status).toBe(200);
    expect(await verifyEmailCode(instance, codes[0]!)).toMatchObject(invalid);
    expect((await verifyEmailCode(instance, codes[3]!)).status).toBe(200);
  });

  it("MF-07: stays valid despite strangers' wrong codes, and the address limit slows strangers", async () => {
    const { email } = await createVerified();
    const from = (ip: string) => ({
      headers: { 'x-api-key': instance.credentials.projectSecretKey, 'x-client-ip': ip },
    });
    const [home, elsewhere] = [from('203.0.113.10'), from('198.51.100.7')];
    expectStatus(200, await verifyEmailCode(instance, await receiveEmailCode(instance, email, home), home));
    const code = await receiveEmailCode(instance, email, home);
    const others: EmailCode[] = [];
    for (let count = 0; count < 3; count += 1)
      others.push(await receiveEmailCode(instance, email, elsewhere));
    const statuses: number[] = [];
    for (const other of [...others, ...others])
      for (let guess = 0; guess < 5; guess += 1)
        statuses.push((await verifyEmailCode(instance, wrongCode(other), elsewhere)).status);
    expect([statuses.filter((status) => status === 400).length, statuses.at(-1)]).toEqual([10, 429]);
    expect((await verifyEmailCode(instance, others[2]!, elsewhere)).status).toBe(429);
    expect((await verifyEmailCode(instance, code, home)).status).toBe(200);
  });

  it('MF-07: sends five emails an hour to one address, and keeps codes valid after that', async () => {
    const { email } = await createVerified();
    const codes: EmailCode[] = [];
    for (let count = 0; count < 5; count += 1) codes.push(await receiveEmailCode(instance, email));
    for (let count = 0; count < 3; count += 1)
      expect((await requestEmailCode(instance, email)).status).toBe(202);
    expect(await instance.listMails(email, 'email-code')).toHaveLength(5);
    expect((await verifyEmailCode(instance, codes[2]!)).status).toBe(200);
  });
});

describe('the sign-in link in an email with a code', () => {
  const receive = (email: string): Promise<EmailLink> => receiveEmailLink(instance, email, REDIRECT_URL);
  const open = (link: EmailLink, method = 'GET'): Promise<TestResponse> =>
    instance.request(method, link.path);

  /** Expects that a link can be neither opened nor submitted, and redirects nowhere. */
  async function expectEnded(link: Pick<EmailLink, 'path'>): Promise<void> {
    const opened = await instance.request('GET', link.path);
    const submitted = await submitEmailLink(link, replicaUrl);
    for (const [status, page] of [
      [opened.status, opened.body as string],
      [submitted.status, await submitted.text()],
    ] as const) {
      expect([status, page]).toEqual([
        400,
        expect.stringMatching(/This link is not valid|Dieser Link ist nicht gültig/),
      ]);
      expect(page).not.toContain('<button');
    }
    expect(submitted.headers.get('location')).toBeNull();
  }

  it('FE-02: redirects to the application, where the client exchanges the code for a session', async () => {
    const { id, email } = await createVerified({ locale: 'de' });
    const link = await receive(email);
    const [mail] = await instance.listMails(email, 'email-code');
    expect(mail!['text']).toContain(`\n${link.code}\n\n${mail!['link']}\n`);
    expect(mail!['html']).toContain('Anmelden</a>');
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await open(link, method);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain(
        "; form-action 'self' https://app.example.com;",
      );
      expect(page.headers.get('cache-control')).toBe('no-store');
      if (method === 'HEAD') continue;
      expect(page.body).toContain(`geben Sie dort den Code ${link.code} ein`);
      expect(page.body.match(/<button/g)).toHaveLength(1);
    }
    const foreign = await submitEmailLink(link, instance.baseUrl, { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);

    const submitted = await submitEmailLink(link, instance.baseUrl, { 'sec-fetch-site': 'same-origin' });
    expect([submitted.status, submitted.headers.get('cache-control')]).toEqual([303, 'no-store']);
    const location = new URL(submitted.headers.get('location')!);
    const code = location.searchParams.get('code')!;
    expect(location.href).toBe(`https://app.example.com/welcome?from=mail&code=${code}#top`);
    expect(await instance.events(id, 'login.succeeded')).toEqual([]);
    // After a double click, the browser follows the second response.
    const repeated = await Promise.all([1, 2].map(() => submitEmailLink(link, replicaUrl)));
    for (const each of repeated)
      expect([each.status, each.headers.get('location')]).toEqual([303, location.href]);
    const exchanges = await instance.sql('SELECT 1 FROM sign_in_exchanges WHERE email = $1', [email]);
    expect(exchanges).toHaveLength(1);
    expect((await open(link)).status).toBe(400);
    expect(await verifyEmailCode(instance, link)).toMatchObject(invalid);

    await instance.sql(
      `UPDATE sign_in_exchanges SET created_at = created_at - interval '30 s' WHERE email = $1`,
      [email],
    );
    const { codeVerifier, redirectUrl } = link;
    const response = await exchangeCode(instance, { code, codeVerifier, redirectUrl });
    expect(response).toMatchObject({ status: 200, body: { customer: { id }, challenge: null } });
    const claims = decodeJwt(response.body.tokens.accessToken);
    expect(claims['amr']).toEqual(['email']);
    expect(claims.iat! - Number(claims['auth_time'])).toBeGreaterThanOrEqual(30);
    const [event] = await instance.events(id, 'login.succeeded');
    expect(event!['data'].methods).toEqual(['email']);
    expect(await exchangeCode(instance, { code, codeVerifier, redirectUrl })).toMatchObject(invalid);
    await expectEnded(link);
  });

  it('FE-02: issues a code that is rejected outside its context and after 60 seconds', async () => {
    const { email } = await createVerified();
    const exchange = await useEmailLink(instance, await receive(email));
    const [{ seconds }] = await instance.sql<any>(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM sign_in_exchanges WHERE email = $1',
      [email],
    );
    expect(seconds).toBe(60);
    const foreign = await insertOrganization(instance);
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"emailCode": true}}' WHERE id = $1`, [
      foreign.projectId,
    ]);
    const failures = [
      await exchangeCode(instance, exchange, { publishableKey: foreign.publishableKey }),
      await exchangeCode(instance, { ...exchange, redirectUrl: 'https://app.example.com/welcome' }),
      await exchangeCode(instance, { ...exchange, codeVerifier: 'v'.repeat(43) }),
      await exchangeCode(instance, { ...exchange, code: 'unknown' }),
    ];
    expect((await exchangeCode(instance, exchange)).status).toBe(200);
    const link = await receive(email);
    const late = await useEmailLink(instance, link);
    await instance.sql(`UPDATE sign_in_exchanges SET expires_at = now() - interval '1 ms' WHERE email = $1`, [
      email,
    ]);
    failures.push(await exchangeCode(instance, late));
    await expectEnded(link);
    for (const failure of failures) {
      expect(failure).toMatchObject(invalid);
      expect({ ...failure.body, requestId: null }).toEqual({ ...failures[0]!.body, requestId: null });
    }
  });

  it('completes only one of 20 parallel exchanges on two processes, even for a new customer', async () => {
    for (const email of [(await createVerified()).email, uniqueEmail()]) {
      const exchange = await useEmailLink(instance, await receive(email));
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          exchangeCode(instance, exchange, { baseUrl: index % 2 === 0 ? instance.baseUrl : replicaUrl }),
        ),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(19).fill(400)]);
      const customers = await instance.sql(
        'SELECT email_verified FROM customers c JOIN sessions s ON s.customer_id = c.id WHERE email = $1',
        [email],
      );
      expect(customers).toEqual([{ email_verified: true }]);
    }
  });

  it('invalidates its code and vice versa, even in parallel on two API processes', async () => {
    const { email } = await createVerified();
    const used = await receive(email);
    expect((await verifyEmailCode(instance, used)).status).toBe(200);
    await expectEnded(used);
    for (let round = 0; round < 3; round += 1) {
      const link = await receive(email);
      const [verified, submitted] = await Promise.all([
        verifyEmailCode(instance, link, { baseUrl: replicaUrl }),
        submitEmailLink(link, instance.baseUrl),
      ]);
      expect([
        [200, 400],
        [400, 303],
      ]).toContainEqual([verified.status, submitted.status]);
    }
  });

  it('fails if the link or its code is invalid, or if the project no longer allows it', async () => {
    const { email } = await createVerified();
    const first = await receive(email);
    await expectEnded({ path: first.path.replace(first.code, wrongCode(first).code) });
    await expectEnded({ path: '/email-sign-in' });
    await patchSettings({ redirectUrls: null });
    await expectEnded(first);
    await patchSettings({ redirectUrls: [REDIRECT_URL], signIn: null });
    await expectEnded(first);
    await patchSettings({ signIn: { emailCode: true } });
    expect((await open(first)).status).toBe(200);
    for (let count = 0; count < 3; count += 1) await receiveEmailCode(instance, email);
    await expectEnded(first);
    const guessed = await receive(email);
    for (let count = 0; count < 5; count += 1) await verifyEmailCode(instance, wrongCode(guessed));
    await expectEnded(guessed);
    await instance.sql(
      `UPDATE email_codes SET guesses = 0, expires_at = now() - interval '1 ms' WHERE email = $1`,
      [email],
    );
    await expectEnded(guessed);
  });

  it('requires a redirect URL of the project and a code challenge', async () => {
    const codeChallenge = 'c'.repeat(43);
    const rejected = [
      [{ redirectUrl: REDIRECT_URL }, 'codeChallenge', 'required'],
      [{ codeChallenge }, 'redirectUrl', 'required'],
      [{ redirectUrl: 'https://app.example.com/other', codeChallenge }, 'redirectUrl', 'not_allowed'],
      [{ redirectUrl: REDIRECT_URL, codeChallenge: `${codeChallenge}c` }, 'codeChallenge', 'invalid'],
    ] as const;
    for (const [target, field, code] of rejected)
      expect(await requestEmailCode(instance, uniqueEmail(), { target })).toMatchObject({
        status: 400,
        body: { errors: [{ field, code }] },
      });
  });

  it('MF-01: does not open a session while email codes or sign-up are off; its code stays valid', async () => {
    const exchange = await useEmailLink(instance, await receive(uniqueEmail()));
    const rejection = async (): Promise<unknown> => (await exchangeCode(instance, exchange)).body.code;
    await patchSettings({ signIn: { allowSignUp: false } });
    expect(await rejection()).toBe('sign_up_not_allowed');
    await patchSettings({ signIn: null });
    expect(await rejection()).toBe('method_not_enabled');
    await patchSettings({ signIn: { emailCode: true } });
    expect((await exchangeCode(instance, exchange)).status).toBe(200);
  });
});

describe('the limit on email code guesses', () => {
  it('MF-07: evaluates five of 40 parallel wrong codes per challenge and ten per address', async () => {
    const { id, email } = await createVerified();
    const codes: EmailCode[] = [];
    for (let count = 0; count < 3; count += 1) codes.push(await receiveEmailCode(instance, email));
    const listGuesses = async (): Promise<number[]> =>
      (
        await instance.sql<{ guesses: number }>(
          'SELECT guesses FROM email_codes WHERE email = $1 ORDER BY guesses',
          [email],
        )
      ).map(({ guesses }) => guesses);
    const expectedCounts = { invalid_code: 10, too_many_attempts: 30 };
    expect(await guessInParallel(40, () => wrongCode(codes[0]!))).toEqual(expectedCounts);
    expect(await listGuesses()).toEqual([0, 0, 5]);
    await instance.sql('DELETE FROM email_code_attempts');
    expect(await guessInParallel(40, (index) => wrongCode(codes[index % 3]!))).toEqual(expectedCounts);
    expect((await listGuesses()).every((guesses) => guesses <= 5)).toBe(true);
    expect(await instance.sql('SELECT sum(guesses)::int AS guesses FROM email_code_guesses')).toEqual([
      { guesses: 20 },
    ]);
    expect(await instance.events(id, 'session.created')).toEqual([]);
    expect(await verifyEmailCode(instance, codes[2]!)).toMatchObject(tooMany);
  });

  it('MF-07: accepts only one of 40 parallel correct codes on two processes, even at sign-up', async () => {
    for (const email of [(await createVerified()).email, uniqueEmail()]) {
      const received = await receiveEmailCode(instance, email);
      expect(await guessInParallel(40, () => received)).toMatchObject({ success: 1 });
      const sessions = await instance.sql(
        'SELECT FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE c.email = $1',
        [email],
      );
      expect(sessions).toHaveLength(1);
    }
  });

  it('creates one customer from two simultaneous codes for an unknown address', async () => {
    const email = uniqueEmail();
    const codes = [await receiveEmailCode(instance, email), await receiveEmailCode(instance, email)];
    expect(await guessInParallel(2, (index) => codes[index]!)).toEqual({ success: 2 });
  });

  it('creates the customer once if a backend repeats the code with an Idempotency-Key', async () => {
    const email = uniqueEmail();
    const received = await receiveEmailCode(instance, email);
    const headers = {
      ...bearerHeader(instance.credentials.secretKey),
      'x-client-ip': '203.0.113.78',
      'idempotency-key': randomUUID(),
    };
    const { status, body } = await verifyEmailCode(instance, received, { headers });
    expect(status).toBe(200);
    expect((await verifyEmailCode(instance, received, { headers })).body).toEqual(body);
    expect(await instance.events(body.customer.id, 'customer.created')).toHaveLength(1);
  });

  it('RL-01: locks an address for longer and longer windows until a sign-in with a code', async () => {
    const { id, email } = await createVerified({ password: PASSWORD });
    const lock = (failures: number, end: string) =>
      instance.sql(
        `UPDATE email_code_attempts SET tries = 10, failures = $1, window_ends_at = now() ${end} WHERE email_hash = sha256($2::bytea)`,
        [failures, email],
      );
    let received = await receiveEmailCode(instance, email);
    await verifyEmailCode(instance, wrongCode(received));
    await lock(10, `+ interval '900 s'`);
    const rejected = await verifyEmailCode(instance, received);
    expect(rejected).toMatchObject(tooMany);
    expect(rejected.headers.get('ratelimit-policy')).toBe('"wrong-email-code";q=10;w=900');
    expect((await instance.login(email)).status).toBe(200);
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/unlock`);
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [id]);
    expect(await verifyEmailCode(instance, received)).toMatchObject(tooMany);

    await lock(20, `- interval '1 ms'`);
    received = await receiveEmailCode(instance, email);
    expect(await verifyEmailCode(instance, wrongCode(received))).toMatchObject(invalid);
    const [{ seconds }] = await instance.sql<any>(
      `SELECT round(extract(epoch FROM window_ends_at - failed_at))::int AS seconds FROM email_code_attempts
       WHERE email_hash = sha256($1::bytea)`,
      [email],
    );
    expect(seconds).toBe(3600);
    expect((await verifyEmailCode(instance, received)).status).toBe(200);
    expect(
      await instance.sql('SELECT FROM email_code_attempts WHERE email_hash = sha256($1::bytea)', [email]),
    ).toEqual([]);
  });

  it('RL-01: allows a known client IP ten more attempts, without revealing which IPs are known', async () => {
    const { email } = await createVerified();
    expect((await verifyEmailCode(instance, await receiveEmailCode(instance, email))).status).toBe(200);
    const codes = [await receiveEmailCode(instance, email), await receiveEmailCode(instance, email)];
    expect(await guessInParallel(15, () => wrongCode(codes[0]!))).toEqual({
      invalid_code: 10,
      too_many_attempts: 5,
    });
    expect((await verifyEmailCode(instance, codes[1]!)).status).toBe(200);
  });

  it("MF-07: makes codes eight digits long after a project's 1,000 wrong ones in an hour", async () => {
    const { email } = await createVerified();
    const short = await receiveEmailCode(instance, email);
    const addGuesses = (guesses: number, age: string) =>
      instance.sql(
        `INSERT INTO email_code_guesses (project_id, began_at, guesses) VALUES ($1, now() - $2::interval, $3)`,
        [instance.credentials.projectId, age, guesses],
      );
    await addGuesses(5_000, '61 minutes');
    await addGuesses(1_000, '30 minutes');
    expect((await receiveEmailCode(instance, email)).code).toMatch(/^\d{6}$/);
    expect(await verifyEmailCode(instance, wrongCode(short))).toMatchObject(invalid);
    const long = await receiveEmailCode(instance, email);
    expect(long.code).toMatch(/^\d{8}$/);
    expect(await verifyEmailCode(instance, short)).toMatchObject(invalid);
    expect((await verifyEmailCode(instance, long)).status).toBe(200);
  });
});

describe('the test code', () => {
  it('signs in addresses at reserved domains only, without an email, once per challenge', async () => {
    await patchSettings({ testEmailCode: '424242' });
    const token = async (email: string) => (await requestEmailCode(instance, email)).body.challenge.token;
    const email = `${uniqueEmail().split('@')[0]}@shop.test`;
    const challenge = { token: await token(email), code: '424242' };
    expect((await verifyEmailCode(instance, challenge)).body.customer.email).toBe(email);
    expect(await verifyEmailCode(instance, challenge)).toMatchObject(invalid);
    expect(await instance.listMailKinds(email)).toEqual([]);
    const realEmail = `${uniqueEmail().split('@')[0]}@example.org`;
    expect(await verifyEmailCode(instance, { token: await token(realEmail), code: '424242' })).toMatchObject(
      invalid,
    );
    expect(await instance.listMailKinds(realEmail)).toEqual(['email-code']);
    await patchSettings({ testEmailCode: null });
    expect(await verifyEmailCode(instance, { token: await token(email), code: '424242' })).toMatchObject(
      invalid,
    );
  });

  it('fails for a project whose environment is production', async () => {
    const body = { name: 'Live', environment: 'production', settings: { testEmailCode: '424242' } };
    expect(await instance.requestWithSecretKey('POST', '/api/v1/projects', body)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'settings.testEmailCode' }] },
    });
  });
});

describe('FE-03: an email code for an unverified address', () => {
  it('removes the password, sessions, tokens and codes of the person who registered it', async () => {
    const hijacker = await registerCustomer(instance);
    const { id, email, tokens } = hijacker;
    const reset = await requestReset(instance, email);
    const change = await requestEmailChange(instance, hijacker);
    await submitToken(instance, 'confirm-email-change', change.newToken);
    const scopes = ['customer:impersonate'];
    const key = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
    const { body: support } = await instance.request('POST', `/api/v1/customers/${id}/sign-in-tokens`, {
      body: { reason: 'Ticket 4711' },
      headers: bearerHeader(key),
    });
    const [earlier, owned] = [
      await receiveEmailCode(instance, email),
      await receiveEmailCode(instance, email),
    ];

    const response = await verifyEmailCode(instance, owned);
    expect(response).toMatchObject({ status: 200, body: { customer: { id, emailVerified: true } } });
    const types = (await instance.events(id)).map(({ type }) => type as string);
    expect(types.slice(-5)).toEqual([
      'verification.completed',
      'session.revoked',
      'password.changed',
      'login.succeeded',
      'session.created',
    ]);
    const [verified] = await instance.events(id, 'verification.completed');
    expect(verified!['data'].verification).toMatchObject({ email, via: 'code' });
    const [revoked] = await instance.events(id, 'session.revoked');
    expect(revoked!['data'].reason).toBe('address_claimed');

    expect((await refreshSession(instance, tokens.refreshToken)).status).toBe(401);
    expect((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(401);
    expect((await instance.login(email)).status).toBe(401);
    const invalidToken = { status: 400, body: { code: 'invalid_token' } };
    expect(await submitToken(instance, 'reset-password', reset)).toMatchObject(invalidToken);
    expect(await submitToken(instance, 'confirm-email-change', change.currentToken)).toMatchObject(
      invalidToken,
    );
    expect(
      await instance.requestWithPublishableKey('POST', '/api/v1/auth/sign-in-token', {
        token: support.token,
      }),
    ).toMatchObject(invalidToken);
    expect(await verifyEmailCode(instance, earlier)).toMatchObject(invalid);
    const [own, ...others] = await instance.sql(
      'SELECT revoked_at FROM sessions WHERE customer_id = $1 ORDER BY id DESC',
      [id],
    );
    expect([own!['revoked_at'], others.length]).toEqual([null, 1]);
  });

  it('fails after a password reset, which also claims the address', async () => {
    const { email } = await registerCustomer(instance);
    const received = await receiveEmailCode(instance, email);
    expect((await submitToken(instance, 'reset-password', await requestReset(instance, email))).status).toBe(
      204,
    );
    expect(await verifyEmailCode(instance, received)).toMatchObject(invalid);
  });

  it('does not deadlock with a simultaneous disown, reset, change of address and deletion', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, email } = await registerCustomer(instance);
      const token = await instance.getVerificationToken(email);
      const reset = await requestReset(instance, email);
      const exchange = await useEmailLink(instance, await receiveEmailLink(instance, email, REDIRECT_URL));
      const received = await receiveEmailLink(instance, email, REDIRECT_URL);
      const path = `/api/v1/customers/${id}`;
      const responses = await Promise.all([
        ...Array.from({ length: 8 }, (_, index) =>
          verifyEmailCode(instance, index % 2 === 0 ? received : wrongCode(received)),
        ),
        submitToken(instance, 'disown', token),
        submitToken(instance, 'reset-password', reset),
        requestEmailCode(instance, email),
        exchangeCode(instance, exchange),
        submitEmailLink(received, instance.baseUrl).then(({ status }) => ({
          status,
          body: { code: null },
        })),
        instance.requestWithSecretKey('PATCH', path, { email: uniqueEmail() }),
        instance.requestWithSecretKey('DELETE', path),
      ]);
      const failures = responses.filter(({ status, body }) => status >= 500 && body.code !== 'overloaded');
      expect(failures).toEqual([]);
    }
  });

  it('meets a requirement for verified addresses', async () => {
    const email = uniqueEmail();
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      expect((await instance.register(email)).body.tokens).toBeNull();
      expect((await verifyEmailCode(instance, await receiveEmailCode(instance, email))).status).toBe(200);
    });
  });
});

it('MF-01, MF-02: a correct email code requires the second factor before attempts are reset', async () => {
  await patchSettings({ mfa: 'optional' });
  try {
    const customer = await registerWithTotp(instance);
    await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [customer.id]);
    await instance.sql('DELETE FROM customer_addresses WHERE customer_id = $1', [customer.id]);
    const sent = await receiveEmailCode(instance, customer.email);
    expect(await verifyEmailCode(instance, wrongCode(sent))).toMatchObject(invalid);
    const verified = await verifyEmailCode(instance, sent);
    expect(verified).toMatchObject({
      status: 200,
      body: { tokens: null, challenge: { kind: 'second_factor' } },
    });
    const countWrongCodes = async () =>
      (
        await instance.sql<{ tries: number }>(
          `SELECT tries FROM email_code_attempts WHERE email_hash = sha256(convert_to($1, 'UTF8'))`,
          [customer.email],
        )
      )[0]?.tries;
    expect(await countWrongCodes()).toBe(1);
    const { token } = verified.body.challenge;
    const completed = await completeChallenge(instance, token, totpCode(customer.secret));
    expect(decodeJwt(completed.body.tokens.accessToken)['amr']).toEqual(['email', 'otp', 'mfa']);
    expect(await countWrongCodes()).toBeUndefined();
  } finally {
    await patchSettings({ mfa: null });
  }
});

it('MF-05: a recent email code allows changes without a password, and setting a first one', async () => {
  const email = uniqueEmail();
  const { body } = await verifyEmailCode(instance, await receiveEmailCode(instance, email));
  const { id } = body.customer;
  const send = (path: string, fields: object) =>
    instance.requestWithAccessToken(body.tokens.accessToken, 'POST', `/api/v1/me/${path}`, fields);
  expect((await send('email', { email: uniqueEmail() })).status).toBe(202);
  await instance.sql(`UPDATE sessions SET created_at = now() - interval '1 hour' WHERE customer_id = $1`, [
    id,
  ]);
  const setPassword = () => send('password', { newPassword: PASSWORD });
  for (const response of [
    await setPassword(),
    await send('email', { email: uniqueEmail() }),
    await send('delete', {}),
  ])
    expect(response).toMatchObject({
      status: 403,
      body: { code: 'reauthentication_required', methods: ['email_code'] },
    });
  await instance.sql('UPDATE sessions SET auth_time = now() WHERE customer_id = $1', [id]);
  expect((await setPassword()).status).toBe(204);
  expect((await instance.login(email)).status).toBe(200);
  // Once a password is set, these changes require it.
  for (const [path, fields] of [
    ['password', { newPassword: PASSWORD }],
    ['delete', {}],
  ] as const)
    expect(await send(path, fields)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ field: 'currentPassword', code: 'required' }] },
    });
});
