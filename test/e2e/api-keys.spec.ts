import { createHash, randomUUID } from 'node:crypto';
import { apiKeyPattern, scopes as allScopes, type Access } from '@gatehouse/domain';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { commitWhenOthersWait } from '../support/with-concurrent-change.js';
import { listEncodings, dumpTables } from '../support/dump-tables.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR = 3_600_000;

let instance: TestInstance;
let path: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  path = pathOf(instance.credentials.projectId);
});
afterAll(async () => instance?.stop());

const pathOf = (projectId: string) => `/api/v1/projects/${projectId}/api-keys`;
const mint = async (body: object = {}, target = path) => {
  const answer = await instance.requestWithSecretKey('POST', target, { name: 'test', ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string; key: string };
};
const show = async (id: string) => (await instance.requestWithSecretKey('GET', `${path}/${id}`)).body;
const rotate = (id: string, body?: object) =>
  instance.requestWithSecretKey('POST', `${path}/${id}/rotate`, body);
const isActive = async (key: string) =>
  (await instance.requestWithBearer(key, 'GET', '/api/v1/projects')).status !== 401;
/** As if the hour had passed for which it is valid. */
const expire = (id: string) =>
  instance.sql(
    `UPDATE api_keys SET expires_at = now() WHERE id = $1 AND expires_at < now() + interval '61 min'`,
    [id],
  );
/** Another organization with an organization key. */
const insertStranger = async (count = 1) => {
  const tenant = await insertOrganization(instance);
  const options = { ...tenant, type: 'secret', access: 'organization' } as const;
  const keys: string[] = [];
  while (keys.length < count) keys.push(await insertKey(instance, options));
  return { tenant, options, keys };
};
const idOf = async (key: string) =>
  (await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [key.slice(-4)]))[0]!.id;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const lastKey = { status: 409, body: { code: 'last_organization_key' } };

it('AK-02: shows the value once; what is stored is its SHA-256, its first eight and its last four', async () => {
  const created = await instance.requestWithSecretKey('POST', path, { name: 'Order service' });
  expect(created).toMatchObject({ status: 201 });
  expect(created.headers.get('cache-control')).toBe('no-store');
  const { key, ...record } = created.body;
  expect(key).toMatch(apiKeyPattern);
  expect(record).toMatchObject({ prefix: key.slice(0, 8), last4: key.slice(-4) });
  const { key: successor, ...rotated } = (await rotate(record.id)).body;
  expect(await show(rotated.id)).toEqual(rotated);

  const shown = [`${path}/${record.id}`, `${path}?limit=200`, '/api/v1/projects'].map(async (target) =>
    JSON.stringify((await instance.requestWithSecretKey('GET', target)).body),
  );
  const written = [...(await Promise.all(shown)), await dumpTables(instance), instance.api.output];
  for (const value of [key, successor] as string[]) {
    const hash = createHash('sha256').update(value).digest('hex');
    const [row] = await instance.sql(
      `SELECT encode(key_hash, 'hex') AS hash FROM api_keys WHERE last4 = $1`,
      [value.slice(-4)],
    );
    expect(row).toEqual({ hash });
    for (const form of listEncodings(value))
      expect(written.filter((text) => text.includes(form))).toEqual([]);
    const bodies = await instance.sql<{ body: string }>('SELECT body FROM events');
    const visible = [...(await Promise.all(shown)), ...bodies.map(({ body }) => body)];
    expect(visible.filter((text) => text.includes(hash))).toEqual([]);
  }
});

it('refuses every invalid field by its name, unknown scopes included (AK-06)', async () => {
  const publishable = { type: 'publishable' };
  const cases: [field: string, wrong: object][] = [
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'a'.repeat(101) }],
    ['type', { type: 'private' }],
    ['access', { access: 'everything' }],
    ['scopes', { scopes: ['customer:read', 'customer:rule'] }],
    ['scopes', { scopes: ['customer:read', 'customer:read'] }],
    ['scopes', { scopes: 'customer:read' }],
    ['scopes', { scopes: ['*'] }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['scopes', { ...publishable, scopes: ['customer:read'] }],
    ['scopes', { ...publishable, scopes: [] }],
    ['access', { ...publishable, access: 'organization' }],
    ['key', { key: 'sk_x' }],
    ['projectId', { projectId: MISSING }],
  ];
  await checkCases(
    cases.map(([field, wrong]) => [JSON.stringify(wrong), field, wrong] as const),
    async (field: string, wrong: object) => {
      const { status, body } = await instance.requestWithSecretKey('POST', path, { name: 'A', ...wrong });
      const fields = body.errors?.map((each: { field: string }) => each.field);
      expect([status, body.code, fields]).toEqual([400, 'validation_failed', [field]]);
    },
  );
});

describe('AK-07: a key gives away no more than it has', () => {
  const some = ['api_key:write', 'customer:read', 'customer:write'];
  const noScope = (...requiredScopes: string[]) => ({ code: 'insufficient_scope', requiredScopes });
  const noAccess = { code: 'insufficient_access', requiredAccess: 'organization' };

  it('whatever it requests', async () => {
    interface Wanted {
      type?: string;
      access?: string;
      scopes?: string[];
    }
    const [project, organization] = ['project', 'organization'] as const;
    const farther = ['customer:read', 'audit:read', 'event:read'];
    const cases: [access: Access, scopes: string[], wanted: Wanted, refusal: object | null][] = [
      [project, some, {}, null],
      [project, some, { access: project, scopes: some }, null],
      [project, some, { scopes: [] }, null],
      [project, some, { scopes: ['customer:read'] }, null],
      [project, some, { type: 'publishable' }, null],
      [project, some, { access: organization }, noAccess],
      [project, some, { scopes: ['customer:delete'] }, noScope('customer:delete')],
      [project, some, { scopes: farther }, noScope('audit:read', 'event:read')],
      [project, [...allScopes], { access: organization, scopes: [...allScopes] }, noAccess],
      [project, ['api_key:write'], {}, noScope('customer:read', 'customer:write')],
      [project, ['api_key:write', 'customer:read'], {}, noScope('customer:write')],
      [project, ['api_key:write'], { type: 'publishable' }, null],
      [organization, some, {}, null],
      [organization, some, { access: project }, null],
      [organization, some, { access: organization, scopes: some }, null],
      [organization, some, { scopes: ['organization:write'] }, noScope('organization:write')],
      [organization, [...allScopes], { access: organization, scopes: [...allScopes] }, null],
    ];
    await checkCases(
      cases.map((each) => [JSON.stringify(each), ...each] as const),
      async (access: Access, scopes: string[], wanted: Wanted, refusal: object | null) => {
        const creator = await insertKey(instance, {
          ...instance.credentials,
          type: 'secret',
          access,
          scopes,
        });
        const name = randomUUID();
        const answer = await instance.requestWithBearer(creator, 'POST', path, { name, ...wanted });
        const made = await instance.sql('SELECT access FROM api_keys WHERE name = $1', [name]);
        const granted = wanted.type === 'publishable' ? project : (wanted.access ?? project);
        expect(answer).toMatchObject(
          refusal ? { status: 403, body: refusal } : { status: 201, body: { access: granted } },
        );
        expect(made).toEqual(refusal ? [] : [{ access: granted }]);
      },
    );
  });

  it('takes no rights by rotating a stronger key, and ends none that reaches further', async () => {
    const options = { ...instance.credentials, type: 'secret', access: 'project', scopes: some } as const;
    const weak = await insertKey(instance, options);
    const far = await mint({ access: 'organization', scopes: ['customer:read'] });
    const strong = await mint({ access: 'project', scopes: ['customer:read', 'audit:read'] });
    expect(await instance.requestWithBearer(weak, 'POST', `${path}/${far.id}/rotate`)).toMatchObject({
      status: 403,
      body: noAccess,
    });
    expect(await instance.requestWithBearer(weak, 'POST', `${path}/${strong.id}/rotate`)).toMatchObject({
      status: 403,
      body: noScope('audit:read'),
    });
    expect(await instance.requestWithBearer(weak, 'DELETE', `${path}/${far.id}`)).toMatchObject({
      status: 403,
      body: noAccess,
    });
    expect(await isActive(far.key)).toBe(true);
    expect(await isActive(strong.key)).toBe(true);
  });

  it('makes keys for the organizations it created, and for no other project', async () => {
    const child = (
      await instance.requestWithSecretKey('POST', '/api/v1/organizations', { name: 'C', slug: 'a-child' })
    ).body;
    const body = { name: 'Theirs', organizationId: child.id };
    const theirs = (await instance.requestWithSecretKey('POST', '/api/v1/projects', body)).body;
    const { key } = await mint({ scopes: ['project:read'] }, pathOf(theirs.id));
    const seen = (await instance.requestWithBearer(key, 'GET', '/api/v1/projects')).body.data as {
      id: string;
    }[];
    expect(seen.map(({ id }) => id)).toEqual([theirs.id]);
    expect(
      (await instance.requestWithBearer(key, 'GET', `/api/v1/projects/${instance.credentials.projectId}`))
        .status,
    ).toBe(404);
  });
});

it('AK-08: a key works until it is revoked, which happens once, and its events have its record', async () => {
  const { id: projectId } = (
    await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Keys' })
  ).body;
  const target = pathOf(projectId);
  const made = [await mint({}, target), await mint({}, target), await mint({ access: 'project' }, target)];
  const [{ key: _, ...created }, { id, key }] = made as [(typeof made)[0], (typeof made)[0]];
  const keyOf = async (of: string) => (await instance.requestWithSecretKey('GET', `${target}/${of}`)).body;
  expect(await isActive(key)).toBe(true);
  const used = await eventually('lastUsedAt', async () => (await keyOf(id)).lastUsedAt);
  expect(used).toMatch(TIME);

  const revoke = () => instance.requestWithSecretKey('DELETE', `${target}/${id}`);
  const both = await Promise.all([revoke(), revoke()]);
  expect(await isActive(key)).toBe(false);
  const revoked = await keyOf(id);
  expect(revoked.revokedAt).toMatch(TIME);
  expect([...both, await revoke()].map(({ status }) => status)).toEqual([204, 204, 204]);
  expect(await keyOf(id)).toEqual(revoked);

  const { key: __, ...rotated } = (
    await instance.requestWithSecretKey('POST', `${target}/${created.id}/rotate`)
  ).body;
  const common = { project_id: projectId, organization_id: instance.credentials.organizationId };
  for (const [type, apiKey] of [
    ['api_key.created', created],
    ['api_key.rotated', rotated],
    ['api_key.revoked', revoked],
  ] as const) {
    expect(await instance.events(apiKey.id, type)).toMatchObject([{ ...common, data: { apiKey } }]);
  }

  // Newest first, with those that have ended.
  const first = (await instance.requestWithSecretKey('GET', `${target}?limit=2`)).body;
  const second = (await instance.requestWithSecretKey('GET', `${target}?limit=2&cursor=${first.nextCursor}`))
    .body;
  expect([...first.data, ...second.data].map((each: { id: string }) => each.id)).toEqual([
    rotated.id,
    made[2]!.id,
    id,
    created.id,
  ]);
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  // In reach, but of another project.
  for (const [method, route] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
  ] as const) {
    expect(await instance.requestWithSecretKey(method, `${path}/${rotated.id}${route}`)).toMatchObject({
      status: 404,
    });
  }
});

describe('the last organization key', () => {
  const end = async (by: string, of: string, projectId: string) =>
    instance.requestWithBearer(by, 'DELETE', `${pathOf(projectId)}/${await idOf(of)}`);

  it('cannot be revoked, also where two end each other at once', async () => {
    const { tenant, keys } = await insertStranger(2);
    const { projectId, organizationId } = tenant;
    const [one, two] = keys as [string, string];
    // Both are under way before either may end.
    const holder = await instance.db.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM api_keys WHERE organization_id = $1 FOR UPDATE', [organizationId]);
    const both = Promise.all([end(one, two, projectId), end(two, one, projectId)]);
    await commitWhenOthersWait(holder, 2);
    holder.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([204, 409]);
    const left = (await isActive(one)) ? one : two;
    expect(await end(left, left, projectId)).toMatchObject(lastKey);

    // One that has a successor and is about to end does not count.
    const target = `${pathOf(projectId)}/${await idOf(left)}/rotate`;
    const { key: next } = (await instance.requestWithBearer(left, 'POST', target)).body;
    expect(await end(left, next, projectId)).toMatchObject(lastKey);
    expect(await end(next, left, projectId)).toMatchObject({ status: 204 });
    expect(await end(next, next, projectId)).toMatchObject(lastKey);
    expect(await isActive(next)).toBe(true);
  });

  it('is the last that can create another; the last key of a project may go', async () => {
    const { tenant, options, keys } = await insertStranger();
    await insertKey(instance, { ...options, scopes: [] });
    expect(await end(keys[0]!, keys[0]!, tenant.projectId)).toMatchObject(lastKey);
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const { secretKey, projectId } = sibling;
    expect(await end(secretKey, secretKey, projectId)).toMatchObject({ status: 204 });
    expect(await isActive(secretKey)).toBe(false);
  });
});

describe('rotating a key', () => {
  it('creates one alike, and both are active until the overlap ends', async () => {
    const like = { access: 'project', scopes: ['project:read'], name: 'Shop' };
    const old = await mint(like);
    const rotated = await rotate(old.id, { overlapSeconds: 3_600 });
    expect(rotated).toMatchObject({
      status: 201,
      body: { ...like, type: 'secret', expiresAt: null, rotatedFrom: old.id },
    });
    const { key } = rotated.body;
    expect([await isActive(old.key), await isActive(key)]).toEqual([true, true]);
    await expire(old.id);
    expect([await isActive(old.key), await isActive(key)]).toEqual([false, true]);
  });

  it('keeps the old one valid for the overlap, a day by default', async () => {
    for (const [body, seconds] of [
      [undefined, 86_400],
      [{}, 86_400],
      [{ overlapSeconds: 604_800 }, 604_800],
      [{ overlapSeconds: 0 }, 0],
    ] as const) {
      const { id } = await mint();
      const { createdAt } = (await rotate(id, body)).body;
      const { expiresAt } = await show(id);
      expect([body, Date.parse(expiresAt) - Date.parse(createdAt)]).toEqual([body, seconds * 1_000]);
    }
    for (const overlapSeconds of [-1, 604_801, 1.5, '60', null]) {
      const { status, body } = await rotate(MISSING, { overlapSeconds });
      expect([overlapSeconds, status, body.errors?.[0].field]).toEqual([
        overlapSeconds,
        400,
        'overlapSeconds',
      ]);
    }
  });

  it('ends the old one no later than it would have ended, and gives the new one as long a life', async () => {
    const { id } = await mint({ expiresAt: inMs(HOUR) });
    await instance.sql(`UPDATE api_keys SET created_at = created_at - interval '1 day' WHERE id = $1`, [id]);
    const old = await show(id);
    const next = (await rotate(id)).body;
    expect((await show(id)).expiresAt).toBe(old.expiresAt);
    const life = (key: Record<string, any>) => Date.parse(key['expiresAt']) - Date.parse(key['createdAt']);
    expect(Math.abs(life(next) - life(old))).toBeLessThan(HOUR);
    expect(Date.parse(next.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt));
  });

  it('happens once, also in parallel, and not after revocation or expiry', async () => {
    const { id, key } = await mint();
    const answers = await Promise.all([1, 2, 3].map(() => rotate(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refusal = { status: 409, body: { code: 'api_key_not_rotatable' } };
    expect(await rotate(id)).toMatchObject(refusal);
    expect(await isActive(key)).toBe(true);
    const [other, ended] = [await mint(), await mint({ expiresAt: inMs(HOUR) })];
    await instance.requestWithSecretKey('DELETE', `${path}/${other.id}`);
    await expire(ended.id);
    expect(await isActive(ended.key)).toBe(false);
    for (const each of [other, ended]) expect(await rotate(each.id)).toMatchObject(refusal);
    const [row] = await instance.sql('SELECT count(*)::int AS keys FROM api_keys WHERE rotated_from = $1', [
      id,
    ]);
    expect(row).toEqual({ keys: 1 });
  });
});

it('sends one api_key.expiring within a week of the end of a key', async () => {
  const soon = await mint({ expiresAt: inMs(6.9 * 24 * HOUR) });
  const later = await mint({ expiresAt: inMs(7.1 * 24 * HOUR) });
  const revoked = await mint({ expiresAt: inMs(24 * HOUR) });
  const rotated = await mint();
  await instance.requestWithSecretKey('DELETE', `${path}/${revoked.id}`);
  await rotate(rotated.id);
  const workers = [1, 2].map(() => instance.startWorker({ PERIODIC_JOBS: 'off' }));
  await instance.waitUntilReady();
  await Promise.all(workers.map((worker) => worker.runJob('expiring keys')));
  await instance.runJob('expiring keys');
  const events = await instance.events(soon.id, 'api_key.expiring');
  expect(events).toMatchObject([
    {
      project_id: instance.credentials.projectId,
      data: { apiKey: { id: soon.id, expiresAt: soon['expiresAt'] } },
    },
  ]);
  for (const { id } of [later, revoked, rotated]) {
    expect(await instance.events(id, 'api_key.expiring')).toEqual([]);
  }
});
