import { randomUUID } from 'node:crypto';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { getCount } from '../support/seed-instance.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
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
const tokenOf = ({ body }: TestResponse): string =>
  new URL(body.invitationUrl as string).hash.slice('#token='.length);
const accept = (token: string, more = {}): Promise<TestResponse> =>
  new OperatorClient(instance).request('POST', '/invitations/accept', { token, password: PASSWORD, ...more });
const find = async (id: string) =>
  ((await admin.request('GET', '/operators?limit=200')).body.data as Record<string, unknown>[]).find(
    (each) => each['id'] === id,
  );
/** The entries of the audit log about an operator, oldest first. */
const audited = async (id: string): Promise<Record<string, any>[]> =>
  (await admin.request('GET', `/audit-log?targetId=${id}`)).body.data.reverse();

describe('CO-01: inviting', () => {
  it('creates an operator by a link that is shown once and works once, with the token behind the #', async () => {
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
    expect(JSON.stringify((await admin.request('GET', '/operators')).body)).not.toContain(tokenOf(invited));
    expect(await invite(email.toUpperCase())).toMatchObject({ status: 409, body: { code: 'conflict' } });

    const clients = [1, 2, 3].map(() => new OperatorClient(instance));
    const body = { token: tokenOf(invited), name: ' Grace ', password: PASSWORD };
    const answers = await Promise.all(
      clients.map((each) => each.request('POST', '/invitations/accept', body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const index = answers.findIndex(({ status }) => status === 200);
    expect(answers[index]!.body).toMatchObject({
      state: 'enrollment',
      operator: { email, name: 'Grace', role: 'operator' },
    });
    const client = clients[index]!;
    await client.enroll();
    expect(await find(client.operator.id)).toMatchObject({
      status: 'active',
      secondFactor: true,
      name: 'Grace',
      lastLoginAt: expect.stringMatching(/Z$/),
    });
  });

  it('refuses a link that is used, replaced, expired or unknown', async () => {
    const used = tokenOf(await invite(uniqueEmail()));
    expect((await accept(used)).status).toBe(200);
    const replaced = await invite(uniqueEmail());
    const next = await admin.request('POST', `/operators/${replaced.body.id}/invite-again`);
    const expired = await invite(uniqueEmail());
    await instance.sql(`UPDATE operator_links SET expires_at = now() WHERE operator_id = $1`, [
      expired.body.id,
    ]);
    for (const token of [used, tokenOf(replaced), tokenOf(expired), randomUUID(), ''])
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
    expect((await accept(tokenOf(next))).status).toBe(200);
  });

  it('somebody who forgot their password ends their sessions and keeps their authenticator', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const again = await admin.request('POST', `/operators/${somebody.operator.id}/invite-again`);
    expect((await accept(tokenOf(again), { password: `${PASSWORD} again` })).body).toMatchObject({
      state: 'second_factor',
    });
    expect((await somebody.request('GET', '/projects')).status).toBe(401);
  });
});

describe('CO-01: what admins do about operators', () => {
  it('a role acts at once', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const list = () => somebody.request('GET', '/operators');
    expect(await list()).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role', requiredRole: 'admin' },
    });
    const update = (role: string) => admin.request('PATCH', `/operators/${somebody.operator.id}`, { role });
    expect((await update('admin')).body).toMatchObject({ role: 'admin' });
    expect((await list()).status).toBe(200);
    await update('operator');
    expect((await list()).status).toBe(403);
  });

  it('one who is disabled is out at once, until enabled', async () => {
    const somebody = await inviteOperator(admin, 'operator');
    const path = `/operators/${somebody.operator.id}`;
    const again = await admin.request('POST', `${path}/invite-again`);
    expect((await admin.request('POST', `${path}/disable`)).body).toMatchObject({ status: 'disabled' });
    expect((await somebody.request('GET', '/projects')).status).toBe(401);
    const credentials = { email: somebody.operator.email, password: somebody.password };
    expect(await somebody.request('POST', '/session', credentials)).toMatchObject({
      status: 403,
      body: { code: 'operator_disabled' },
    });
    expect(await somebody.request('POST', '/session', { ...credentials, password: 'x' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect((await accept(tokenOf(again))).status).toBe(400);
    expect((await admin.request('POST', `${path}/invite-again`)).status).toBe(409);
    expect((await admin.request('POST', `${path}/enable`)).body).toMatchObject({ status: 'active' });
    expect((await somebody.request('POST', '/session', credentials)).body.state).toBe('second_factor');
  });

  it('a lost authenticator is replaced by another, with the password', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { body } = await admin.request('POST', `/operators/${somebody.operator.id}/reset-second-factor`);
    expect(body).toMatchObject({ secondFactor: false });
    expect((await somebody.request('GET', '/projects')).status).toBe(401);
    const { operator, password } = somebody;
    expect((await somebody.request('POST', '/session', { email: operator.email, password })).body.state).toBe(
      'enrollment',
    );
    expect((await somebody.enroll()).status).toBe(200);
  });

  it('sessions are listed, with what they still lack, and ended', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { operator, password } = somebody;
    await new OperatorClient(instance).request('POST', '/session', { email: operator.email, password });
    const path = `/operators/${operator.id}/sessions`;
    const sessions = [{ state: 'second_factor' }, { state: 'signed_in', ip: '127.0.0.1', current: false }];
    expect((await admin.request('GET', path)).body).toMatchObject({ data: sessions, hasMore: false });
    const own = (await admin.request('GET', `/operators/${admin.operator.id}/sessions`)).body.data;
    expect((own as { current: boolean }[]).filter(({ current }) => current)).toHaveLength(1);
    expect((await admin.request('DELETE', path)).status).toBe(204);
    expect((await somebody.request('GET', '/projects')).status).toBe(401);
    expect((await admin.request('GET', path)).body.data).toEqual([]);
  });

  it('own sessions are seen and ended by their owner, one or all others, and by no other operator', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { email } = somebody.operator;
    const again = (): Promise<OperatorClient> => signIn(instance, { email, password: somebody.password });
    const [phone, tablet, laptop] = [await again(), await again(), await again()];
    const listed = async (): Promise<{ id: string; current: boolean }[]> =>
      (await somebody.request('GET', '/session/sessions')).body.data;
    const before = await listed();
    expect(before.map(({ current }) => current)).toEqual([false, false, false, true]);
    const ofAdmin = (await admin.request('GET', '/session/sessions')).body.data as { id: string }[];
    for (const id of [ofAdmin[0]!.id, randomUUID()])
      expect(await somebody.request('DELETE', `/session/sessions/${id}`)).toMatchObject({ status: 404 });
    expect((await admin.request('GET', '/session/sessions')).body.data).toHaveLength(ofAdmin.length);

    const stateOf = async (client: OperatorClient) => (await client.request('GET', '/session')).body.state;
    expect(await somebody.request('DELETE', `/session/sessions/${before[2]!.id}`)).toMatchObject({
      status: 204,
    });
    expect(await Promise.all([phone, tablet, laptop].map(stateOf))).toEqual([
      'signed_out',
      'signed_in',
      'signed_in',
    ]);
    expect(await somebody.request('DELETE', '/session/sessions')).toMatchObject({ status: 204 });
    expect(await Promise.all([somebody, tablet, laptop].map(stateOf))).toEqual([
      'signed_in',
      'signed_out',
      'signed_out',
    ]);
    expect(await listed()).toEqual([expect.objectContaining({ id: before[3]!.id, current: true })]);
    const ended = (await audited(somebody.operator.id)).filter(({ action }) => action.endsWith('revoked'));
    expect(ended.map(({ details }) => details)).toEqual([{ ended: 1 }, { ended: 2 }]);
  });

  it('are found and counted by a part of their address or name, or their id', async () => {
    const mark = randomUUID().slice(0, 8);
    const { id } = (await invite(`ada-${mark}@example.com`)).body;
    const named = (await invite(uniqueEmail())).body.id;
    await admin.request('PATCH', `/operators/${named}`, { name: `Grace ${mark} Hopper` });
    const of = async (q: string): Promise<string[]> => {
      const { data } = (await admin.request('GET', `/operators?${new URLSearchParams({ q })}`)).body;
      expect(await getCount(admin, '/operators', { q })).toEqual({ count: data.length, isMore: false });
      return data.map((each: { id: string }) => each.id);
    };
    expect(await of(mark.toUpperCase())).toEqual([named, id]);
    expect(await of(`${mark} hop`)).toEqual([named]);
    expect(await of(`${mark}@EXAMPLE`)).toEqual([id]);
    expect(await of(id)).toEqual([id]);
    for (const nothing of ['%', `_${mark.slice(1)}@`, randomUUID()]) expect(await of(nothing)).toEqual([]);
    const [{ count }] = (await instance.sql('SELECT count(*)::int AS count FROM operators')) as [
      { count: number },
    ];
    expect(await getCount(admin, '/operators')).toEqual({ count, isMore: false });
    const viewer = await inviteOperator(admin, 'viewer');
    expect(await viewer.request('GET', '/operators/count')).toMatchObject({ status: 403 });
  });

  it('everything is in the audit log, with who did it, and no key sees it', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { id } = somebody.operator;
    await admin.request('PATCH', `/operators/${id}`, { role: 'operator', name: 'Grace' });
    await admin.request('PATCH', `/operators/${id}`, { role: 'operator' });
    await admin.request('POST', `/operators/${id}/disable`);
    await admin.request('POST', `/operators/${id}/enable`);
    await admin.request('POST', `/operators/${id}/reset-second-factor`);
    const entries = await audited(id);
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
    expect(JSON.stringify(stored)).not.toContain(somebody.operator.email);
    expect(
      (await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`)).body.data,
    ).toEqual([]);
  });

  it('what operators do to an object of an organization is in its audit log', async () => {
    const { organizationId, projectId } = instance.credentials;
    const { body } = await admin.request('POST', `/projects/${projectId}/api-keys`, { name: 'By hand' });
    const { data } = (
      await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${body.id as string}`)
    ).body;
    expect(data).toMatchObject([
      { actorType: 'operator', actorId: admin.operator.id, organizationId, projectId },
    ]);
  });
});

describe('CO-01: the last active admin', () => {
  let only: OperatorClient;
  beforeAll(async () => {
    only = admin;
    await instance.sql(`UPDATE operators SET role = 'viewer' WHERE id <> $1`, [only.operator.id]);
  });

  it('cannot be demoted, nor disable themselves', async () => {
    const path = `/operators/${only.operator.id}`;
    // Neither who is only invited nor who is disabled takes their place.
    await only.request('POST', '/operators', { email: uniqueEmail(), role: 'admin' });
    const gone = await inviteOperator(only, 'admin');
    await only.request('POST', `/operators/${gone.operator.id}/disable`);
    expect(await only.request('PATCH', path, { role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    });
    expect(await only.request('POST', `${path}/disable`)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await only.request('PATCH', path, { role: 'admin', name: 'Ada' })).body).toMatchObject({
      name: 'Ada',
    });
  });

  it('of two who shut each other out at once one stays', async () => {
    const second = await inviteOperator(only, 'admin');
    const answers = await Promise.all([
      only.request('POST', `/operators/${second.operator.id}/disable`),
      second.request('POST', `/operators/${only.operator.id}/disable`),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const [left] = await instance.sql(
      `SELECT count(*)::int AS count FROM operators
       WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL`,
    );
    expect(left!['count']).toBe(1);
  });
});
