import { randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { NEW_PASSWORD, requestReset, submitToken } from '../support/customers.js';
import { receiveEmailCode, verifyEmailCode } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { LEGACY_PASSWORD, LegacySystem } from '../support/legacy-system.js';
import { insertOperator } from '../support/operator-client.js';
import { respondWithStatus, type Responder } from '../support/receiver.js';
import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { insertKey } from '../support/tenants.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let system: LegacySystem;
/** A sign-in that stays pending because the previous system does not respond to it. */
let pending: { email: string; response: Promise<TestResponse> };
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  system = await LegacySystem.start();
  await patchSettings({ legacySignIn: system.setting });
  system.receiver.respondWith(() => undefined);
  const email = uniqueEmail();
  pending = { email, response: login(email) };
  await eventually('the request', () => system.listRequests(email).length > 0);
});
afterAll(async () => {
  await instance?.stop();
  await system?.receiver.stop();
});

const patchSettings = async (settings: object): Promise<TestResponse> => {
  const path = `/api/v1/projects/${instance.credentials.projectId}`;
  const response = await instance.requestWithSecretKey('PATCH', path, { settings });
  expect(response.status).toBe(200);
  return response;
};
const login = (email: string, password = LEGACY_PASSWORD): Promise<TestResponse> =>
  retryWhileRejected(() => instance.login(email, password));
const idOf = ({ body }: TestResponse): string => body.customer.id as string;
const eventTypes = async (customerId: string): Promise<string[]> =>
  (await instance.events(customerId)).map(({ type }) => type as string);
/** The reason logged for the pending sign-in. It can be logged during any test. */
const TIMED_OUT = 'no complete response within 5000 ms';
const listWarnings = (): Record<string, unknown>[] =>
  instance.api.log.filter(({ message }) => message === 'legacy sign-in failed');
const listAudit = async (customerId: string): Promise<Record<string, any>[]> =>
  (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${customerId}`)).body.data;

const invalid = { status: 401, body: { code: 'invalid_credentials' } };
const profile = {
  firstName: 'Ada',
  lastName: 'Byron',
  externalId: 'old-1',
  metadata: { plan: 'pro' },
  publicMetadata: { theme: 'dark' },
  locale: 'de-AT',
};

describe('a first sign-in with an unknown address', () => {
  it('creates a customer whose session in the previous system can also be moved', async () => {
    const scopes = ['session:migrate'];
    const key = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
    system.receiver.respondWith(system.respondWithProfile({}));
    const path = `/api/v1/customers/${idOf(await login(uniqueEmail()))}/sign-in-tokens`;
    const body = { purpose: 'migration', reason: 'Move', amr: ['pwd'], authTime: new Date().toISOString() };
    expect((await instance.request('POST', path, { body, headers: bearerHeader(key) })).status).toBe(201);
  });

  it("creates the profile's customer once, with the entered password and the usual events", async () => {
    const email = uniqueEmail();
    system.receiver.respondWith(system.respondWithProfile(profile));
    const response = await login(email);
    expect(response).toMatchObject({ status: 200, body: { customer: { email, firstName: 'Ada' } } });
    const id = idOf(response);
    const customer = await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`);
    expect(customer.body).toMatchObject({ ...profile, email, emailVerified: true });
    expect(await eventTypes(id)).toEqual(['customer.created', 'login.succeeded', 'session.created']);
    expect(await listAudit(id)).toMatchObject([
      {
        action: 'customer.created',
        actorType: 'system',
        details: { source: 'legacy_sign_in' },
      },
    ]);
    const viewer = await insertOperator(instance, 'viewer');
    const timeline = (await viewer.request('GET', `/customers/${id}/timeline?kinds=account`)).body.data;
    expect(timeline.map(({ type }: any) => type)).toEqual(['customer.created']);
    expect(idOf(await login(email))).toBe(id);
    expect(await login(email, 'wrong password')).toMatchObject(invalid);
    expect(system.listRequests(email)).toEqual([{ email, password: LEGACY_PASSWORD }]);
    const { headers } = system.receiver.requests.find(({ body }) => body.includes(email))!;
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': expect.any(String) });
  });

  it("applies the project's other settings, but creates customers even if sign-up is off", async () => {
    await patchSettings({ signIn: { allowSignUp: false }, mfa: 'required', requireVerifiedEmail: true });
    try {
      expect((await login(uniqueEmail())).body).toMatchObject({
        tokens: null,
        challenge: { kind: 'enroll_factor' },
      });
      const email = uniqueEmail();
      system.receiver.respondWith(system.respondWithProfile({ emailVerified: false }));
      for (let time = 0; time < 2; time += 1)
        expect(await login(email)).toMatchObject({ status: 403, body: { code: 'email_not_verified' } });
      expect(system.listRequests(email)).toHaveLength(1);
      await patchSettings({ signIn: { password: false, emailCode: true } });
      const other = uniqueEmail();
      expect(await login(other)).toMatchObject({ status: 403, body: { code: 'method_not_enabled' } });
      expect(system.listRequests(other)).toEqual([]);
    } finally {
      await patchSettings({ signIn: null, mfa: null, requireVerifiedEmail: null });
    }
  });

  it('fails with the reason, and is not counted, if the password is too long for portable hashes', async () => {
    await patchSettings({ passwordHashing: 'portable' });
    try {
      const email = uniqueEmail();
      system.receiver.respondWith(respondWithStatus(401), (response) =>
        response.end(JSON.stringify({ email })),
      );
      const tooLong = 'x'.repeat(73);
      expect(await login(email, tooLong)).toMatchObject(invalid);
      expect(await login(email, tooLong)).toMatchObject({
        status: 422,
        body: { code: 'weak_password', reasons: ['too_many_bytes'] },
      });
      expect(await instance.sql('SELECT FROM customers WHERE email = $1', [email])).toEqual([]);
      const counted = `SELECT tries FROM login_attempts WHERE email_hash = sha256(convert_to($1, 'UTF8'))`;
      expect(await instance.sql(counted, [email])).toEqual([{ tries: 1 }]);
      expect((await login(email)).status).toBe(200);
      const [row] = await instance.sql('SELECT password_hash FROM customers WHERE email = $1', [email]);
      expect(row!['password_hash']).toMatch(/^\$2b\$/);
    } finally {
      await patchSettings({ passwordHashing: null });
    }
  });

  it('waits without a database connection, and creates one customer for two requests', async () => {
    // Each email signs in twice. Together, these requests exceed the API's connection pool.
    const emails = Array.from({ length: 11 }, uniqueEmail);
    const waiting: (() => void)[] = [];
    const respond = system.respondWithProfile();
    const respondTogether: Responder = (response, request, message) => {
      waiting.push(() => respond(response, request, message));
      if (waiting.length === 2 * emails.length) for (const proceed of waiting) proceed();
    };
    system.receiver.respondWith(...Array.from({ length: 2 * emails.length }, () => respondTogether));
    const responses = await Promise.all(emails.flatMap((email) => [login(email), login(email)]));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const ids = new Set(responses.map(idOf));
    expect(ids.size).toBe(emails.length);
    for (const id of ids)
      expect((await eventTypes(id)).filter((type) => type !== 'session.created')).toEqual([
        'customer.created',
        'login.succeeded',
        'login.succeeded',
      ]);
  });
});

const importCustomers = async (...customers: object[]): Promise<string[]> => {
  const path = '/api/v1/customers/import';
  const { body } = await instance.requestWithSecretKey('POST', path, { customers });
  return (body.results as { id: string }[]).map(({ id }) => id);
};

describe('a first sign-in of a customer who has no password', () => {
  it('sets the password of an imported customer, and changes nothing else', async () => {
    const [email, disabled] = [uniqueEmail(), uniqueEmail()];
    const [id] = await importCustomers(
      { email, firstName: 'Bob' },
      { email: disabled, disabledAt: '2020-01-01T00:00:00Z' },
    );
    system.receiver.respondWith(system.respondWithProfile({ firstName: 'Ada' }));
    expect(await login(email)).toMatchObject({
      status: 200,
      body: { customer: { id, firstName: 'Bob', emailVerified: false } },
    });
    expect(await eventTypes(id!)).toEqual(['password.changed', 'login.succeeded', 'session.created']);
    expect(await listAudit(id!)).toMatchObject([
      { action: 'customer.password_changed', details: { source: 'legacy_sign_in' } },
    ]);
    expect(idOf(await login(email))).toBe(id);
    expect(system.listRequests(email)).toHaveLength(1);

    expect(await login(disabled, 'wrong password')).toMatchObject(invalid);
    expect(await login(disabled)).toMatchObject({ status: 403, body: { code: 'customer_disabled' } });
  });

  it('sends no request for customers who were not imported, had a password or changed address', async () => {
    const [created, owned, before, changed, known] = Array.from({ length: 5 }, uniqueEmail);
    await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: created });
    const [, changedId] = await importCustomers(
      { email: owned },
      { email: before },
      { email: known, password: PASSWORD },
    );
    await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${changedId}`, { email: changed });
    await patchSettings({ signIn: { emailCode: true } });
    // Verifying the address removes all earlier access.
    const code = await receiveEmailCode(instance, owned!);
    expect((await verifyEmailCode(instance, code)).status).toBe(200);
    await patchSettings({ signIn: null });
    for (const email of [created, owned, changed, known])
      expect([email, await login(email!)]).toMatchObject([email, invalid]);
    expect([created, owned, changed, known].flatMap((email) => system.listRequests(email!))).toEqual([]);
  });
});

describe('a sign-in of a customer with an imported password', () => {
  const passwordHash = bcrypt.hashSync(PASSWORD, 4);

  it('replaces the hash if only the previous system accepts the password, with one request', async () => {
    const email = uniqueEmail();
    const [id] = await importCustomers({ email, firstName: 'Bob', passwordHash });
    expect(await login(email, 'wrong password')).toMatchObject(invalid);
    const stored = () => instance.sql('SELECT password_hash FROM customers WHERE id = $1', [id]);
    const before = await stored();
    expect(await login(email)).toMatchObject({ status: 200, body: { customer: { id, firstName: 'Bob' } } });
    expect(await stored()).not.toEqual(before);
    expect(await listAudit(id!)).toMatchObject([
      { action: 'customer.password_changed', details: { source: 'legacy_sign_in' } },
    ]);
    expect((await eventTypes(id!)).filter((type) => type !== 'login.failed')).toEqual([
      ...['password.changed', 'login.succeeded', 'session.created'],
    ]);
    expect(await login(email, PASSWORD)).toMatchObject(invalid);
    expect(idOf(await login(email))).toBe(id);
    expect(system.listRequests(email).map(({ password }) => password)).toEqual([
      ...['wrong password', LEGACY_PASSWORD],
    ]);
  });

  it('sends no request once the imported hash has matched or a password was set in Gatehouse', async () => {
    const [matching, changed, reset, created] = Array.from({ length: 4 }, uniqueEmail);
    await importCustomers(
      { email: matching, passwordHash },
      { email: changed, passwordHash },
      { email: reset, passwordHash },
    );
    await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: created, passwordHash });
    for (const email of [matching, changed]) expect((await login(email!, PASSWORD)).status).toBe(200);
    const { accessToken } = (await login(changed!, PASSWORD)).body.tokens;
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/password', body);
    await submitToken(instance, 'reset-password', await requestReset(instance, reset!));
    for (const email of [matching, changed, reset, created])
      expect([email, await login(email!)]).toMatchObject([email, invalid]);
    expect([matching, changed, reset, created].flatMap((email) => system.listRequests(email!))).toEqual([]);
  });

  it('RL-01: sends at most ten guesses to the system', async () => {
    const email = uniqueEmail();
    await importCustomers({ email, passwordHash });
    const responses = await Promise.all(
      Array.from({ length: 15 }, (_, index) => login(email, `guess ${index}`)),
    );
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(system.listRequests(email)).toHaveLength(10);
  });
});

describe('the lockout', () => {
  it('RL-01: sends at most ten of 100 parallel guesses to the system, and no later ones', async () => {
    const email = uniqueEmail();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => login(email, `guess ${index}`)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(90).fill(429)]);
    expect((await login(email)).status).toBe(429);
    expect(system.listRequests(email)).toHaveLength(10);
  });

  it('RL-01: counts guesses whose client disconnects', async () => {
    const email = uniqueEmail();
    for (let guess = 0; guess < 10; guess += 1) {
      const aborted = new AbortController();
      system.receiver.respondWith(() => aborted.abort());
      await fetch(`${instance.baseUrl}/api/v1/auth/login`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-publishable-key': instance.credentials.publishableKey,
        },
        body: JSON.stringify({ email, password: LEGACY_PASSWORD }),
        signal: aborted.signal,
      }).catch(() => undefined);
    }
    expect((await login(email)).status).toBe(429);
  });
});

it('a password that is too long for Gatehouse is not sent to the previous system', async () => {
  const email = uniqueEmail();
  expect(await login(email, 'x'.repeat(129))).toMatchObject(invalid);
  expect(system.listRequests(email)).toEqual([]);
});

it('a profile may contain unknown fields, and strings for booleans; the strings are logged once', async () => {
  const lines = () =>
    instance.api.log.filter(
      ({ message }) => message === 'legacy profile contains strings instead of booleans',
    );
  const profiles: [more: object, emailVerified: boolean][] = [
    [{ id: 42, roles: ['admin'], profile: { plan: 'pro' }, toString: 'x' }, true],
    [{ emailVerified: 'true' }, true],
    [{ emailVerified: 'false', error: null }, false],
    [{ emailVerified: true }, true],
    [{ emailVerified: null }, false],
  ];
  for (const [more, emailVerified] of profiles) {
    const email = uniqueEmail();
    system.receiver.respondWith(system.respondWithProfile({ firstName: 'Ada', ...more }));
    const { status, body } = await login(email);
    expect({ more, status, body }).toMatchObject({
      ...{ more, status: 200 },
      body: { customer: { firstName: 'Ada', emailVerified } },
    });
  }
  await eventually('the log line', () => lines().length > 0);
  expect(lines()).toEqual([
    expect.objectContaining({ projectId: instance.credentials.projectId, fields: ['emailVerified'] }),
  ]);
});

describe('a rejection or an invalid response from the system', () => {
  const text = (body: string): Responder => respondWithStatus(200, body);
  const json = (more: object): Responder => system.respondWithProfile(more);

  it.each<[string, string | null, () => Responder]>([
    ['401', null, () => respondWithStatus(401)],
    ['404', null, () => respondWithStatus(404)],
    ['500', 'the system responded with status 500', () => respondWithStatus(500)],
    ['204', 'the system responded with status 204', () => respondWithStatus(204)],
    [
      'a redirect to a profile',
      'the system responded with status 307',
      () => (response) => void response.writeHead(307, { location: system.receiver.url }).end(),
    ],
    ['a response that is not JSON', 'invalid profile: The response is not valid JSON', () => text('welcome')],
    ['an empty profile', 'invalid profile: email is required', () => text('{}')],
    ['an error in a body', 'error is not a known field', () => json({ error: 'wrong password' })],
    ['an invalid field', 'emailVerified must be a boolean value', () => json({ emailVerified: 'yes' })],
    ['another customer', 'the profile has a different email address', () => json({ email: uniqueEmail() })],
    ['a response over the size limit', 'longer than 65536 bytes', () => text(' '.repeat(70_000))],
    ['a broken connection', 'socket hang up', () => (response) => void response.destroy()],
    ['a taken externalId', 'another customer has the externalId', () => json({ externalId: 'old-1' })],
  ])(
    'counts as a wrong password, and is logged unless it is a rejection: %s',
    async (_, reason, responder) => {
      const email = uniqueEmail();
      const listOthers = () => listWarnings().filter((line) => line['reason'] !== TIMED_OUT);
      const before = listOthers().length;
      system.receiver.respondWith(responder());
      const id = randomUUID();
      expect(await instance.login(email, LEGACY_PASSWORD, { 'x-request-id': id })).toMatchObject(invalid);
      await eventually('the log line of the request', () =>
        instance.api.log.some(({ requestId, message }) => requestId === id && message === 'request'),
      );
      expect(system.listRequests(email)).toHaveLength(1);
      expect(listOthers().slice(before)).toEqual(
        reason ? [expect.objectContaining({ reason: expect.stringContaining(reason) })] : [],
      );
      expect(await instance.sql('SELECT FROM customers WHERE email = $1', [email])).toEqual([]);
    },
  );
});

describe('the shared secret', () => {
  it('signs requests until replaced, never appears in output, and is deleted with the setting', async () => {
    const { url } = system.setting;
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    const patched = await patchSettings({ legacySignIn: { url: `${url}?2` } });
    expect(patched.body.settings.legacySignIn).toEqual({ url: `${url}?2` });
    expect((await login(uniqueEmail())).status).toBe(200);
    await patchSettings({ legacySignIn: { secret: other } });
    expect(await login(uniqueEmail())).toMatchObject(invalid);

    const { projectId } = instance.credentials;
    const entries = await listAudit(projectId);
    expect(entries[0]).toMatchObject({ details: { changed: ['settings.legacySignIn.secret'] } });
    const events = await instance.sql<{ body: string }>(
      `SELECT body FROM events WHERE type = 'project.updated'`,
    );
    expect(JSON.stringify([patched.body, entries, events, instance.api.output])).not.toMatch(/whsec_/);

    await patchSettings({ legacySignIn: null });
    const email = uniqueEmail();
    expect(await login(email)).toMatchObject(invalid);
    expect(system.listRequests(email)).toEqual([]);
    expect(
      await instance.sql('SELECT legacy_sign_in_secret AS secret FROM projects WHERE id = $1', [projectId]),
    ).toEqual([{ secret: null }]);
    await patchSettings({ legacySignIn: system.setting });
  });
});

it('a system that does not respond for five seconds counts as a wrong password', async () => {
  expect(await pending.response).toMatchObject(invalid);
  await eventually('the warning', () => listWarnings().some((line) => line['reason'] === TIMED_OUT));
});
