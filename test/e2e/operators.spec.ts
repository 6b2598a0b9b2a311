import { randomUUID } from 'node:crypto';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { countOf } from '../support/instance-log.js';
import { inviteOperator, OperatorClient, signIn } from '../support/operator.js';
import { uniqueEmail } from '../support/unique-email.js';

const PASSWORD = 'an unusual long phrase';

let instance: TestInstance;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  admin = await signIn(instance);
});
afterAll(async () => instance?.stop());

const invite = (email: string, role = 'viewer'): Promise<Answer> =>
  admin.call('POST', '/operators', { email, role });
const tokenOf = ({ body }: Answer): string =>
  new URL(body.invitationUrl as string).hash.slice('#token='.length);
const accept = (token: string, more = {}): Promise<Answer> =>
  new OperatorClient(instance).call('POST', '/invitations/accept', { token, password: PASSWORD, ...more });
const find = async (id: string) =>
  ((await admin.call('GET', '/operators?limit=200')).body.data as Record<string, unknown>[]).find(
    (each) => each['id'] === id,
  );
/** The entries of the audit log about an operator, oldest first. */
const audited = async (id: string): Promise<Record<string, any>[]> =>
  (await admin.call('GET', `/audit-log?targetId=${id}`)).body.data.reverse();

describe('CO-01: inviting', () => {
  it('makes an operator by a link that is shown once, with the token behind the #', async () => {
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
    expect(JSON.stringify((await admin.call('GET', '/operators')).body)).not.toContain(tokenOf(invited));

    const client = new OperatorClient(instance);
    const body = { token: tokenOf(invited), name: ' Grace ', password: PASSWORD };
    expect((await client.call('POST', '/invitations/accept', body)).body).toMatchObject({
      state: 'enrollment',
      operator: { email, name: 'Grace', role: 'operator' },
    });
    await client.enroll();
    expect(await find(client.operator.id)).toMatchObject({
      status: 'active',
      secondFactor: true,
      name: 'Grace',
      lastLoginAt: expect.stringMatching(/Z$/),
    });
    expect(await accept(tokenOf(invited))).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
  });

  it('the same address twice is a conflict, in any case of its letters', async () => {
    const email = uniqueEmail();
    await invite(email);
    expect(await invite(email.toUpperCase())).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('again makes another link, and the one before is void', async () => {
    const first = await invite(uniqueEmail());
    const second = await admin.call('POST', `/operators/${first.body.id}/invite-again`);
    expect((await accept(tokenOf(first))).status).toBe(400);
    expect((await accept(tokenOf(second))).status).toBe(200);
  });

  it('of two at once with one link one succeeds', async () => {
    const token = tokenOf(await invite(uniqueEmail()));
    const answers = await Promise.all([1, 2, 3].map(() => accept(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  it('ends after a week, and nobody accepts a link that nobody made', async () => {
    const invited = await invite(uniqueEmail());
    await instance.sql(`UPDATE operator_links SET expires_at = now() WHERE operator_id = $1`, [
      invited.body.id,
    ]);
    for (const token of [tokenOf(invited), randomUUID(), ''])
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
  });

  it('somebody who forgot their password ends their sessions and keeps their authenticator', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const again = await admin.call('POST', `/operators/${somebody.operator.id}/invite-again`);
    expect((await accept(tokenOf(again), { password: `${PASSWORD} again` })).body).toMatchObject({
      state: 'second_factor',
    });
    expect((await somebody.call('GET', '/projects')).status).toBe(401);
  });
});

describe('CO-01: what admins do about operators', () => {
  it('the role operator looks after customers, and cannot become one', async () => {
    const somebody = await inviteOperator(admin, 'operator');
    const email = uniqueEmail();
    const { id } = (await instance.register(email)).body.customer;
    const refused = { status: 403, body: { code: 'insufficient_role', requiredRole: 'admin' } };
    const taken = { email: uniqueEmail(), emailVerified: true };
    expect(await somebody.call('PATCH', `/customers/${id}`, taken)).toMatchObject(refused);
    const made = { email: uniqueEmail(), password: PASSWORD, projectId: instance.credentials.projectId };
    expect(await somebody.call('POST', '/customers', made)).toMatchObject(refused);
    expect(await somebody.call('DELETE', `/customers/${id}`)).toMatchObject(refused);
    for (const what of ['disable', 'enable', 'unlock'])
      expect((await somebody.call('POST', `/customers/${id}/${what}`)).body).toMatchObject({ id, email });
    expect((await admin.call('PATCH', `/customers/${id}`, taken)).body).toMatchObject(taken);
    expect((await admin.call('POST', '/customers', made)).status).toBe(201);
  });

  it('a role acts at once', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const list = () => somebody.call('GET', '/operators');
    expect(await list()).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role', requiredRole: 'admin' },
    });
    const update = (role: string) => admin.call('PATCH', `/operators/${somebody.operator.id}`, { role });
    expect((await update('admin')).body).toMatchObject({ role: 'admin' });
    expect((await list()).status).toBe(200);
    await update('operator');
    expect((await list()).status).toBe(403);
  });

  it('one who is disabled is out at once, until enabled', async () => {
    const somebody = await inviteOperator(admin, 'operator');
    const path = `/operators/${somebody.operator.id}`;
    const again = await admin.call('POST', `${path}/invite-again`);
    expect((await admin.call('POST', `${path}/disable`)).body).toMatchObject({ status: 'disabled' });
    expect((await somebody.call('GET', '/projects')).status).toBe(401);
    const credentials = { email: somebody.operator.email, password: somebody.password };
    expect(await somebody.call('POST', '/session', credentials)).toMatchObject({
      status: 403,
      body: { code: 'operator_disabled' },
    });
    expect(await somebody.call('POST', '/session', { ...credentials, password: 'x' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect((await accept(tokenOf(again))).status).toBe(400);
    expect((await admin.call('POST', `${path}/invite-again`)).status).toBe(409);
    expect((await admin.call('POST', `${path}/enable`)).body).toMatchObject({ status: 'active' });
    expect((await somebody.call('POST', '/session', credentials)).body.state).toBe('second_factor');
  });

  it('a lost authenticator is replaced by another, with the password', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { body } = await admin.call('POST', `/operators/${somebody.operator.id}/reset-second-factor`);
    expect(body).toMatchObject({ secondFactor: false });
    expect((await somebody.call('GET', '/projects')).status).toBe(401);
    const { operator, password } = somebody;
    expect((await somebody.call('POST', '/session', { email: operator.email, password })).body.state).toBe(
      'enrollment',
    );
    expect((await somebody.enroll()).status).toBe(200);
  });

  it('sessions say what they still lack', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { operator, password } = somebody;
    await new OperatorClient(instance).call('POST', '/session', { email: operator.email, password });
    const states = async (client: OperatorClient, path: string) =>
      ((await client.call('GET', path)).body.data as { state: string }[]).map(({ state }) => state);
    const both = ['second_factor', 'signed_in'];
    expect(await states(admin, `/operators/${operator.id}/sessions`)).toEqual(both);
    expect(await states(somebody, '/session/sessions')).toEqual(both);
  });

  it('sessions are listed and ended', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const path = `/operators/${somebody.operator.id}/sessions`;
    expect((await admin.call('GET', path)).body).toMatchObject({
      data: [{ ip: '127.0.0.1', current: false }],
      hasMore: false,
    });
    const own = (await admin.call('GET', `/operators/${admin.operator.id}/sessions`)).body.data;
    expect((own as { current: boolean }[]).filter(({ current }) => current)).toHaveLength(1);
    expect((await admin.call('DELETE', path)).status).toBe(204);
    expect((await somebody.call('GET', '/projects')).status).toBe(401);
    expect((await admin.call('GET', path)).body.data).toEqual([]);
  });

  it('own sessions are seen and ended by anybody, one or all others, and nobody else has a say', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { email } = somebody.operator;
    const again = (): Promise<OperatorClient> => signIn(instance, { email, password: somebody.password });
    const [phone, tablet, laptop] = [await again(), await again(), await again()];
    const listed = async (): Promise<{ id: string; current: boolean }[]> =>
      (await somebody.call('GET', '/session/sessions')).body.data;
    const before = await listed();
    expect(before.map(({ current }) => current)).toEqual([false, false, false, true]);
    const ofAdmin = (await admin.call('GET', '/session/sessions')).body.data as { id: string }[];
    for (const id of [ofAdmin[0]!.id, randomUUID()])
      expect(await somebody.call('DELETE', `/session/sessions/${id}`)).toMatchObject({ status: 404 });
    expect((await admin.call('GET', '/session/sessions')).body.data).toHaveLength(ofAdmin.length);

    const stateOf = async (client: OperatorClient) => (await client.call('GET', '/session')).body.state;
    expect(await somebody.call('DELETE', `/session/sessions/${before[2]!.id}`)).toMatchObject({
      status: 204,
    });
    expect(await Promise.all([phone, tablet, laptop].map(stateOf))).toEqual([
      'signed_out',
      'signed_in',
      'signed_in',
    ]);
    expect(await somebody.call('DELETE', '/session/sessions')).toMatchObject({ status: 204 });
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
    await admin.call('PATCH', `/operators/${named}`, { name: `Grace ${mark} Hopper` });
    const of = async (q: string): Promise<string[]> => {
      const { data } = (await admin.call('GET', `/operators?${new URLSearchParams({ q })}`)).body;
      expect(await countOf(admin, '/operators', { q })).toEqual({ count: data.length, isMore: false });
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
    expect(await countOf(admin, '/operators')).toEqual({ count, isMore: false });
    const viewer = await inviteOperator(admin, 'viewer');
    expect(await viewer.call('GET', '/operators/count')).toMatchObject({ status: 403 });
  });

  it('every change of an operator who does not exist is 404', async () => {
    for (const what of ['disable', 'enable', 'reset-second-factor', 'invite-again'])
      expect([what, (await admin.call('POST', `/operators/${randomUUID()}/${what}`)).status]).toEqual([
        what,
        404,
      ]);
  });

  it('everything is in the audit log, with who did it, and no key sees it', async () => {
    const somebody = await inviteOperator(admin, 'viewer');
    const { id } = somebody.operator;
    await admin.call('PATCH', `/operators/${id}`, { role: 'operator', name: 'Grace' });
    await admin.call('PATCH', `/operators/${id}`, { role: 'operator' });
    await admin.call('POST', `/operators/${id}/disable`);
    await admin.call('POST', `/operators/${id}/enable`);
    await admin.call('POST', `/operators/${id}/reset-second-factor`);
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
    for (const entry of entries)
      expect(entry).toMatchObject({ actorType: 'operator', organizationId: null, targetType: 'operator' });
    expect(entries[4]).toMatchObject({
      details: { changed: ['role', 'name'], from: 'viewer', to: 'operator' },
    });
    const stored = await instance.sql(
      'SELECT row_to_json(a)::text AS line FROM audit_log a WHERE target_id = $1',
      [id],
    );
    expect(JSON.stringify(stored)).not.toContain(somebody.operator.email);
    expect((await instance.server('GET', `/api/v1/audit-log?targetId=${id}`)).body.data).toEqual([]);
  });

  it('what operators do to an object of an organization stands in its log', async () => {
    const { body } = await admin.call('POST', `/projects/${instance.credentials.projectId}/api-keys`, {
      name: 'By hand',
    });
    const { data } = (await instance.server('GET', `/api/v1/audit-log?targetId=${body.id as string}`)).body;
    expect(data).toMatchObject([
      {
        action: 'api_key.created',
        actorType: 'operator',
        actorId: admin.operator.id,
        organizationId: instance.credentials.organizationId,
        projectId: instance.credentials.projectId,
      },
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
    await only.call('POST', '/operators', { email: uniqueEmail(), role: 'admin' });
    const gone = await inviteOperator(only, 'admin');
    await only.call('POST', `/operators/${gone.operator.id}/disable`);
    expect(await only.call('PATCH', path, { role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    });
    expect(await only.call('POST', `${path}/disable`)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await only.call('PATCH', path, { role: 'admin', name: 'Ada' })).body).toMatchObject({
      name: 'Ada',
    });
  });

  it('of two who shut each other out at once one stays', async () => {
    const second = await inviteOperator(only, 'admin');
    const answers = await Promise.all([
      only.call('POST', `/operators/${second.operator.id}/disable`),
      second.call('POST', `/operators/${only.operator.id}/disable`),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const [left] = await instance.sql(
      `SELECT count(*)::int AS count FROM operators
       WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL`,
    );
    expect(left!['count']).toBe(1);
  });
});
