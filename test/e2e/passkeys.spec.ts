import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { backdateProofs, completeChallenge, openChallenge } from '../support/customer-factors.js';
import {
  NEW_PASSWORD,
  registerCustomer,
  requestReset,
  submitToken,
  withSettings,
} from '../support/customers.js';
import {
  addPasskey,
  insertPasskey,
  portablePasskey,
  registerWithPasskey,
  requestNewPasskey,
  requestPasskey,
  signInWithPasskey,
} from '../support/passkeys.js';
import { startReplica } from '../support/start-replica.js';
import { SoftwareAuthenticator, type Deviations } from '../support/software-authenticator.js';
import { insertProject } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';
import { withConcurrentChange } from '../support/with-concurrent-change.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  await updateSettings({ signIn: { passkey: true } });
});
afterAll(async () => instance?.stop());

const updateSettings = (settings: object): Promise<TestResponse> =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, { settings });

interface SignedIn {
  tokens: { accessToken: string; refreshToken: string };
}

const asCustomer = (
  { tokens }: SignedIn,
  method: string,
  path: string,
  body?: object,
): Promise<TestResponse> =>
  instance.requestWithAccessToken(tokens.accessToken, method, `/api/v1/me/${path}`, body);
const publish = (path: string, body?: object): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', `/api/v1/auth/${path}`, body);

const notAccepted = { status: 401, body: { code: 'passkey_not_accepted' } };
const notEnabled = { status: 403, body: { code: 'method_not_enabled' } };
const statuses = (responses: TestResponse[]): number[] => responses.map(({ status }) => status).sort();
const amrOf = ({ body }: TestResponse): unknown => decodeJwt(body.tokens.accessToken)['amr'];

describe('MF-06: a passkey', () => {
  it('signs in its customer, is renamed and removed', async () => {
    const customer = await registerWithPasskey(instance);
    const { authenticator, passkeyId, email } = customer;
    // Second factors are off, so there is nothing to recover.
    expect(customer.recoveryCodes).toBeNull();

    const options = await requestPasskey(instance);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', timeout: 600_000 });
    expect(options.allowCredentials).toBeUndefined();
    const signedIn = await publish('passkey', { response: authenticator.get(options) });
    expect(signedIn).toMatchObject({ status: 200, body: { customer: { id: customer.id }, challenge: null } });
    expect(amrOf(signedIn)).toEqual(['swk', 'user', 'mfa']);
    expect(await instance.events(customer.id, 'login.succeeded')).toMatchObject([
      { data: { methods: ['swk', 'user', 'mfa'] } },
    ]);

    const session = { tokens: signedIn.body.tokens };
    const renamed = await asCustomer(session, 'PATCH', `passkeys/${passkeyId}`, { name: 'Laptop' });
    const passkey = {
      id: passkeyId,
      name: 'Laptop',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    };
    expect(renamed).toMatchObject({ status: 200, body: passkey });
    expect((await asCustomer(session, 'GET', 'passkeys')).body).toEqual({
      data: [passkey],
      nextCursor: null,
      hasMore: false,
    });
    expect((await asCustomer(session, 'GET', 'factors')).body).toEqual({
      totp: [],
      passkeys: [passkey],
      recoveryCodes: 0,
    });
    expect((await asCustomer(session, 'DELETE', `passkeys/${passkeyId}`)).status).toBe(204);
    expect((await asCustomer(session, 'DELETE', `passkeys/${passkeyId}`)).status).toBe(404);
    expect(await signInWithPasskey(instance, authenticator)).toMatchObject(notAccepted);
    for (const type of ['passkey.added', 'passkey.removed'])
      expect(await instance.events(customer.id, type)).toMatchObject([
        { data: { passkey: { id: passkeyId } } },
      ]);
    expect(await instance.listMailKinds(email)).toEqual(
      expect.arrayContaining(['passkey-added', 'passkey-removed']),
    );
  });

  it('is created with options that require user verification and exclude existing passkeys', async () => {
    const { tokens, authenticator, email, id } = await registerWithPasskey(instance);
    expect(await requestNewPasskey(instance, tokens)).toMatchObject({
      rp: { id: 'localhost' },
      user: { id: Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url'), name: email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [{ id: authenticator.id, transports: ['internal', 'hybrid'] }],
    });
  });

  it('adds hwk to amr for a passkey that is bound to a device', async () => {
    const { authenticator } = await registerWithPasskey(
      instance,
      new SoftwareAuthenticator({ deviceBound: true }),
    );
    expect(amrOf(await signInWithPasskey(instance, authenticator))).toEqual(['hwk', 'user', 'mfa']);
  });

  const otherHandle = Buffer.alloc(16, 7).toString('base64url');
  const deviations: [name: string, deviations: Deviations][] = [
    ['the origin of another site', { origin: 'https://localhost.example.com' }],
    ["this machine's origin with its IP address", { origin: 'http://127.0.0.1:5173' }],
    ['another relying party', { rpId: 'example.com' }],
    ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
    ['no challenge', { challenge: '' }],
    ['another ceremony', { type: 'payment.get' }],
    ['a frame of another site', { crossOrigin: true }],
    ['no user verification', { userVerified: false }],
    ['no user presence', { userVerified: false, userPresent: false }],
  ];

  it('fails if the response to a sign-in deviates from the options', async () => {
    const { authenticator } = await registerWithPasskey(instance);
    const signatureOf = new SoftwareAuthenticator().get({ challenge: '', rpId: 'localhost' }).response
      .signature;
    const cases: typeof deviations = [
      ...deviations,
      ['the signature of another key', { signature: signatureOf }],
      ['the customer of another passkey', { userHandle: otherHandle }],
      ['no customer', { userHandle: null }],
    ];
    for (const [name, deviation] of cases)
      expect({ name, ...(await signInWithPasskey(instance, authenticator, deviation)) }).toMatchObject({
        name,
        ...notAccepted,
      });
    expect(
      await signInWithPasskey(instance, new SoftwareAuthenticator(), { userHandle: otherHandle }),
    ).toMatchObject(notAccepted);
    expect((await signInWithPasskey(instance, authenticator)).status).toBe(200);
  });

  it('is not created if the response deviates from the options', async () => {
    const { tokens } = await registerCustomer(instance);
    for (const [name, deviation] of deviations)
      expect({
        name,
        ...(await addPasskey(instance, tokens, new SoftwareAuthenticator(), deviation)),
      }).toMatchObject({ name, ...notAccepted });
    expect((await asCustomer({ tokens }, 'GET', 'passkeys')).body.data).toEqual([]);
  });

  it("needs no valid attestation, because verifying one could send requests to a client's URLs", async () => {
    const { tokens } = await registerCustomer(instance);
    const added = await addPasskey(instance, tokens, new SoftwareAuthenticator(), { attested: true });
    expect(added.status).toBe(201);
  });

  it('can use each challenge once, within ten minutes and for its purpose', async () => {
    const { authenticator, tokens, email } = await registerWithPasskey(instance);
    const response = authenticator.get(await requestPasskey(instance));
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => publish('passkey', { response })));
    expect(statuses(responses)).toEqual([200, 401, 401, 401, 401]);
    expect(await publish('passkey', { response })).toMatchObject(notAccepted);

    const options = await requestPasskey(instance);
    const challenge = [Buffer.from(options.challenge, 'base64url')];
    const [ceremony] = await instance.sql<any>(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM passkey_ceremonies
       WHERE challenge_hash = sha256($1)`,
      challenge,
    );
    expect(ceremony.seconds).toBe(600);
    await instance.sql(
      `UPDATE passkey_ceremonies SET expires_at = now() - interval '1 ms' WHERE challenge_hash = sha256($1)`,
      challenge,
    );
    expect(await publish('passkey', { response: authenticator.get(options) })).toMatchObject(notAccepted);

    const reauthentication = await asCustomer({ tokens }, 'POST', 'reauthenticate/options', {
      method: 'passkey',
    });
    const signedAssertion = authenticator.get(reauthentication.body.options);
    expect(await publish('passkey', { response: signedAssertion })).toMatchObject(notAccepted);
    const otherSession = { tokens: (await instance.login(email)).body.tokens };
    const reauthenticateWith = (session: SignedIn) =>
      asCustomer(session, 'POST', 'reauthenticate', { method: 'passkey', response: signedAssertion });
    expect(await reauthenticateWith(otherSession)).toMatchObject(notAccepted);
    // Attempts elsewhere have not used up the challenge.
    const reauthenticated = await reauthenticateWith({ tokens });
    expect(reauthenticated.status).toBe(200);
    expect(decodeJwt(reauthenticated.body.accessToken)['amr']).toEqual(['pwd', 'swk', 'user', 'mfa']);
  });

  it('is created once by parallel requests, and only in the session that requested the options', async () => {
    const customer = await registerCustomer(instance);
    const other = await registerCustomer(instance);
    const response = new SoftwareAuthenticator().create(await requestNewPasskey(instance, customer.tokens));
    expect(await asCustomer(other, 'POST', 'passkeys', { response })).toMatchObject(notAccepted);
    const responses = await Promise.all(
      [1, 2, 3].map(() => asCustomer(customer, 'POST', 'passkeys', { response })),
    );
    expect(statuses(responses)).toEqual([201, 401, 401]);
  });

  it('fails and is reported if its counter does not increase, unless the signature is forged', async () => {
    const authenticator = new SoftwareAuthenticator({ deviceBound: true });
    authenticator.counter = 5;
    const { id, passkeyId } = await registerWithPasskey(instance, authenticator);
    authenticator.counter = 7;
    expect((await signInWithPasskey(instance, authenticator)).status).toBe(200);
    authenticator.counter = 6;
    const forged = new SoftwareAuthenticator({ deviceBound: true }).get({ challenge: '', rpId: 'localhost' });
    const { signature } = forged.response;
    expect(await signInWithPasskey(instance, authenticator, { signature })).toMatchObject(notAccepted);
    expect(await instance.events(id, 'passkey.counter_anomaly')).toEqual([]);
    for (const counter of [6, 7, 0]) {
      authenticator.counter = counter;
      expect(await signInWithPasskey(instance, authenticator)).toMatchObject(notAccepted);
    }
    const sent = await instance.request('POST', '/api/v1/auth/passkey', {
      body: { response: authenticator.get(await requestPasskey(instance)) },
      headers: {
        ...bearerHeader(instance.credentials.secretKey),
        'x-publishable-key': instance.credentials.publishableKey,
        'idempotency-key': randomUUID(),
      },
    });
    expect(sent).toMatchObject(notAccepted);
    expect(await instance.events(id, 'passkey.counter_anomaly')).toMatchObject(
      Array(4).fill({ data: { customer: { id }, passkey: { id: passkeyId } } }),
    );
    authenticator.counter = 8;
    expect((await signInWithPasskey(instance, authenticator)).status).toBe(200);
  });

  it('belongs to one project: its credential id is unique there, and unknown in other projects', async () => {
    const { authenticator } = await registerWithPasskey(instance);
    const { tokens } = await registerCustomer(instance);
    const copy = new SoftwareAuthenticator({ credentialId: authenticator.credentialId });
    expect(await addPasskey(instance, tokens, copy)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    const other = await insertProject(instance, instance.credentials.organizationId);
    await instance.sql(`UPDATE projects SET settings = '{"signIn": {"passkey": true}}' WHERE id = $1`, [
      other.projectId,
    ]);
    const inOther = (path: string, body?: object) =>
      instance.request('POST', `/api/v1/auth/${path}`, {
        body,
        headers: { 'x-publishable-key': other.publishableKey },
      });
    const { options } = (await inOther('passkey/options')).body;
    expect(await publish('passkey', { response: authenticator.get(options) })).toMatchObject(notAccepted);
    expect(await inOther('passkey', { response: authenticator.get(options) })).toMatchObject(notAccepted);
  });

  it('MF-01: fails for a disabled customer, and without an email verification that is required', async () => {
    const { authenticator, id } = await registerWithPasskey(instance);
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      expect((await signInWithPasskey(instance, authenticator)).body.code).toBe('email_not_verified');
    });
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
    expect((await signInWithPasskey(instance, authenticator)).body.code).toBe('customer_disabled');
  });

  it('fails if its response is malformed or too large, but allows members that browsers add', async () => {
    const authenticator = new SoftwareAuthenticator();
    const { response } = authenticator.get({ challenge: 'YWJj', rpId: 'localhost' }, { userHandle: null });
    const valid = { id: 'YWJj', rawId: 'YWJj', type: 'public-key', response };
    const fields: [body: unknown, field: string, code: string][] = [
      [undefined, 'response', 'required'],
      ['text', 'response', 'invalid_type'],
      [{ ...valid, id: undefined }, 'response.id', 'required'],
      [{ ...valid, id: 'a'.repeat(1365) }, 'response.id', 'invalid'],
      // The last character's unused bits are not zero.
      [{ ...valid, id: 'YWJ', rawId: 'YWJ' }, 'response.id', 'invalid'],
      [
        { ...valid, response: { ...response, clientDataJSON: 'e31' } },
        'response.response.clientDataJSON',
        'invalid',
      ],
      [{ ...valid, type: 'password' }, 'response.type', 'invalid'],
      [{ ...valid, response: {} }, 'response.response.clientDataJSON', 'required'],
      [{ ...valid, response: { ...response, signature: 'a+b=' } }, 'response.response.signature', 'invalid'],
      [
        { ...valid, response: { ...response, userHandle: 1 } },
        'response.response.userHandle',
        'invalid_type',
      ],
    ];
    for (const [body, field, code] of fields) {
      const rejected = await publish('passkey', { response: body });
      expect({ field, ...rejected }).toMatchObject({
        field,
        status: 400,
        body: { code: 'validation_failed' },
      });
      expect(rejected.body.errors[0]).toMatchObject({ field, code });
    }
    expect(await publish('passkey', { response: { ...valid, clientExtensionResults: {} } })).toMatchObject(
      notAccepted,
    );
  });
});

it(`a passkey's absent values can be null or "", as native wrappers send them`, async () => {
  const { tokens } = await registerCustomer(instance);
  const authenticator = new SoftwareAuthenticator();
  const created = authenticator.create(await requestNewPasskey(instance, tokens));
  const send = (body: object) =>
    instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/passkeys', body);
  const response = {
    ...created,
    response: { ...created.response, transports: null },
    authenticatorAttachment: null,
  };
  expect((await send({ name: 'Phone', response })).status).toBe(201);
  const assertion = authenticator.get(await requestPasskey(instance));
  for (const userHandle of [null, '']) {
    const wrapped = { ...assertion, response: { ...assertion.response, userHandle } };
    // A sign-in requires the user handle, so this well-formed response is rejected.
    expect(await publish('passkey', { response: wrapped })).toMatchObject(notAccepted);
  }
  await updateSettings({ mfa: 'optional' });
  try {
    for (const userHandle of [null, '']) {
      const requested = await instance.requestWithAccessToken(
        tokens.accessToken,
        'POST',
        '/api/v1/me/reauthenticate/options',
        { method: 'passkey' },
      );
      const { response: signed, ...rest } = authenticator.get(requested.body.options);
      const signedAssertion = {
        method: 'passkey',
        response: { ...rest, response: { ...signed, userHandle } },
      };
      const path = '/api/v1/me/reauthenticate';
      expect(
        (await instance.requestWithAccessToken(tokens.accessToken, 'POST', path, signedAssertion)).status,
      ).toBe(200);
    }
  } finally {
    await updateSettings({ mfa: null });
  }
});

describe('a passkey as a second factor', () => {
  beforeAll(() => updateSettings({ mfa: 'optional', signIn: { passkey: false } }));
  afterAll(() => updateSettings({ mfa: null, signIn: { passkey: true } }));

  const options = async (path: string, challengeToken: string) =>
    (await publish(`challenge/${path}/options`, { challengeToken })).body.options;

  it('completes a challenge, comes with recovery codes, and does not sign in on its own', async () => {
    const customer = await registerWithPasskey(instance);
    const other = await registerWithPasskey(instance);
    expect(customer.recoveryCodes).toHaveLength(10);
    expect(await publish('passkey/options')).toMatchObject(notEnabled);
    const login = await instance.login(customer.email);
    expect(login.body.challenge).toMatchObject({
      kind: 'second_factor',
      methods: ['passkey', 'recovery_code'],
    });
    const { token: challengeToken } = login.body.challenge;
    const requested = await options('passkey', challengeToken);
    expect(requested.allowCredentials).toMatchObject([{ id: customer.authenticator.id }]);
    expect(
      await publish('challenge/passkey', {
        challengeToken,
        response: other.authenticator.get(requested, { userHandle: null }),
      }),
    ).toMatchObject(notAccepted);
    const response = customer.authenticator.get(await options('passkey', challengeToken));
    const responses = await Promise.all(
      [1, 2, 3].map(() => publish('challenge/passkey', { challengeToken, response })),
    );
    expect(statuses(responses).filter((status) => status === 200)).toHaveLength(1);
    const completed = responses.find(({ status }) => status === 200)!;
    expect(completed.body).toMatchObject({ customer: { id: customer.id }, recoveryCodes: null });
    expect(amrOf(completed)).toEqual(['pwd', 'swk', 'user', 'mfa']);
    const challenge = await openChallenge(instance, customer.email);
    const [code] = customer.recoveryCodes!;
    expect((await completeChallenge(instance, challenge, code!, 'recovery-code')).status).toBe(200);
  });

  it('MF-02: counts as a second factor attempt if it fails in a challenge', async () => {
    const customer = await registerWithPasskey(instance);
    const challengeToken = await openChallenge(instance, customer.email);
    const wrong = async () =>
      publish('challenge/passkey', {
        challengeToken,
        response: customer.authenticator.get(await options('passkey', challengeToken), {
          userVerified: false,
        }),
      });
    for (let count = 0; count < 5; count += 1) expect(await wrong()).toMatchObject(notAccepted);
    expect(await publish('challenge/passkey/options', { challengeToken })).toMatchObject({
      status: 400,
      body: { code: 'challenge_expired' },
    });
    const [{ tries }] = await instance.sql<any>('SELECT tries FROM factor_attempts WHERE customer_id = $1', [
      customer.id,
    ]);
    expect(tries).toBe(5);
  });

  it('can be enrolled in a challenge that requires a factor, but not removed as the last one', async () => {
    const { email } = await registerCustomer(instance);
    await withSettings(instance, { mfa: 'required' }, async () => {
      const olderToken = await openChallenge(instance, email);
      const login = await instance.login(email);
      expect(login.body.challenge).toMatchObject({ kind: 'enroll_factor', methods: ['totp', 'passkey'] });
      const { token: challengeToken } = login.body.challenge;
      expect((await publish('challenge/passkey/options', { challengeToken })).body.code).toBe(
        'challenge_expired',
      );
      const authenticator = new SoftwareAuthenticator();
      const response = authenticator.create(await options('enroll-passkey', challengeToken));
      const { body } = await publish('challenge/enroll-passkey', { challengeToken, response });
      expect(body.recoveryCodes).toHaveLength(10);
      expect(decodeJwt(body.tokens.accessToken)['amr']).toEqual(['pwd', 'swk', 'user', 'mfa']);
      // A challenge from before the enrollment cannot enroll another factor.
      const late = new SoftwareAuthenticator().create(await options('enroll-passkey', olderToken));
      expect(
        (await publish('challenge/enroll-passkey', { challengeToken: olderToken, response: late })).body.code,
      ).toBe('challenge_expired');
      const [passkey] = (await asCustomer(body, 'GET', 'passkeys')).body.data;
      expect(await asCustomer(body, 'DELETE', `passkeys/${passkey.id}`)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
      const insertedId = await insertPasskey(instance, body.customer.id);
      expect((await asCustomer(body, 'DELETE', `factors/${insertedId}`)).status).toBe(204);
    });
    await updateSettings({ mfa: 'optional' });
  });

  it('MF-05: permits account changes, and renews the verification', async () => {
    const customer = await registerWithPasskey(instance);
    await backdateProofs(instance, customer);
    const remove = () => asCustomer(customer, 'DELETE', `passkeys/${customer.passkeyId}`);
    const required = {
      status: 403,
      body: { code: 'reauthentication_required', methods: ['passkey', 'recovery_code'] },
    };
    expect(await remove()).toMatchObject(required);
    expect(await asCustomer(customer, 'POST', 'passkeys/options', { password: PASSWORD })).toMatchObject(
      required,
    );
    expect(
      await asCustomer(customer, 'PATCH', `passkeys/${customer.passkeyId}`, { name: 'A' }),
    ).toMatchObject(required);
    const requested = await asCustomer(customer, 'POST', 'reauthenticate/options', { method: 'passkey' });
    const response = customer.authenticator.get(requested.body.options);
    expect((await asCustomer(customer, 'POST', 'reauthenticate', { method: 'passkey' })).body).toMatchObject({
      errors: [{ field: 'response', code: 'required' }],
    });
    expect(
      (await asCustomer(customer, 'POST', 'reauthenticate', { method: 'passkey', response })).status,
    ).toBe(200);
    expect((await remove()).status).toBe(204);
    // The recovery codes are removed with the last factor.
    expect((await asCustomer(customer, 'GET', 'factors')).body).toMatchObject({ recoveryCodes: 0 });
  });
});

describe('a passkey of a customer', () => {
  it("causes an error if it is the customer's twenty-first passkey", async () => {
    const customer = await registerWithPasskey(instance);
    const options = await requestNewPasskey(instance, customer.tokens);
    for (let count = 1; count < 20; count += 1) await insertPasskey(instance, customer.id);
    const tooMany = { status: 409, body: { code: 'too_many_passkeys' } };
    expect(await asCustomer(customer, 'POST', 'passkeys/options', { password: PASSWORD })).toMatchObject(
      tooMany,
    );
    const response = new SoftwareAuthenticator().create(options);
    expect(await asCustomer(customer, 'POST', 'passkeys', { response })).toMatchObject(tooMany);
  });

  it('cannot be removed if it is the last sign-in method of a customer without a password', async () => {
    const customer = await registerWithPasskey(instance);
    await instance.sql('UPDATE customers SET password_hash = NULL WHERE id = $1', [customer.id]);
    const remove = () => asCustomer(customer, 'DELETE', `passkeys/${customer.passkeyId}`);
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'last_sign_in_method' } });
    await insertPasskey(instance, customer.id);
    expect((await remove()).status).toBe(204);
  });

  it('FE-03: disappears when the owner of the address claims the account', async () => {
    const intruder = await registerWithPasskey(instance);
    const response = intruder.authenticator.get(await requestPasskey(instance));
    const added = new SoftwareAuthenticator().create(await requestNewPasskey(instance, intruder.tokens));
    await submitToken(instance, 'reset-password', await requestReset(instance, intruder.email));
    expect(await publish('passkey', { response })).toMatchObject(notAccepted);
    expect((await asCustomer(intruder, 'POST', 'passkeys', { response: added })).status).toBe(401);
    const { body } = await instance.login(intruder.email, NEW_PASSWORD);
    expect((await asCustomer(body, 'GET', 'passkeys')).body.data).toEqual([]);
  });

  it('MF-08: appears without its key in lists and exports for support, and support can remove it', async () => {
    const { id, passkeyId, authenticator, email } = await registerWithPasskey(instance);
    const path = `/api/v1/customers/${id}`;
    const passkey = {
      id: passkeyId,
      name: expect.any(String),
      createdAt: expect.any(String),
      lastUsedAt: null,
    };
    const listed = await instance.requestWithSecretKey('GET', `${path}/factors`);
    expect(listed.body.passkeys).toEqual([passkey]);
    const exported = await instance.requestWithSecretKey('GET', `${path}/export`);
    expect(exported.body.passkeys).toEqual([passkey]);
    for (const { body } of [listed, exported]) expect(JSON.stringify(body)).not.toContain(authenticator.id);
    const reason = { reason: 'Ticket 4711' };
    const remove = () => instance.requestWithSecretKey('POST', `${path}/factors/${passkeyId}/remove`, reason);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect(await signInWithPasskey(instance, authenticator)).toMatchObject(notAccepted);
    expect(await instance.listMailKinds(email)).toContain('passkey-removed');
    const [entry] = await instance.sql<any>(
      `SELECT details FROM audit_log WHERE target_id = $1 AND action = 'customer.passkey_removed'`,
      [id],
    );
    expect(entry.details).toMatchObject({ passkeyId, ...reason });
  });

  it('is rejected unless the project allows passkeys for sign-in or as second factors', async () => {
    const customer = await registerWithPasskey(instance);
    const options = await requestNewPasskey(instance, customer.tokens);
    await withSettings(instance, { signIn: { passkey: false } }, async () => {
      const response = new SoftwareAuthenticator().create(options);
      const assertion = customer.authenticator.get({ challenge: 'YWJj', rpId: 'localhost' });
      for (const rejected of [
        await publish('passkey/options'),
        await publish('passkey', { response: assertion }),
        await asCustomer(customer, 'POST', 'passkeys/options', { password: PASSWORD }),
        await asCustomer(customer, 'POST', 'passkeys', { response }),
        await asCustomer(customer, 'POST', 'reauthenticate/options', { method: 'passkey' }),
        await asCustomer(customer, 'POST', 'reauthenticate', { method: 'passkey', response: assertion }),
      ])
        expect(rejected).toMatchObject(notEnabled);
    });
    await updateSettings({ signIn: { passkey: true } });
  });
});

describe('the setting passkeys', () => {
  const origins = ['https://app.example.com', `android:apk-key-hash:${'A'.repeat(43)}`];
  const invalid = (field: string) => ({
    status: 400,
    body: { code: 'validation_failed', errors: [{ field: `settings.passkeys.${field}` }] },
  });

  /** Sends two requests. Neither can commit before both wait for the lock. */
  const withHeldTransactions = <Result>(send: () => Promise<Result>): Promise<Result> =>
    withConcurrentChange(instance, (sql) => sql('LOCK TABLE audit_log IN SHARE MODE'), send, 2);

  it('merges the fields of a patch, and is either complete or null', async () => {
    expect(await updateSettings({ passkeys: { rpId: 'example.com' } })).toMatchObject(invalid('origins'));
    expect(await updateSettings({ passkeys: { origins } })).toMatchObject(invalid('rpId'));
    const local = { rpId: 'localhost', origins: ['http://localhost:5173'] };
    expect((await updateSettings({ passkeys: local })).body.settings.passkeys).toEqual({
      ...local,
      rpName: null,
    });
    const named = await updateSettings({ passkeys: { rpName: 'Shop' } });
    expect(named.body.settings.passkeys).toEqual({ ...local, rpName: 'Shop' });
    const { tokens } = await registerCustomer(instance);
    expect((await requestNewPasskey(instance, tokens)).rp).toEqual({ id: 'localhost', name: 'Shop' });
    const elsewhere = { origin: 'http://localhost:3000' };
    expect(await addPasskey(instance, tokens, new SoftwareAuthenticator(), elsewhere)).toMatchObject(
      notAccepted,
    );
    expect((await updateSettings({ passkeys: null })).body.settings.passkeys).toBeNull();
  });

  it('does not change its rpId while customers have passkeys', async () => {
    await registerWithPasskey(instance);
    const passkeys = { rpId: 'example.com', origins };
    const rejectedUpdate = await updateSettings({ passkeys });
    expect(rejectedUpdate).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(rejectedUpdate.body.detail).toMatch(/passkeys: (1 is|\d+ are) bound to localhost\.$/);
    await instance.sql('DELETE FROM passkeys');
    expect((await updateSettings({ passkeys })).status).toBe(200);
    expect((await updateSettings({ passkeys: null })).status).toBe(200);
  });

  it('does not change its rpId while a passkey is being added', async () => {
    const customer = await registerCustomer(instance);
    const response = new SoftwareAuthenticator().create(await requestNewPasskey(instance, customer.tokens));
    const change = () => updateSettings({ passkeys: { rpId: 'example.com', origins } });
    const [added, changed] = await withHeldTransactions(() =>
      Promise.all([asCustomer(customer, 'POST', 'passkeys', { response }), change()]),
    );
    expect([
      [201, 409],
      [401, 200],
    ]).toContainEqual([added.status, changed.status]);
    await instance.sql('DELETE FROM passkeys');
    expect((await updateSettings({ passkeys: null })).status).toBe(200);
    const rows = [{ email: uniqueEmail(), passkeys: [portablePasskey()] }];
    const imported = await withConcurrentChange(
      instance,
      (sql) =>
        sql(
          `UPDATE projects SET settings = settings || '{"passkeys": {"rpId": "example.com"}}' WHERE id = $1`,
          [instance.credentials.projectId],
        ),
      () => instance.requestWithSecretKey('POST', '/api/v1/customers/import', { customers: rows }),
    );
    expect(imported).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await instance.sql('DELETE FROM passkeys');
    expect((await updateSettings({ passkeys: null })).status).toBe(200);
  });

  it('lists related origins for the PUBLIC_URL host, and only one project can use that host', async () => {
    const { baseUrl } = await startReplica(instance, { PUBLIC_URL: 'https://auth.example.com' });
    const list = () => instance.request('GET', '/.well-known/webauthn', { baseUrl });
    const headers = bearerHeader(instance.credentials.secretKey);
    const passkeys = { rpId: 'auth.example.com', origins };
    expect((await list()).body).toEqual({ origins: [] });
    const update = (projectId: string) =>
      instance.request('PATCH', `/api/v1/projects/${projectId}`, {
        body: { settings: { passkeys } },
        headers,
        baseUrl,
      });
    const { projectId } = await insertProject(instance, instance.credentials.organizationId);
    const projectIds = [instance.credentials.projectId, projectId];
    const updated = await withHeldTransactions(() => Promise.all(projectIds.map(update)));
    expect(statuses(updated)).toEqual([200, 400]);
    expect((await list()).body).toEqual({ origins: ['https://app.example.com'] });
    const second = projectIds[updated.findIndex(({ status }) => status === 400)]!;
    expect(await update(second)).toMatchObject(invalid('rpId'));
    const created = await instance.request('POST', '/api/v1/projects', {
      body: { name: 'Second', settings: { passkeys } },
      headers,
      baseUrl,
    });
    expect(created).toMatchObject(invalid('rpId'));
    await updateSettings({ passkeys: null });
    await instance.requestWithSecretKey('POST', `/api/v1/projects/${projectId}/archive`);
  });
});
