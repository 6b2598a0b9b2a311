import { createHash, randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

const COOKIE = '__Host-gatehouse_operator';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

type Somebody = Awaited<ReturnType<typeof inviteOperator>>;
const newOperator = (role = 'viewer'): Promise<Somebody> => inviteOperator(admin, role);

/** Their password alone. */
async function halfWay({ operator, password }: Somebody): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  const { body } = await client.request('POST', '/session', { email: operator.email, password });
  expect(body).toMatchObject({ state: 'second_factor', operator: { id: operator.id } });
  return client;
}

const enterCode = (client: OperatorClient, code: string): Promise<TestResponse> =>
  client.request('POST', '/session/second-factor', { code });
const stateOf = async (client: OperatorClient): Promise<string> =>
  (await client.request('GET', '/session')).body.state as string;
const opens = async (client: OperatorClient): Promise<boolean> =>
  (await client.request('GET', '/projects')).status === 200;
/** The entries of an action of the audit log about an operator. */
const audited = async ({ operator }: OperatorClient, action: string): Promise<Record<string, unknown>[]> =>
  (await admin.request('GET', `/audit-log?targetId=${operator.id}&action=${action}`)).body.data;
const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest();

/** What an answer tells, but for what differs from request to request. */
const told = ({ status, headers, body }: TestResponse) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
  body: { ...body, requestId: '…' },
});

describe('CO-01: the session of an operator', () => {
  it('is in a __Host- cookie that no script reads and no other site sends', async () => {
    const answer = await new OperatorClient(instance).request(
      'POST',
      '/session',
      instance.credentials.operator,
    );
    const [set] = answer.headers.getSetCookie();
    expect(set).toMatch(new RegExp(`^${COOKIE}=[A-Za-z0-9_-]{43}; `));
    const attributes = set!.split('; ').slice(1).sort();
    expect(attributes).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(JSON.stringify(answer.body)).not.toContain(set!.slice(COOKIE.length + 1).split(';')[0]);
  });

  it('opens nothing before its second factor', async () => {
    const client = await halfWay(await newOperator());
    expect(await client.request('GET', '/projects')).toMatchObject({
      status: 401,
      body: { code: 'operator_session_required' },
    });
    expect(await client.request('POST', '/session/enrollment')).toMatchObject({ status: 401 });
    expect(await client.request('POST', '/session/enrollment/confirm', { code: '000000' })).toMatchObject({
      status: 401,
      body: { code: 'operator_session_required' },
    });
  });

  it('has another value at each stage, never one that the client chose, and no earlier one is valid', async () => {
    const somebody = await newOperator();
    const client = new OperatorClient(instance);
    const values = [(client.cookie = randomBytes(32).toString('base64url'))];
    expect(await stateOf(client)).toBe('signed_out');
    const credentials = { email: somebody.operator.email, password: somebody.password };
    await client.request('POST', '/session', credentials);
    values.push(client.cookie);
    expect(await enterCode(client, totpCode(somebody.secret, 1))).toMatchObject({
      status: 200,
      body: { state: 'signed_in', operator: { email: somebody.operator.email, role: 'viewer' } },
    });
    values.push(client.cookie);
    expect(await opens(client)).toBe(true);
    // Another sign-in replaces it.
    await client.request('POST', '/session', credentials);
    expect(new Set([...values, client.cookie]).size).toBe(4);
    for (const value of values) {
      client.cookie = value;
      expect(await stateOf(client)).toBe('signed_out');
    }
    expect(await audited(somebody, 'operator.signed_out')).toHaveLength(1);
  });

  it('ends on the server at sign-out, which is audited where somebody was signed in', async () => {
    const somebody = await newOperator();
    const half = await halfWay(somebody);
    expect((await half.request('DELETE', '/session')).status).toBe(204);
    expect(await audited(somebody, 'operator.signed_out')).toEqual([]);
    const { cookie } = somebody;
    const answer = await somebody.request('DELETE', '/session');
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(new RegExp(`^${COOKIE}=; Max-Age=0`));
    somebody.cookie = cookie;
    expect([await stateOf(somebody), await opens(somebody)]).toEqual(['signed_out', false]);
    expect((await somebody.request('DELETE', '/session')).status).toBe(204);
    expect(await audited(somebody, 'operator.signed_out')).toMatchObject([
      { actorType: 'operator', actorId: somebody.operator.id },
    ]);
  });

  it('ends after 30 minutes without a request, not after 29, and after 12 hours, however busy', async () => {
    const found: Record<string, unknown> = {};
    for (const change of [
      `last_seen_at = now() - interval '30 minutes 1 second'`,
      `last_seen_at = now() - interval '29 minutes'`,
      `ends_at = now() - interval '1 second'`,
    ]) {
      const somebody = await newOperator();
      await instance.sql(`UPDATE operator_sessions SET ${change} WHERE token_hash = $1`, [
        hashOf(somebody.cookie!),
      ]);
      found[change] = [await opens(somebody), await stateOf(somebody)];
    }
    expect(Object.values(found)).toEqual([
      [false, 'signed_out'],
      [true, 'signed_in'],
      [false, 'signed_out'],
    ]);
  });

  it('lasts 12 hours from signing in, half an hour before that, and says until when', async () => {
    const somebody = await newOperator();
    const span = async (client: OperatorClient) => {
      const [row] = await instance.sql<{ seconds: number }>(
        `SELECT extract(epoch FROM ends_at - created_at)::int AS seconds FROM operator_sessions WHERE token_hash = $1`,
        [hashOf(client.cookie!)],
      );
      return row!.seconds;
    };
    expect(await span(somebody)).toBe(12 * 3600);
    expect(await span(await halfWay(somebody))).toBe(1800);
    const { expiresAt } = (await somebody.request('GET', '/session')).body;
    const [seen] = await instance.sql<{ at: Date }>(
      `SELECT last_seen_at AS at FROM operator_sessions WHERE token_hash = $1`,
      [hashOf(somebody.cookie!)],
    );
    expect(Date.parse(expiresAt as string) - seen!.at.getTime()).toBe(1_800_000);
  });

  it('notes its use once a minute, and not what a page requests by itself', async () => {
    const somebody = await newOperator();
    const update = (age: string) =>
      instance.sql(
        `UPDATE operator_sessions SET last_seen_at = now() - interval '${age}' WHERE token_hash = $1`,
        [hashOf(somebody.cookie!)],
      );
    const row = async () => {
      const [found] = await instance.sql<{ version: string; idle: number }>(
        `SELECT xmin::text AS version, extract(epoch FROM now() - last_seen_at)::int AS idle
         FROM operator_sessions WHERE token_hash = $1`,
        [hashOf(somebody.cookie!)],
      );
      return found!;
    };
    const { version } = await row();
    for (let index = 0; index < 5; index += 1) expect(await opens(somebody)).toBe(true);
    expect((await row()).version).toBe(version);

    await update('61 seconds');
    const request = (value: string): Promise<TestResponse> =>
      somebody.request('GET', '/projects', undefined, { 'x-gatehouse-console': value });
    for (let index = 0; index < 5; index += 1) expect((await request('resting')).status).toBe(200);
    expect((await row()).idle).toBeGreaterThanOrEqual(61);
    expect((await request('1')).status).toBe(200);
    await eventually('the use of the session is noted', async () => (await row()).idle < 61);
  });

  it('is stored as a hash, the authenticator encrypted and the recovery codes keyed', async () => {
    const somebody = await newOperator();
    const rows = await instance.sql(
      `SELECT row_to_json(s)::text AS session, row_to_json(o)::text AS operator,
              encode(o.totp_secret, 'escape') AS secret, o.recovery_codes AS codes
       FROM operators o JOIN operator_sessions s ON s.operator_id = o.id WHERE o.id = $1`,
      [somebody.operator.id],
    );
    const text = JSON.stringify(rows);
    for (const value of [somebody.cookie!, somebody.secret, somebody.password, ...somebody.recoveryCodes])
      expect(text).not.toContain(value);
    const codes = rows[0]!['codes'] as Buffer[];
    expect(codes).toHaveLength(10);
    expect(codes).not.toContainEqual(hashOf(somebody.recoveryCodes[0]!));
  });
});

describe('CO-01: the password of an operator', () => {
  it('is refused alike whether it is wrong, nobody has the address, or they are only invited', async () => {
    const [known, invited] = [await newOperator(), uniqueEmail()];
    await admin.request('POST', '/operators', { email: invited, role: 'viewer' });
    const answers = await Promise.all(
      [known.operator.email, invited, uniqueEmail()].map((email) =>
        new OperatorClient(instance).request('POST', '/session', { email, password: 'not the password' }),
      ),
    );
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect(told(answers[1]!)).toEqual(told(answers[0]!));
    expect(told(answers[2]!)).toEqual(told(answers[0]!));
  });

  it("is not a customer's", async () => {
    const [email, password] = [uniqueEmail(), 'an unusual long phrase'];
    await instance.register(email, { password });
    const answer = await new OperatorClient(instance).request('POST', '/session', { email, password });
    expect(answer.status).toBe(401);
  });

  it('is changed by whoever knows it, and signs out everywhere else', async () => {
    const somebody = await newOperator();
    const other = await halfWay(somebody);
    await enterCode(other, somebody.recoveryCodes[0]!);
    const change = (currentPassword: string, newPassword: string) =>
      somebody.request('POST', '/session/password', { currentPassword, newPassword });
    const fresh = 'quite another unusual phrase';
    expect(await change('not the password', fresh)).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect(await change(somebody.password, 'short one')).toMatchObject({
      status: 422,
      body: { code: 'weak_password', reasons: ['too_short'] },
    });
    expect(await change(somebody.password, somebody.password)).toMatchObject({ status: 400 });
    expect((await change(somebody.password, fresh)).status).toBe(204);
    expect([await opens(somebody), await opens(other)]).toEqual([true, false]);
    await expect(halfWay(somebody)).rejects.toThrow();
    await halfWay(Object.assign(somebody, { password: fresh }));
  });

  it('is refused when it is weak, and the link stays good', async () => {
    const email = uniqueEmail();
    const { body } = await admin.request('POST', '/operators', { email, role: 'viewer' });
    const token = new URLSearchParams(new URL(body.invitationUrl as string).hash.slice(1)).get('token');
    const accept = (chosen: string) =>
      new OperatorClient(instance).request('POST', '/invitations/accept', { token, password: chosen });
    for (const [reason, password] of [
      ['too_common', 'passwordpassword'],
      ['too_short', 'eleven char'],
      ['contains_personal_data', email],
    ] as const) {
      expect(await accept(password)).toMatchObject({
        status: 422,
        body: { code: 'weak_password', reasons: [reason] },
      });
    }
    expect((await accept('an unusual long phrase')).status).toBe(200);
  });
});
