import { randomUUID } from 'node:crypto';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { getCount } from '../support/seed-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { isNightly } from '../support/is-nightly.js';
import { createOperatorLink, runGatehouse } from '../support/run-gatehouse.js';
import { uniqueEmail } from '../support/unique-email.js';

const PASSWORD = 'an unusual long phrase';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

const invite = (email: string, role = 'viewer'): Promise<TestResponse> =>
  admin.request('POST', '/operators', { email, role });
const getToken = ({ body }: TestResponse): string =>
  new URL(body.invitationUrl as string).hash.slice('#token='.length);
const accept = (token: string, fields = {}): Promise<TestResponse> =>
  new OperatorClient(instance).request('POST', '/invitations/accept', {
    token,
    password: PASSWORD,
    ...fields,
  });
const findOperator = async (id: string) =>
  ((await admin.request('GET', '/operators?limit=200')).body.data as Record<string, unknown>[]).find(
    (each) => each['id'] === id,
  );
/** Returns the audit log entries about an operator, oldest first. */
const findAuditEntries = async (id: string): Promise<Record<string, any>[]> =>
  (await admin.request('GET', `/audit-log?targetId=${id}`)).body.data.reverse();

describe('CO-01: an invitation', () => {
  it('creates an operator through a link that works once, with the token in the fragment', async () => {
    const email = uniqueEmail();
    const invited = await invite(email, 'operator');
    expect(invited).toMatchObject({
      status: 201,
      body: {
        email,
        name: null,
        role: 'operator',
        status: 'invited',
        secondFactor: false,
        lastLoginAt: null,
      },
    });
    const url = invited.body.invitationUrl as string;
    expect(url).toMatch(new RegExp(`^${instance.baseUrl}/console/invitation#token=[A-Za-z0-9_-]{43}$`));
    expect(JSON.stringify((await admin.request('GET', '/operators')).body)).not.toContain(getToken(invited));
    expect(await invite(email.toUpperCase())).toMatchObject({ status: 409, body: { code: 'conflict' } });

    const clients = [1, 2, 3].map(() => new OperatorClient(instance));
    const body = { token: getToken(invited), name: ' Grace ', password: PASSWORD };
    const responses = await Promise.all(
      clients.map((each) => each.request('POST', '/invitations/accept', body)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const index = responses.findIndex(({ status }) => status === 200);
    expect(responses[index]!.body).toMatchObject({
      state: 'enrollment',
      operator: { email, name: 'Grace', role: 'operator' },
    });
    const client = clients[index]!;
    await client.enroll();
    expect(await findOperator(client.operator.id)).toMatchObject({
      status: 'active',
      secondFactor: true,
      name: 'Grace',
      lastLoginAt: expect.stringMatching(/Z$/),
    });
  });

  it('fails with a used, replaced, expired or unknown link', async () => {
    const used = getToken(await invite(uniqueEmail()));
    expect((await accept(used)).status).toBe(200);
    const replaced = await invite(uniqueEmail());
    const replacement = await admin.request('POST', `/operators/${replaced.body.id}/invite-again`);
    const expired = await invite(uniqueEmail());
    await instance.sql(
      `UPDATE operator_links SET expires_at = now() - interval '1 ms' WHERE operator_id = $1`,
      [expired.body.id],
    );
    for (const token of [used, getToken(replaced), getToken(expired), randomUUID(), ''])
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    expect((await accept(getToken(replacement))).status).toBe(200);
  });

  it('ends all sessions when a forgotten password is replaced, and keeps the authenticator enrolled', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const newInvitation = await admin.request('POST', `/operators/${invitee.operator.id}/invite-again`);
    expect((await accept(getToken(newInvitation), { password: `${PASSWORD} again` })).body).toMatchObject({
      state: 'second_factor',
    });
    expect((await invitee.request('GET', '/projects')).status).toBe(401);
  });
});

describe('CO-01: the command operator-link', () => {
  it('prints a link that sets a new operator password once, and audits it', async () => {
    const { operator } = await inviteOperator(admin, 'viewer');
    const url = await createOperatorLink(instance, operator.email.toUpperCase());
    expect(url.href.startsWith(`${instance.baseUrl}/console/invitation#token=`)).toBe(true);
    const token = url.hash.slice('#token='.length);
    expect(instance.api.output).not.toContain(token);
    const links = await instance.sql(
      `SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS hours, token_hash = sha256($2) AS "isHash"
       FROM operator_links WHERE operator_id = $1`,
      [operator.id, token],
    );
    expect(links).toEqual([{ hours: 1, isHash: true }]);
    const accepted = await accept(token, { password: `${PASSWORD} again` });
    expect(accepted.body).toMatchObject({ state: 'second_factor', operator: { email: operator.email } });
    expect((await accept(token)).status).toBe(400);
    expect((await findAuditEntries(operator.id)).slice(-2)).toMatchObject([
      { action: 'operator.invited', actorType: 'system', details: { again: true, by: 'command' } },
      { action: 'operator.invitation_accepted', actorId: operator.id },
    ]);
  });

  it('also removes a lost authenticator, and ends the sessions', async () => {
    const invitee = await inviteOperator(admin, 'admin');
    const url = await createOperatorLink(instance, '--reset-second-factor', invitee.operator.email);
    expect((await invitee.request('GET', '/projects')).status).toBe(401);
    const accepted = await accept(url.hash.slice('#token='.length));
    expect(accepted.body).toMatchObject({ state: 'enrollment' });
    expect((await findAuditEntries(invitee.operator.id)).map(({ action }) => action)).toContain(
      'operator.second_factor_reset',
    );
  });

  it('requires the email of an enabled operator, and an enabled console', async () => {
    const disabled = await inviteOperator(admin, 'viewer');
    await admin.request('POST', `/operators/${disabled.operator.id}/disable`);
    const expectRejected = (args: string[], code: number, stderr: string, env = {}) =>
      expect(runGatehouse(instance, ['operator-link', ...args], env)).rejects.toMatchObject({
        ...{ code, stdout: '', stderr: expect.stringContaining(stderr) },
      });
    await Promise.all([
      expectRejected([], 1, admin.operator.email),
      expectRejected([disabled.operator.email], 1, 'The operator is disabled.'),
      expectRejected([admin.operator.email], 1, 'CONSOLE=off', { CONSOLE: 'off' }),
    ]);
    // Each command starts a process, which takes a long time.
    if (!isNightly) return;
    const unknown = 'unknown@example.com';
    await expectRejected([unknown], 1, `No operator has the email address ${unknown}.`);
    await expectRejected(['--reset'], 2, 'Usage: ');
  });
});

describe('CO-01: operator management by admins', () => {
  it('applies a role immediately', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const list = () => invitee.request('GET', '/operators');
    expect(await list()).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role', requiredRole: 'admin' },
    });
    const update = (role: string) => admin.request('PATCH', `/operators/${invitee.operator.id}`, { role });
    expect((await update('admin')).body).toMatchObject({ role: 'admin' });
    expect((await list()).status).toBe(200);
    await update('operator');
    expect((await list()).status).toBe(403);
  });

  it('blocks a disabled operator immediately, until they are enabled', async () => {
    const invitee = await inviteOperator(admin, 'operator');
    const path = `/operators/${invitee.operator.id}`;
    const newInvitation = await admin.request('POST', `${path}/invite-again`);
    expect((await admin.request('POST', `${path}/disable`)).body).toMatchObject({ status: 'disabled' });
    expect((await invitee.request('GET', '/projects')).status).toBe(401);
    const credentials = { email: invitee.operator.email, password: invitee.password };
    expect(await invitee.request('POST', '/session', credentials)).toMatchObject({
      status: 403,
      body: { code: 'operator_disabled' },
    });
    expect(await invitee.request('POST', '/session', { ...credentials, password: 'x' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect((await accept(getToken(newInvitation))).status).toBe(400);
    expect((await admin.request('POST', `${path}/invite-again`)).status).toBe(409);
    expect((await admin.request('POST', `${path}/enable`)).body).toMatchObject({ status: 'active' });
    expect((await invitee.request('POST', '/session', credentials)).body.state).toBe('second_factor');
  });

  it('resets a lost authenticator, so that the operator can enroll a new one with the password', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const { body } = await admin.request('POST', `/operators/${invitee.operator.id}/reset-second-factor`);
    expect(body).toMatchObject({ secondFactor: false });
    expect((await invitee.request('GET', '/projects')).status).toBe(401);
    const { operator, password } = invitee;
    expect((await invitee.request('POST', '/session', { email: operator.email, password })).body.state).toBe(
      'enrollment',
    );
    expect((await invitee.enroll()).status).toBe(200);
  });

  it('lists sessions with their state, and ends them', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const { operator, password } = invitee;
    await new OperatorClient(instance).request('POST', '/session', { email: operator.email, password });
    const path = `/operators/${operator.id}/sessions`;
    const sessions = [{ state: 'second_factor' }, { state: 'signed_in', ip: '127.0.0.1', current: false }];
    expect((await admin.request('GET', path)).body).toMatchObject({ data: sessions, hasMore: false });
    const adminSessions = (await admin.request('GET', `/operators/${admin.operator.id}/sessions`)).body.data;
    expect((adminSessions as { current: boolean }[]).filter(({ current }) => current)).toHaveLength(1);
    expect((await admin.request('DELETE', path)).status).toBe(204);
    expect((await invitee.request('GET', '/projects')).status).toBe(401);
    expect((await admin.request('GET', path)).body.data).toEqual([]);
  });

  it('allows operators to list only their own sessions, and to revoke one or all others', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const { email } = invitee.operator;
    const signInAgain = (): Promise<OperatorClient> =>
      signIn(instance, { email, password: invitee.password });
    const [phone, tablet, laptop] = [await signInAgain(), await signInAgain(), await signInAgain()];
    const listSessions = async (): Promise<{ id: string; current: boolean }[]> =>
      (await invitee.request('GET', '/session/sessions')).body.data;
    const before = await listSessions();
    expect(before.map(({ current }) => current)).toEqual([false, false, false, true]);
    const adminSessions = (await admin.request('GET', '/session/sessions')).body.data as { id: string }[];
    for (const id of [adminSessions[0]!.id, randomUUID()])
      expect(await invitee.request('DELETE', `/session/sessions/${id}`)).toMatchObject({ status: 404 });
    expect((await admin.request('GET', '/session/sessions')).body.data).toHaveLength(adminSessions.length);

    const getState = async (client: OperatorClient) => (await client.request('GET', '/session')).body.state;
    expect(await invitee.request('DELETE', `/session/sessions/${before[2]!.id}`)).toMatchObject({
      status: 204,
    });
    expect(await Promise.all([phone, tablet, laptop].map(getState))).toEqual([
      'signed_out',
      'signed_in',
      'signed_in',
    ]);
    expect(await invitee.request('DELETE', '/session/sessions')).toMatchObject({ status: 204 });
    expect(await Promise.all([invitee, tablet, laptop].map(getState))).toEqual([
      'signed_in',
      'signed_out',
      'signed_out',
    ]);
    expect(await listSessions()).toEqual([expect.objectContaining({ id: before[3]!.id, current: true })]);
    const ended = (await findAuditEntries(invitee.operator.id)).filter(({ action }) =>
      action.endsWith('revoked'),
    );
    expect(ended.map(({ details }) => details)).toEqual([{ ended: 1 }, { ended: 2 }]);
  });

  it("OP-01: rejects an admin's changes of their own access, even if there is a second admin", async () => {
    const self = await inviteOperator(admin, 'admin');
    const path = `/operators/${self.operator.id}`;
    const before = await findOperator(self.operator.id);
    for (const action of ['invite-again', 'reset-second-factor', 'enable', 'disable']) {
      const response = await self.request('POST', `${path}/${action}`);
      expect([action, response.status, response.body.code]).toEqual([action, 409, 'conflict']);
    }
    for (const role of ['operator', 'viewer'])
      expect(await self.request('PATCH', path, { role, name: 'Eve' })).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: 'You cannot change your own role.' },
      });
    expect(
      await self.request('POST', '/operators', { email: self.operator.email, role: 'admin' }),
    ).toMatchObject({
      status: 409,
    });
    expect(await findOperator(self.operator.id)).toEqual(before);
    expect((await self.request('PATCH', path, { role: 'admin', name: 'Eve' })).body).toMatchObject({
      role: 'admin',
      name: 'Eve',
    });
    const actions = (await findAuditEntries(self.operator.id)).map(({ action }) => action);
    expect(actions.slice(actions.indexOf('operator.signed_in') + 1)).toEqual(['operator.updated']);
  });

  it('finds and counts operators by id, or by part of their email or name', async () => {
    const marker = randomUUID().slice(0, 8);
    const { id } = (await invite(`ada-${marker}@example.com`)).body;
    const namedId = (await invite(uniqueEmail())).body.id;
    await admin.request('PATCH', `/operators/${namedId}`, { name: `Grace ${marker} Hopper` });
    const search = async (q: string): Promise<string[]> => {
      const { data } = (await admin.request('GET', `/operators?${new URLSearchParams({ q })}`)).body;
      expect(await getCount(admin, '/operators', { q })).toEqual({ count: data.length, isMore: false });
      return data.map((each: { id: string }) => each.id);
    };
    expect(await search(marker.toUpperCase())).toEqual([namedId, id]);
    expect(await search(`${marker} hop`)).toEqual([namedId]);
    expect(await search(`${marker}@EXAMPLE`)).toEqual([id]);
    expect(await search(id)).toEqual([id]);
    for (const text of ['%', `_${marker.slice(1)}@`, randomUUID()]) expect(await search(text)).toEqual([]);
    const [{ count }] = (await instance.sql('SELECT count(*)::int AS count FROM operators')) as [
      { count: number },
    ];
    expect(await getCount(admin, '/operators')).toEqual({ count, isMore: false });
    const viewer = await inviteOperator(admin, 'viewer');
    expect(await viewer.request('GET', '/operators/count')).toMatchObject({ status: 403 });
  });

  it('records each change in the audit log with its actor, hidden from API keys', async () => {
    const invitee = await inviteOperator(admin, 'viewer');
    const { id } = invitee.operator;
    await admin.request('PATCH', `/operators/${id}`, { role: 'operator', name: 'Grace' });
    await admin.request('PATCH', `/operators/${id}`, { role: 'operator' });
    await admin.request('POST', `/operators/${id}/disable`);
    await admin.request('POST', `/operators/${id}/enable`);
    await admin.request('POST', `/operators/${id}/reset-second-factor`);
    const entries = await findAuditEntries(id);
    const [byAdmin, bySelf] = [admin.operator.id, id];
    expect(entries.map((entry) => [entry['action'], entry['actorId']])).toEqual([
      ['operator.invited', byAdmin],
      ['operator.invitation_accepted', bySelf],
      ['operator.second_factor_enrolled', bySelf],
      ['operator.signed_in', bySelf],
      ['operator.updated', byAdmin],
      ['operator.disabled', byAdmin],
      ['operator.enabled', byAdmin],
      ['operator.second_factor_reset', byAdmin],
    ]);
    expect(entries[4]).toMatchObject({
      details: { changed: ['role', 'name'], from: 'viewer', to: 'operator' },
    });
    const stored = await instance.sql(
      'SELECT row_to_json(a)::text AS line FROM audit_log a WHERE target_id = $1',
      [id],
    );
    expect(JSON.stringify(stored)).not.toContain(invitee.operator.email);
    expect(
      (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body.data,
    ).toEqual([]);
  });

  it("records an operator's changes, such as a key with a higher limit, for the organization", async () => {
    const { organizationId, projectId } = instance.credentials;
    const { body } = await admin.request('POST', `/projects/${projectId}/api-keys`, {
      name: 'By hand',
      rateLimit: 10_000,
    });
    expect(body.rateLimit).toBe(10_000);
    const { data } = (
      await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${body.id as string}`)
    ).body;
    expect(data).toMatchObject([
      { actorType: 'operator', actorId: admin.operator.id, organizationId, projectId },
    ]);
  });
});

describe('CO-01: the last active admin', () => {
  let lastAdmin: OperatorClient;
  beforeAll(async () => {
    lastAdmin = admin;
    await instance.sql(`UPDATE operators SET role = 'viewer' WHERE id <> $1`, [lastAdmin.operator.id]);
  });

  it('gets 409 when demoting or disabling their own account', async () => {
    const path = `/operators/${lastAdmin.operator.id}`;
    // An invited or disabled admin does not count as active.
    await lastAdmin.request('POST', '/operators', { email: uniqueEmail(), role: 'admin' });
    const disabled = await inviteOperator(lastAdmin, 'admin');
    await lastAdmin.request('POST', `/operators/${disabled.operator.id}/disable`);
    expect(await lastAdmin.request('PATCH', path, { role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    });
    expect(await lastAdmin.request('POST', `${path}/disable`)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await lastAdmin.request('PATCH', path, { role: 'admin', name: 'Ada' })).body).toMatchObject({
      name: 'Ada',
    });
  });

  it('remains if two admins disable each other concurrently', async () => {
    const second = await inviteOperator(lastAdmin, 'admin');
    const responses = await Promise.all([
      lastAdmin.request('POST', `/operators/${second.operator.id}/disable`),
      second.request('POST', `/operators/${lastAdmin.operator.id}/disable`),
    ]);
    expect(responses.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const [remaining] = await instance.sql(
      `SELECT count(*)::int AS count FROM operators
       WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL`,
    );
    expect(remaining!['count']).toBe(1);
  });
});
