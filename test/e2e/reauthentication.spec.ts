import { randomUUID } from 'node:crypto';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertOperator, inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

type SignedInOperator = Awaited<ReturnType<typeof inviteOperator>>;

/** Creates an admin who has signed in but has not reauthenticated. */
async function createAdmin(): Promise<SignedInOperator> {
  const client = await inviteOperator(admin, 'admin');
  await client.setReauthentication(null);
  return client;
}

/** Opens another session of an operator, which has not reauthenticated. */
async function openSession({ operator: { email }, password }: SignedInOperator): Promise<OperatorClient> {
  const client = await signIn(instance, { email, password });
  await client.setReauthentication(null);
  return client;
}

const reauthenticate = (client: OperatorClient, code: string): Promise<TestResponse> =>
  client.request('POST', '/session/reauthenticate', { code });
/** The next time step's code, which is already valid. The enrollment used the current one. */
const nextCode = ({ secret }: OperatorClient): string => totpCode(secret, 1);
const sendInvitation = (client: OperatorClient): Promise<TestResponse> =>
  client.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });

const reauthenticationRequired = {
  status: 403,
  body: { code: 'reauthentication_required', methods: ['totp', 'passkey', 'recovery_code'] },
};
const invalidCode = { status: 400, body: { code: 'invalid_code' } };
const tooManyAttempts = { status: 429, body: { code: 'too_many_attempts' } };

describe('OP-01: a sensitive action of an operator', () => {
  it('requires a code in the session within five minutes, and changes nothing without it', async () => {
    const attacker = await createAdmin();
    const { operator } = await insertOperator(instance, 'viewer');
    const keys = `/projects/${instance.credentials.projectId}/api-keys`;
    const { id: keyId } = (await admin.request('POST', keys, { name: 'Service' })).body;
    const path = `/operators/${operator.id}`;
    await openSession(attacker);
    const ownSessions = (await attacker.request('GET', '/session/sessions')).body.data as { id: string }[];
    const actions = {
      invite: () => sendInvitation(attacker),
      'invite again': () => attacker.request('POST', `${path}/invite-again`),
      'reset the factor': () => attacker.request('POST', `${path}/reset-second-factor`),
      'change the role': () => attacker.request('PATCH', path, { role: 'admin' }),
      enable: () => attacker.request('POST', `${path}/enable`),
      disable: () => attacker.request('POST', `${path}/disable`),
      'revoke sessions': () => attacker.request('DELETE', `${path}/sessions`),
      'revoke an own session': () => attacker.request('DELETE', `/session/sessions/${ownSessions[0]!.id}`),
      'revoke all other sessions': () => attacker.request('DELETE', '/session/sessions'),
      'create a key': () => attacker.request('POST', keys, { name: 'Service', access: 'organization' }),
      'rotate a key': () => attacker.request('POST', `${keys}/${keyId}/rotate`),
      'change the password': () =>
        attacker.request('POST', '/session/password', {
          currentPassword: attacker.password,
          newPassword: 'an unusual long phrase, again',
        }),
    };
    const countRows = () =>
      instance.sql(
        `SELECT (SELECT count(*) FROM operators) AS operators, (SELECT count(*) FROM api_keys) AS keys,
           (SELECT count(*) FROM operator_links) AS links, (SELECT count(*) FROM operator_sessions) AS sessions,
           (SELECT count(*) FROM operators WHERE disabled_at IS NOT NULL) AS disabled`,
      );
    const before = await countRows();
    for (const age of [null, '5 minutes 1 second']) {
      await attacker.setReauthentication(age);
      for (const [name, send] of Object.entries(actions)) {
        const { status, body } = await send();
        expect({ name, status, body }).toMatchObject({ name, ...reauthenticationRequired });
      }
    }
    expect(await countRows()).toEqual(before);
    await attacker.setReauthentication('4 minutes');
    const statuses: Record<string, number> = {};
    for (const [name, send] of Object.entries(actions)) statuses[name] = (await send()).status;
    expect(statuses).toEqual({
      invite: 201,
      'invite again': 200,
      'reset the factor': 200,
      'change the role': 200,
      enable: 200,
      disable: 200,
      'revoke sessions': 204,
      'revoke an own session': 204,
      'revoke all other sessions': 204,
      'create a key': 201,
      'rotate a key': 201,
      'change the password': 204,
    });
  });

  it('succeeds in the session that entered the code, under a new cookie, and in no other', async () => {
    const owner = await createAdmin();
    const other = await openSession(owner);
    const stolen = new OperatorClient(instance);
    stolen.cookie = owner.cookie;
    const code = nextCode(owner);
    expect(await reauthenticate(owner, code)).toMatchObject({ status: 200, body: { state: 'signed_in' } });
    expect((await sendInvitation(owner)).status).toBe(201);
    expect(await sendInvitation(other)).toMatchObject(reauthenticationRequired);
    expect(await reauthenticate(other, code)).toMatchObject(invalidCode);
    expect(await sendInvitation(stolen)).toMatchObject({
      status: 401,
      body: { code: 'operator_session_required' },
    });
    const entries = (await admin.request('GET', `/audit-log?targetId=${owner.operator.id}`)).body.data;
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'operator.reauthenticated',
        actorId: owner.operator.id,
        details: { secondFactor: 'authenticator' },
      }),
    );
  });

  it('accepts a recovery code once', async () => {
    const owner = await createAdmin();
    const code = owner.recoveryCodes[0]!;
    expect((await reauthenticate(owner, code)).status).toBe(200);
    expect((await sendInvitation(owner)).status).toBe(201);
    await owner.setReauthentication(null);
    expect(await reauthenticate(owner, code)).toMatchObject(invalidCode);
    expect(await sendInvitation(owner)).toMatchObject(reauthenticationRequired);
  });

  it('accepts a code in only one of 20 parallel requests, and rejects a code used to sign in', async () => {
    const owner = await createAdmin();
    expect(await reauthenticate(owner, owner.enrollmentCode)).toMatchObject(invalidCode);
    const other = new OperatorClient(instance);
    await other.request('POST', '/session', { email: owner.operator.email, password: owner.password });
    const code = nextCode(owner);
    expect((await other.request('POST', '/session/second-factor', { code })).status).toBe(200);
    expect(await sendInvitation(other)).toMatchObject(reauthenticationRequired);
    expect(await reauthenticate(owner, code)).toMatchObject(invalidCode);

    await instance.sql('UPDATE operators SET totp_step = 0 WHERE id = $1', [owner.operator.id]);
    const sessions = [owner, other].flatMap(({ cookie }) =>
      Array.from({ length: 10 }, () => Object.assign(new OperatorClient(instance), { cookie })),
    );
    const responses = await Promise.all(sessions.map((session) => reauthenticate(session, code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const [counted] = await instance.sql(
      `SELECT count(*)::int AS sessions FROM operator_sessions
       WHERE operator_id = $1 AND reauthenticated_at IS NOT NULL`,
      [owner.operator.id],
    );
    expect(counted).toEqual({ sessions: 1 });
  });

  it('requires a new code after a password change, and the change signs out a copied cookie', async () => {
    const owner = await createAdmin();
    expect((await reauthenticate(owner, nextCode(owner))).status).toBe(200);
    const stolen = Object.assign(new OperatorClient(instance), { cookie: owner.cookie });
    const passwords = { currentPassword: owner.password, newPassword: `${randomUUID()} phrase` };
    expect((await owner.request('POST', '/session/password', passwords)).status).toBe(204);
    expect(await sendInvitation(owner)).toMatchObject(reauthenticationRequired);
    expect((await stolen.request('GET', '/session')).body).toMatchObject({ state: 'signed_out' });
  });

  it('fails with an API key, a code of another operator, or without an authenticator', async () => {
    const [owner, other] = [await createAdmin(), await createAdmin()];
    expect(await reauthenticate(owner, nextCode(other))).toMatchObject(invalidCode);
    const anonymous = new OperatorClient(instance);
    expect(await reauthenticate(anonymous, nextCode(owner))).toMatchObject({ status: 401 });
    await instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [other.operator.id]);
    for (const send of [() => reauthenticate(other, '123456'), () => sendInvitation(other)])
      expect(await send()).toMatchObject({ status: 403, body: { code: 'factor_required' } });
    const unsigned = new OperatorClient(instance);
    await unsigned.request('POST', '/session', { email: owner.operator.email, password: owner.password });
    expect(await reauthenticate(unsigned, nextCode(owner))).toMatchObject({
      status: 401,
      body: { code: 'operator_session_required' },
    });
  });
});

describe('OP-01: a wrong code of a signed-in operator', () => {
  it('counts together with failed sign-ins, and a correct code clears none of them', async () => {
    const owner = await createAdmin();
    // A known client IP would have additional attempts.
    await instance.sql('DELETE FROM operator_addresses WHERE operator_id = $1', [owner.operator.id]);
    const { email } = owner.operator;
    const enterPassword = (password: string) =>
      new OperatorClient(instance).request('POST', '/session', { email, password });
    for (let count = 0; count < 4; count += 1) expect((await enterPassword('wrong')).status).toBe(401);
    for (let count = 0; count < 4; count += 1)
      expect(await reauthenticate(owner, `${count}`)).toMatchObject(invalidCode);
    expect((await reauthenticate(owner, nextCode(owner))).status).toBe(200);
    for (let count = 0; count < 2; count += 1)
      expect(await reauthenticate(owner, `${count}`)).toMatchObject(invalidCode);
    expect(await reauthenticate(owner, owner.recoveryCodes[0]!)).toMatchObject(tooManyAttempts);
    expect(await enterPassword(owner.password)).toMatchObject(tooManyAttempts);
  });
});
