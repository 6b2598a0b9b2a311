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

type InvitedOperator = Awaited<ReturnType<typeof inviteOperator>>;
const newOperator = (role = 'viewer'): Promise<InvitedOperator> => inviteOperator(admin, role);

/** Signs in with the password only. */
async function enterPassword({ operator, password }: InvitedOperator): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  const { body } = await client.request('POST', '/session', { email: operator.email, password });
  expect(body).toMatchObject({ state: 'second_factor', operator: { id: operator.id } });
  return client;
}

const enterCode = (client: OperatorClient, code: string): Promise<TestResponse> =>
  client.request('POST', '/session/second-factor', { code });
const getState = async (client: OperatorClient): Promise<string> =>
  (await client.request('GET', '/session')).body.state as string;
const hasAccess = async (client: OperatorClient): Promise<boolean> =>
  (await client.request('GET', '/projects')).status === 200;
/** Returns the audit log entries for an action on an operator. */
const findAuditEntries = async (
  { operator }: OperatorClient,
  action: string,
): Promise<Record<string, unknown>[]> =>
  (await admin.request('GET', `/audit-log?targetId=${operator.id}&action=${action}`)).body.data;
const hashToken = (value: string): Buffer => createHash('sha256').update(value).digest();

/** Returns the response without the parts that differ in every request. */
const normalizeResponse = ({ status, headers, body }: TestResponse) => ({
  status,
  headers: Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))),
  body: { ...body, requestId: '…' },
});

describe('CO-01: the session of an operator', () => {
  it('uses a __Host- cookie with HttpOnly and SameSite=Strict', async () => {
    const response = await new OperatorClient(instance).request(
      'POST',
      '/session',
      instance.credentials.operator,
    );
    const [setCookie] = response.headers.getSetCookie();
    expect(setCookie).toMatch(new RegExp(`^${COOKIE}=[A-Za-z0-9_-]{43}; `));
    const attributes = setCookie!.split('; ').slice(1).sort();
    expect(attributes).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(JSON.stringify(response.body)).not.toContain(setCookie!.slice(COOKIE.length + 1).split(';')[0]);
  });

  it('grants no access before the second factor', async () => {
    const client = await enterPassword(await newOperator());
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

  it('has a new server-generated value at each stage, and earlier values are invalid', async () => {
    const invitee = await newOperator();
    const client = new OperatorClient(instance);
    const values = [(client.cookie = randomBytes(32).toString('base64url'))];
    expect(await getState(client)).toBe('signed_out');
    const credentials = { email: invitee.operator.email, password: invitee.password };
    await client.request('POST', '/session', credentials);
    values.push(client.cookie);
    expect(await enterCode(client, totpCode(invitee.secret, 1))).toMatchObject({
      status: 200,
      body: { state: 'signed_in', operator: { email: invitee.operator.email, role: 'viewer' } },
    });
    values.push(client.cookie);
    expect(await hasAccess(client)).toBe(true);
    // Another sign-in replaces the session.
    await client.request('POST', '/session', credentials);
    expect(new Set([...values, client.cookie]).size).toBe(4);
    for (const value of values) {
      client.cookie = value;
      expect(await getState(client)).toBe('signed_out');
    }
    expect(await findAuditEntries(invitee, 'operator.signed_out')).toHaveLength(1);
  });

  it('ends on the server at sign-out; the sign-out is audited if the operator was signed in', async () => {
    const invitee = await newOperator();
    const incomplete = await enterPassword(invitee);
    expect((await incomplete.request('DELETE', '/session')).status).toBe(204);
    expect(await findAuditEntries(invitee, 'operator.signed_out')).toEqual([]);
    const { cookie } = invitee;
    const response = await invitee.request('DELETE', '/session');
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()[0]).toMatch(new RegExp(`^${COOKIE}=; Max-Age=0`));
    invitee.cookie = cookie;
    expect([await getState(invitee), await hasAccess(invitee)]).toEqual(['signed_out', false]);
    expect((await invitee.request('DELETE', '/session')).status).toBe(204);
    expect(await findAuditEntries(invitee, 'operator.signed_out')).toMatchObject([
      { actorType: 'operator', actorId: invitee.operator.id },
    ]);
  });

  it('ends after 30 minutes without a request, not 29, and after 12 hours despite activity', async () => {
    const found: Record<string, unknown> = {};
    for (const change of [
      `last_seen_at = now() - interval '30 minutes 1 second'`,
      `last_seen_at = now() - interval '29 minutes'`,
      `ends_at = now() - interval '1 second'`,
    ]) {
      const invitee = await newOperator();
      await instance.sql(`UPDATE operator_sessions SET ${change} WHERE token_hash = $1`, [
        hashToken(invitee.cookie!),
      ]);
      found[change] = [await hasAccess(invitee), await getState(invitee)];
    }
    expect(Object.values(found)).toEqual([
      [false, 'signed_out'],
      [true, 'signed_in'],
      [false, 'signed_out'],
    ]);
  });

  it('lasts half an hour until the sign-in is completed, then 12 hours, and returns its expiry', async () => {
    const invitee = await newOperator();
    const span = async (client: OperatorClient) => {
      const [row] = await instance.sql<{ seconds: number }>(
        `SELECT extract(epoch FROM ends_at - created_at)::int AS seconds FROM operator_sessions WHERE token_hash = $1`,
        [hashToken(client.cookie!)],
      );
      return row!.seconds;
    };
    expect(await span(invitee)).toBe(12 * 3600);
    expect(await span(await enterPassword(invitee))).toBe(1800);
    const { expiresAt, expiresIn, endsIn } = (await invitee.request('GET', '/session')).body;
    const [seen] = await instance.sql<{ at: Date }>(
      `SELECT last_seen_at AS at FROM operator_sessions WHERE token_hash = $1`,
      [hashToken(invitee.cookie!)],
    );
    expect(Date.parse(expiresAt as string) - seen!.at.getTime()).toBe(1_800_000);
    // Both values refer to the same moment, in seconds.
    expect([1800 - expiresIn, 12 * 3600 - endsIn]).toEqual([expect.any(Number), 1800 - expiresIn]);
    const remaining = async (change: string) => {
      await instance.sql(`UPDATE operator_sessions SET ${change} WHERE token_hash = $1`, [
        hashToken(invitee.cookie!),
      ]);
      const { body } = await invitee.request('GET', '/session');
      return [Math.ceil(body.expiresIn / 600), Math.ceil(body.endsIn / 600)];
    };
    expect(await remaining(`last_seen_at = now() - interval '15 minutes'`)).toEqual([2, 72]);
    expect(await remaining(`ends_at = now() + interval '5 minutes'`)).toEqual([1, 1]);
  });

  it('records its use once a minute, except for background requests of a page', async () => {
    const invitee = await newOperator();
    const update = (age: string) =>
      instance.sql(
        `UPDATE operator_sessions SET last_seen_at = now() - interval '${age}' WHERE token_hash = $1`,
        [hashToken(invitee.cookie!)],
      );
    const row = async () => {
      const [found] = await instance.sql<{ version: string; idle: number }>(
        `SELECT xmin::text AS version, extract(epoch FROM now() - last_seen_at)::int AS idle
         FROM operator_sessions WHERE token_hash = $1`,
        [hashToken(invitee.cookie!)],
      );
      return found!;
    };
    const { version } = await row();
    for (let index = 0; index < 5; index += 1) expect(await hasAccess(invitee)).toBe(true);
    expect((await row()).version).toBe(version);

    await update('61 seconds');
    const request = (value: string): Promise<TestResponse> =>
      invitee.request('GET', '/projects', undefined, { 'x-gatehouse-console': value });
    for (let index = 0; index < 5; index += 1) expect((await request('resting')).status).toBe(200);
    expect((await row()).idle).toBeGreaterThanOrEqual(61);
    expect((await request('1')).status).toBe(200);
    await eventually('the recorded use of the session', async () => (await row()).idle < 61);
  });

  it('stores a hash of its cookie, an encrypted authenticator and keyed recovery code hashes', async () => {
    const invitee = await newOperator();
    const rows = await instance.sql(
      `SELECT row_to_json(s)::text AS session, row_to_json(o)::text AS operator,
              encode(o.totp_secret, 'escape') AS secret, o.recovery_codes AS codes
       FROM operators o JOIN operator_sessions s ON s.operator_id = o.id WHERE o.id = $1`,
      [invitee.operator.id],
    );
    const text = JSON.stringify(rows);
    for (const value of [invitee.cookie!, invitee.secret, invitee.password, ...invitee.recoveryCodes])
      expect(text).not.toContain(value);
    const codes = rows[0]!['codes'] as Buffer[];
    expect(codes).toHaveLength(10);
    expect(codes).not.toContainEqual(hashToken(invitee.recoveryCodes[0]!));
  });
});

describe('CO-01: the password of an operator', () => {
  it('fails identically if it is wrong, the email is unknown or the operator is invited', async () => {
    const [known, invited] = [await newOperator(), uniqueEmail()];
    await admin.request('POST', '/operators', { email: invited, role: 'viewer' });
    const responses = await Promise.all(
      [known.operator.email, invited, uniqueEmail()].map((email) =>
        new OperatorClient(instance).request('POST', '/session', { email, password: 'not the password' }),
      ),
    );
    expect(responses[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect(normalizeResponse(responses[1]!)).toEqual(normalizeResponse(responses[0]!));
    expect(normalizeResponse(responses[2]!)).toEqual(normalizeResponse(responses[0]!));
  });

  it("stays independent of a customer's password", async () => {
    const [email, password] = [uniqueEmail(), 'an unusual long phrase'];
    await instance.register(email, { password });
    const response = await new OperatorClient(instance).request('POST', '/session', { email, password });
    expect(response.status).toBe(401);
  });

  it('changes only with the current password, and the change ends all other sessions', async () => {
    const invitee = await newOperator();
    const other = await enterPassword(invitee);
    await enterCode(other, invitee.recoveryCodes[0]!);
    const change = (currentPassword: string, newPassword: string) =>
      invitee.request('POST', '/session/password', { currentPassword, newPassword });
    const newPhrase = 'quite another unusual phrase';
    expect(await change('not the password', newPhrase)).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect(await change(invitee.password, 'short one')).toMatchObject({
      status: 422,
      body: { code: 'weak_password', reasons: ['too_short'] },
    });
    expect(await change(invitee.password, invitee.password)).toMatchObject({ status: 400 });
    expect((await change(invitee.password, newPhrase)).status).toBe(204);
    expect([await hasAccess(invitee), await hasAccess(other)]).toEqual([true, false]);
    await expect(enterPassword(invitee)).rejects.toThrow();
    await enterPassword(Object.assign(invitee, { password: newPhrase }));
  });

  it('causes an error if it is weak, and the invitation link stays valid', async () => {
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
