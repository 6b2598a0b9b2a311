import { createHash } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import {
  normalizeResponse,
  registerCustomer,
  requestEmailChange,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, PASSWORD, type TestResponse } from '../support/test-instance.js';
import { withConcurrentChange, type RunSql } from '../support/with-concurrent-change.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const registerWithToken = async () => {
  const customer = await registerCustomer(instance);
  return { ...customer, accessToken: customer.tokens.accessToken };
};
const change = (accessToken: string, email: string, password = PASSWORD): Promise<TestResponse> =>
  instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/email', { email, password });
const confirm = (token: string): Promise<TestResponse> =>
  submitToken(instance, 'confirm-email-change', token);
const emailOf = async (id: string): Promise<string> =>
  (await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body.email;
const forgot = (email: string): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
const resend = (email: string, more = {}): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', '/api/v1/auth/resend-verification', { email, ...more });
const create = (body: object): Promise<TestResponse> =>
  instance.requestWithSecretKey('POST', '/api/v1/customers', body);
const invalidToken = { status: 400, body: { code: 'invalid_token' } };
const taken = { status: 409, body: { code: 'email_already_registered' } };

/** Registers a customer with a pending address change. @returns also the tokens in both emails */
const startChange = async () => {
  const customer = await registerWithToken();
  return { ...customer, ...(await requestEmailChange(instance, customer)) };
};

describe('a change of email address', () => {
  it('EV-01: takes effect once both addresses confirm, and voids links to the old one', async () => {
    for (const isNewFirst of [false, true]) {
      const { id, email, newEmail, accessToken, currentToken, newToken } = await startChange();
      const verification = await instance.getVerificationToken(email);
      const tokens = isNewFirst ? [newToken, currentToken] : [currentToken, newToken];
      // email.changed reports whether the old address was verified.
      await instance.sql('UPDATE customers SET email_verified = $2 WHERE id = $1', [id, isNewFirst]);
      expect(await confirm(tokens[0]!)).toMatchObject({ status: 200, body: { status: 'pending' } });
      expect(await emailOf(id)).toBe(email);
      expect(await confirm(tokens[1]!)).toMatchObject({ status: 200, body: { status: 'changed' } });
      const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
      expect(me.body).toMatchObject({ email: newEmail, emailVerified: true });
      expect((await instance.login(newEmail)).status).toBe(200);
      expect((await instance.login(email)).status).toBe(401);
      const [event] = await instance.events(id, 'email.changed');
      expect(event!.data).toMatchObject({ customer: { id, email: newEmail } });
      expect(event!.data.previous).toEqual(isNewFirst ? { email } : { email, emailVerified: false });
      for (const token of tokens) expect(await confirm(token)).toMatchObject(invalidToken);
      expect(await submitToken(instance, 'verify-email', verification)).toMatchObject(invalidToken);
    }
  });

  it('happens once if both addresses confirm at the same moment', async () => {
    const { id, newEmail, currentToken, newToken } = await startChange();
    const responses = await Promise.all([confirm(currentToken), confirm(newToken)]);
    expect(responses.map(({ body }) => body.status).sort()).toEqual(['changed', 'pending']);
    expect(await emailOf(id)).toBe(newEmail);
    expect(await instance.events(id, 'email.changed')).toHaveLength(1);
  });

  it('ends when a newer one begins, and its confirmation becomes void', async () => {
    const { id, email, accessToken, currentToken, newToken } = await startChange();
    expect((await confirm(currentToken)).body.status).toBe('pending');
    expect((await change(accessToken, uniqueEmail())).status).toBe(202);
    expect(await confirm(newToken)).toMatchObject(invalidToken);
    expect(await emailOf(id)).toBe(email);
  });

  it('fails with a wrong password, the same address, or an address that is or becomes taken', async () => {
    const { id, email, newEmail, accessToken, currentToken, newToken } = await startChange();
    const rejected = await change(accessToken, uniqueEmail(), 'wrong password');
    expect(rejected).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const unchanged = { status: 400, body: { errors: [{ field: 'email', code: 'unchanged' }] } };
    expect(await change(accessToken, email.toUpperCase())).toMatchObject(unchanged);
    // These are more requests than the hourly email limit allows. Rejected requests do not count.
    const other = await registerCustomer(instance);
    for (let count = 0; count < 7; count += 1)
      expect(await change(accessToken, other.email)).toMatchObject(taken);

    await confirm(currentToken);
    await instance.register(newEmail);
    expect(await confirm(newToken)).toMatchObject(taken);
    expect(await emailOf(id)).toBe(email);
  });
});

it('RL-07, RL-08: the sixth change request in an hour is rejected, with the wait time', async () => {
  const { email, accessToken } = await registerWithToken();
  const request = () => change(accessToken, uniqueEmail());
  for (let count = 0; count < 5; count += 1) expect((await request()).status).toBe(202);
  const rejected = await request();
  expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(await instance.listMailKinds(email)).toEqual([
    'verify-email',
    ...Array<string>(5).fill('change-email-current'),
  ]);
  const wait = rejected.headers.get('retry-after');
  expect(rejected.headers.get('ratelimit-policy')).toBe('"mail-recipient";q=5;w=3600');
  expect(rejected.headers.get('ratelimit')).toBe(`"mail-recipient";r=0;t=${wait}`);
  await eventually('a shorter Retry-After', async () => {
    const { headers } = await request();
    return Number(headers.get('retry-after')) < 3600;
  });
});

describe('a change of email address with enumeration protection', () => {
  const withProtection = <Result>(work: () => Promise<Result>): Promise<Result> =>
    withSettings(instance, { enumerationProtection: true }, work);

  it('EV-07: responds the same for taken and free addresses, and emails the owner if taken', async () => {
    const [owned, unused] = [(await registerWithToken()).email, uniqueEmail()];
    const seen: unknown[] = [];
    for (const requestedEmail of [owned, unused]) {
      const caller = await registerWithToken();
      const { status, body } = await withProtection(() => change(caller.accessToken, requestedEmail));
      const token = await instance.getMailToken(caller.email, 'change-email-current');
      const page = (await instance.request('GET', `/confirm-email-change?token=${token}`)).body as string;
      const shown = page.replaceAll(caller.email, 'A').replaceAll(requestedEmail, 'B').replaceAll(token, 'T');
      const confirmed = await confirm(token);
      const kinds = await instance.listMailKinds(caller.email);
      seen.push([status, body, kinds, shown, confirmed.status, confirmed.body]);
      expect(await emailOf(caller.id)).toBe(caller.email);
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject([202, {}, { length: 2 }, expect.any(String), 200, { status: 'pending' }]);
    expect(await instance.listMailKinds(owned)).toEqual(['verify-email', 'already-registered']);
    expect(await instance.listMailKinds(unused)).toEqual(['change-email-new']);
  });

  it("EV-07: responds the same if the email quota of the address's owner is exhausted", async () => {
    const [owner, first, second] = [
      await registerWithToken(),
      await registerWithToken(),
      await registerWithToken(),
    ];
    const statuses: number[] = [];
    await withProtection(async () => {
      for (const { accessToken } of [first, first, first, first, second, second])
        statuses.push((await change(accessToken, owner.email)).status);
    });
    expect(statuses).toEqual(Array(6).fill(202));
    expect(await instance.listMailKinds(owner.email)).toEqual([
      'verify-email',
      ...Array<string>(5).fill('already-registered'),
    ]);
  });

  it('returns the same response if the owner is deleted in the meantime; so does a registration', async () => {
    const caller = await registerWithToken();
    for (const request of [
      (email: string) => change(caller.accessToken, email),
      (email: string) => instance.register(email),
    ]) {
      const { id, email } = await registerWithToken();
      const remove = (sql: RunSql) => sql('DELETE FROM customers WHERE id = $1', [id]);
      const response = await withProtection(() =>
        withConcurrentChange(instance, remove, () => request(email)),
      );
      expect(response).toMatchObject({ status: 202, body: {} });
    }
  });
});

describe('a one-time token', () => {
  const sha256 = (token: string) => createHash('sha256').update(token).digest();

  it('EV-01: has 256 bits, is stored as a hash, expires, and is voided by a newer one', async () => {
    for (const [kind, lifetime, request, route] of [
      ['verify-email', 86_400, resend, 'verify-email'],
      ['reset-password', 3_600, forgot, 'reset-password'],
    ] as const) {
      const { email } = await registerCustomer(instance);
      if (kind === 'reset-password') await request(email);
      const older = await instance.getMailToken(email, kind);
      // Resets the email quotas, because an email sent in the last minute would prevent the next one.
      await instance.api.runCommand('reset');
      expect((await request(email)).status).toBe(202);
      const newer = await instance.getMailToken(email, kind);
      expect(newer).not.toBe(older);
      expect(Buffer.from(newer, 'base64url')).toHaveLength(32);
      const rows = await instance.sql(
        `SELECT token_hash AS hash, email, extract(epoch FROM expires_at - created_at)::int AS life
         FROM one_time_tokens WHERE kind = $1 AND email = $2 ORDER BY id`,
        [kind, email],
      );
      expect(rows).toEqual([older, newer].map((token) => ({ hash: sha256(token), email, life: lifetime })));
      const storedRows = await instance.sql(
        `SELECT m::text AS line FROM mails m WHERE recipient = $1
         UNION ALL SELECT body FROM events WHERE body LIKE '%' || $1 || '%'`,
        [email],
      );
      for (const { line } of storedRows)
        for (const form of [newer, Buffer.from(newer).toString('hex')]) expect(line).not.toContain(form);
      expect(await submitToken(instance, route, older)).toMatchObject(invalidToken);
      expect((await submitToken(instance, route, newer)).status).toBeLessThan(300);
    }
  });

  it('EV-04: fails uniformly on its route, whether unknown, used, expired or voided', async () => {
    const kinds = {
      'verify-email': async () => instance.getVerificationToken((await registerWithToken()).email),
      'reset-password': async () => requestReset(instance, (await registerWithToken()).email),
      'confirm-email-change': async () => (await startChange()).newToken,
    };
    for (const [name, createToken] of Object.entries(kinds)) {
      const route = name as keyof typeof kinds;
      const use = async (token: string) => normalizeResponse(await submitToken(instance, route, token));
      const [expired, voided, used] = [await createToken(), await createToken(), await createToken()];
      for (const [column, token] of [
        ['expires_at', expired],
        ['voided_at', voided],
      ])
        await instance.sql(`UPDATE one_time_tokens SET ${column} = now() WHERE token_hash = $1`, [
          sha256(token!),
        ]);
      expect((await use(used)).status).toBeLessThan(300);
      const unknown = await use('x'.repeat(43));
      expect(unknown).toMatchObject(invalidToken);
      // A used verification link returns its first response again (EV-02).
      const rejected = [expired, voided, '', 'x', `${voided}=`, ...(route === 'verify-email' ? [] : [used])];
      for (const token of rejected) expect([route, await use(token)]).toEqual([route, unknown]);
    }
  });
});

describe('EV-06: an address', () => {
  const recipients = async (): Promise<string[]> =>
    (await instance.sql('SELECT recipient FROM mails ORDER BY id')).map(({ recipient }) => recipient);

  it('causes an error on every route if it is ambiguous, and receives no email', async () => {
    const { accessToken } = await registerWithToken();
    const before = await recipients();
    const routes: [string, (email: string) => Promise<TestResponse>][] = [
      ['register', (email) => instance.register(email)],
      ['login', (email) => instance.login(email)],
      ['forgot-password', forgot],
      ['resend-verification', (email) => resend(email)],
      ['/me/email', (email) => change(accessToken, email)],
      ['/customers', (email) => create({ email, sendInvite: true })],
    ];
    const ambiguous = ['ädä@example.com', 'ada@example.com,eve@evil.example', 'ada\r\nBcc: eve@evil.example'];
    await checkCases(
      routes.flatMap(([name, send]) => ambiguous.map((email) => [`${name} ${email}`, send, email] as const)),
      async (send, email) => {
        const rejected = { code: 'validation_failed', errors: [{ field: 'email' }] };
        expect(await send(email)).toMatchObject({ status: 400, body: rejected });
      },
    );
    expect(await recipients()).toEqual(before);
  });

  it('receives emails in its stored form, whatever form the request contains', async () => {
    const email = uniqueEmail();
    expect((await instance.register(` ${email.toUpperCase()}\u00a0`)).body.customer).toMatchObject({ email });
    const before = await recipients();
    expect(await instance.register(email.toUpperCase())).toMatchObject(taken);
    await forgot(` ${email.replace(/[a-f]/, (letter) => letter.toUpperCase())}`);
    // This looks like the same address, but its domain is different.
    await forgot(email.replace('example.com', 'examp\u0131e.com'));
    expect(await recipients()).toEqual([...before, email]);
  });
});

describe('resending the verification email', () => {
  /** Creates an unverified customer without sending an email that counts toward a quota. @returns the email address */
  const createUnverified = async (): Promise<string> => (await create({ email: uniqueEmail() })).body.email;

  it('responds the same for every address, and sends at most one email in 60 s (RL-08)', async () => {
    const [verified, unverified, unknown] = [uniqueEmail(), await createUnverified(), uniqueEmail()];
    await create({ email: verified, emailVerified: true });
    const { email } = await registerWithToken();
    for (const each of [unverified, unverified, verified, unknown, email])
      expect(await resend(each)).toMatchObject({ status: 202, body: {} });
    const kinds = await Promise.all(
      [unverified, verified, unknown, email].map((each) => instance.listMailKinds(each)),
    );
    expect(kinds).toEqual([['verify-email'], [], [], ['verify-email']]);
    const token = await instance.getVerificationToken(unverified);
    const response = await submitToken(instance, 'verify-email', token);
    expect(response.body.customer).toMatchObject({ email: unverified, emailVerified: true });
  });

  it("accepts only a listed redirectUrl, and links to the project's verifyEmailUrl if it is set", async () => {
    const redirectUrl = 'https://shop.example.com/welcome';
    await withSettings(instance, { redirectUrls: [redirectUrl] }, async () => {
      const unverified = await createUnverified();
      expect(await resend(unverified, { redirectUrl: 'https://evil.example.com/' })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'redirectUrl', code: 'not_allowed' }] },
      });
      await resend(unverified, { redirectUrl });
      const body = new URLSearchParams({ token: await instance.getVerificationToken(unverified) });
      const verified = await fetch(`${instance.baseUrl}/verify-email`, { method: 'POST', body });
      expect(await verified.text()).toContain(`href="${redirectUrl}"`);
    });
    const verifyEmailUrl = 'https://shop.example.com/verify?lang=en';
    await withSettings(instance, { verifyEmailUrl }, async () => {
      const unverified = await createUnverified();
      await resend(unverified);
      const [mail] = await instance.listMails(unverified, 'verify-email');
      expect(mail!['link']).toMatch(/^https:\/\/shop\.example\.com\/verify\?lang=en&token=[\w-]{43}$/);
    });
  });
});

// Each address gets one email per kind and minute, so each counted email would prevent the next one.
it('RL-08: requests for unknown, verified or disabled customers do not use up a quota', async () => {
  const request = async (email: string): Promise<void> => {
    expect([(await forgot(email)).status, (await resend(email)).status]).toEqual([202, 202]);
  };
  const [unknown, verified, disabled] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
  await request(unknown);
  await create({ email: unknown, password: PASSWORD });

  await create({ email: verified, emailVerified: true });
  for (let count = 0; count < 5; count += 1) await resend(verified);
  await instance.sql('UPDATE customers SET email_verified = false WHERE email = $1', [verified]);

  const { id } = (await create({ email: disabled })).body;
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
  await request(disabled);
  await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/enable`);

  for (const email of [unknown, verified, disabled]) {
    await request(email);
    expect(await instance.listMailKinds(email)).toEqual(['reset-password', 'verify-email']);
  }
});
