import { createHash, randomUUID } from 'node:crypto';
import { apiKeyPattern, scopes as allScopes, type Access } from '@gatehouse/domain';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { runGatehouse } from '../support/run-gatehouse.js';
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
const createKey = async (body: object = {}, target = path) => {
  const response = await instance.requestWithSecretKey('POST', target, { name: 'test', ...body });
  expect(response).toMatchObject({ status: 201 });
  return response.body as Record<string, any> & { id: string; key: string };
};
const getKey = async (id: string) => (await instance.requestWithSecretKey('GET', `${path}/${id}`)).body;
const rotate = (id: string, body?: object) =>
  instance.requestWithSecretKey('POST', `${path}/${id}/rotate`, body);
const isActive = async (key: string) =>
  (await instance.requestWithBearer(key, 'GET', '/api/v1/projects')).status !== 401;
/** Expires a key that is valid for at most one more hour. */
const expire = (id: string) =>
  instance.sql(
    `UPDATE api_keys SET expires_at = now() WHERE id = $1 AND expires_at < now() + interval '61 min'`,
    [id],
  );
/** Inserts another organization with `count` organization keys. */
const insertOtherOrganization = async (count = 1) => {
  const tenant = await insertOrganization(instance);
  const options = { ...tenant, type: 'secret', access: 'organization' } as const;
  const keys: string[] = [];
  while (keys.length < count) keys.push(await insertKey(instance, options));
  return { tenant, options, keys };
};
const getKeyId = async (key: string) =>
  (await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [key.slice(-4)]))[0]!.id;
const timeFromNow = (ms: number) => new Date(Date.now() + ms).toISOString();
const lastKeyError = { status: 409, body: { code: 'last_organization_key' } };

it("AK-02: a key's value is returned once; only its hash and twelve characters are stored", async () => {
  const created = await instance.requestWithSecretKey('POST', path, { name: 'Order service' });
  expect(created).toMatchObject({ status: 201 });
  expect(created.headers.get('cache-control')).toBe('no-store');
  const { key, ...record } = created.body;
  expect(key).toMatch(apiKeyPattern);
  expect(record).toMatchObject({ prefix: key.slice(0, 8), last4: key.slice(-4) });
  const { key: successor, ...rotated } = (await rotate(record.id)).body;
  expect(await getKey(rotated.id)).toEqual(rotated);

  const fetched = [`${path}/${record.id}`, `${path}?limit=200`, '/api/v1/projects'].map(async (target) =>
    JSON.stringify((await instance.requestWithSecretKey('GET', target)).body),
  );
  const written = [...(await Promise.all(fetched)), await dumpTables(instance), instance.api.output];
  for (const value of [key, successor] as string[]) {
    const hash = createHash('sha256').update(value).digest('hex');
    const [row] = await instance.sql(
      `SELECT encode(key_hash, 'hex') AS hash FROM api_keys WHERE last4 = $1`,
      [value.slice(-4)],
    );
    expect(row).toEqual({ hash });
    for (const encoded of listEncodings(value))
      expect(written.filter((text) => text.includes(encoded))).toEqual([]);
    const bodies = await instance.sql<{ body: string }>('SELECT body FROM events');
    const exposed = [...(await Promise.all(fetched)), ...bodies.map(({ body }) => body)];
    expect(exposed.filter((text) => text.includes(hash))).toEqual([]);
  }
});

it('the creation of a key reports every invalid field, including unknown scopes (AK-06)', async () => {
  const publishable = { type: 'publishable' };
  const cases: [field: string, invalid: object][] = [
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
    ['access', { ...publishable, access: 'organization' }],
    ['key', { key: 'sk_x' }],
    ['projectId', { projectId: MISSING }],
  ];
  await checkCases(
    cases.map(([field, invalid]) => [JSON.stringify(invalid), field, invalid] as const),
    async (field: string, invalid: object) => {
      const { status, body } = await instance.requestWithSecretKey('POST', path, { name: 'A', ...invalid });
      const fields = body.errors?.map((each: { field: string }) => each.field);
      expect([status, body.code, fields]).toEqual([400, 'validation_failed', [field]]);
    },
  );
});

it('a publishable key can be created with an empty list of scopes, because it has no scopes', async () => {
  expect(await createKey({ type: 'publishable', scopes: [] })).toMatchObject({
    type: 'publishable',
    access: 'project',
    scopes: [],
  });
});

describe('AK-07: a key that creates or changes keys', () => {
  it('can set a request rate up to the default, or up to its own if that is higher', async () => {
    const faster = await createKey({ scopes: ['api_key:write'] });
    await instance.sql('UPDATE api_keys SET rate_limit = 300 WHERE id = $1', [faster.id]);
    const rejected = { status: 400, body: { code: 'validation_failed', errors: [{ field: 'rateLimit' }] } };
    const create = (rateLimit: number) =>
      instance.requestWithSecretKey('POST', path, { name: 'test', rateLimit });
    expect([
      await create(101),
      await rotate(faster.id),
      await rotate(faster.id, { rateLimit: 101 }),
    ]).toMatchObject([rejected, rejected, rejected]);
    expect((await create(100)).status).toBe(201);
    const rotateItself = (body: object) =>
      instance.requestWithBearer(faster.key, 'POST', `${path}/${faster.id}/rotate`, body);
    expect(await rotateItself({ rateLimit: 301 })).toMatchObject(rejected);
    expect(await rotateItself({})).toMatchObject({ status: 201, body: { rateLimit: 300 } });
  });

  const limitedScopes = ['api_key:write', 'customer:read', 'customer:write'];
  const insufficientScope = (...requiredScopes: string[]) => ({ code: 'insufficient_scope', requiredScopes });
  const insufficientAccess = { code: 'insufficient_access', requiredAccess: 'organization' };

  it('cannot grant more access or scopes than it has', async () => {
    interface RequestedKey {
      type?: string;
      access?: string;
      scopes?: string[];
    }
    const [project, organization] = ['project', 'organization'] as const;
    const otherScopes = ['customer:read', 'audit:read', 'event:read'];
    const cases: [access: Access, scopes: string[], requested: RequestedKey, expectedError: object | null][] =
      [
        [project, limitedScopes, {}, null],
        [project, limitedScopes, { access: project, scopes: limitedScopes }, null],
        [project, limitedScopes, { scopes: [] }, null],
        [project, limitedScopes, { scopes: ['customer:read'] }, null],
        [project, limitedScopes, { type: 'publishable' }, null],
        [project, limitedScopes, { access: organization }, insufficientAccess],
        [project, limitedScopes, { scopes: ['customer:delete'] }, insufficientScope('customer:delete')],
        [project, limitedScopes, { scopes: otherScopes }, insufficientScope('audit:read', 'event:read')],
        [project, [...allScopes], { access: organization, scopes: [...allScopes] }, insufficientAccess],
        [project, ['api_key:write'], {}, insufficientScope('customer:read', 'customer:write')],
        [project, ['api_key:write', 'customer:read'], {}, insufficientScope('customer:write')],
        [project, ['api_key:write'], { type: 'publishable' }, null],
        [organization, limitedScopes, {}, null],
        [organization, limitedScopes, { access: project }, null],
        [organization, limitedScopes, { access: organization, scopes: limitedScopes }, null],
        [
          organization,
          limitedScopes,
          { scopes: ['organization:write'] },
          insufficientScope('organization:write'),
        ],
        [organization, [...allScopes], { access: organization, scopes: [...allScopes] }, null],
      ];
    await checkCases(
      cases.map((row) => [JSON.stringify(row), ...row] as const),
      async (access: Access, scopes: string[], requested: RequestedKey, expectedError: object | null) => {
        const creator = await insertKey(instance, {
          ...instance.credentials,
          type: 'secret',
          access,
          scopes,
        });
        const name = randomUUID();
        const response = await instance.requestWithBearer(creator, 'POST', path, { name, ...requested });
        const createdKeys = await instance.sql('SELECT access FROM api_keys WHERE name = $1', [name]);
        const granted = requested.type === 'publishable' ? project : (requested.access ?? project);
        expect(response).toMatchObject(
          expectedError ? { status: 403, body: expectedError } : { status: 201, body: { access: granted } },
        );
        expect(createdKeys).toEqual(expectedError ? [] : [{ access: granted }]);
      },
    );
  });

  it('cannot rotate or revoke keys with more scopes or broader access, but can revoke itself', async () => {
    const options = {
      ...instance.credentials,
      type: 'secret',
      access: 'project',
      scopes: limitedScopes,
    } as const;
    const weakKey = await insertKey(instance, options);
    const organizationKey = await createKey({ access: 'organization', scopes: ['customer:read'] });
    const strongerKey = await createKey({ access: 'project', scopes: ['customer:read', 'audit:read'] });
    expect(
      await instance.requestWithBearer(weakKey, 'POST', `${path}/${organizationKey.id}/rotate`),
    ).toMatchObject({
      status: 403,
      body: insufficientAccess,
    });
    expect(
      await instance.requestWithBearer(weakKey, 'POST', `${path}/${strongerKey.id}/rotate`),
    ).toMatchObject({
      status: 403,
      body: insufficientScope('audit:read'),
    });
    expect(
      await instance.requestWithBearer(weakKey, 'DELETE', `${path}/${organizationKey.id}`),
    ).toMatchObject({
      status: 403,
      body: insufficientAccess,
    });
    expect(await instance.requestWithBearer(weakKey, 'DELETE', `${path}/${strongerKey.id}`)).toMatchObject({
      status: 403,
      body: insufficientScope('audit:read'),
    });
    const onlyWrite = await insertKey(instance, { ...options, scopes: ['api_key:write'] });
    for (const method of ['DELETE', 'POST'] as const) {
      const target = `${path}/${await getKeyId(weakKey)}${method === 'POST' ? '/rotate' : ''}`;
      expect(await instance.requestWithBearer(onlyWrite, method, target)).toMatchObject({
        status: 403,
        body: insufficientScope('customer:read', 'customer:write'),
      });
    }
    for (const key of [organizationKey.key, strongerKey.key, weakKey]) expect(await isActive(key)).toBe(true);
    const weakerKey = await createKey({ scopes: ['customer:read'] });
    for (const id of [weakerKey.id, await getKeyId(weakKey)])
      expect((await instance.requestWithBearer(weakKey, 'DELETE', `${path}/${id}`)).status).toBe(204);
    expect([await isActive(weakerKey.key), await isActive(weakKey)]).toEqual([false, false]);
  });

  it('creates keys for projects of child organizations, limited to the project', async () => {
    const child = (
      await instance.requestWithSecretKey('POST', '/api/v1/organizations', { name: 'C', slug: 'a-child' })
    ).body;
    const body = { name: 'Theirs', organizationId: child.id };
    const childProject = (await instance.requestWithSecretKey('POST', '/api/v1/projects', body)).body;
    const { key } = await createKey({ scopes: ['project:read'] }, pathOf(childProject.id));
    const seen = (await instance.requestWithBearer(key, 'GET', '/api/v1/projects')).body.data as {
      id: string;
    }[];
    expect(seen.map(({ id }) => id)).toEqual([childProject.id]);
    expect(
      (await instance.requestWithBearer(key, 'GET', `/api/v1/projects/${instance.credentials.projectId}`))
        .status,
    ).toBe(404);
  });
});

it('AK-08: a key works until it is revoked, and a second revocation has no effect', async () => {
  const { id: projectId } = (
    await instance.requestWithSecretKey('POST', '/api/v1/projects', { name: 'Keys' })
  ).body;
  const target = pathOf(projectId);
  const createdKeys = [
    await createKey({}, target),
    await createKey({}, target),
    await createKey({ access: 'project' }, target),
  ];
  const [{ key: _, ...created }, { id, key }] = createdKeys as [
    (typeof createdKeys)[0],
    (typeof createdKeys)[0],
  ];
  const getTargetKey = async (keyId: string) =>
    (await instance.requestWithSecretKey('GET', `${target}/${keyId}`)).body;
  expect(await isActive(key)).toBe(true);
  const used = await eventually('lastUsedAt', async () => (await getTargetKey(id)).lastUsedAt);
  expect(used).toMatch(TIME);

  const revoke = () => instance.requestWithSecretKey('DELETE', `${target}/${id}`);
  const both = await Promise.all([revoke(), revoke()]);
  expect(await isActive(key)).toBe(false);
  const revoked = await getTargetKey(id);
  expect(revoked.revokedAt).toMatch(TIME);
  expect([...both, await revoke()].map(({ status }) => status)).toEqual([204, 204, 204]);
  expect(await getTargetKey(id)).toEqual(revoked);

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

  // The list is newest first and includes revoked and rotated keys.
  const first = (await instance.requestWithSecretKey('GET', `${target}?limit=2`)).body;
  const second = (await instance.requestWithSecretKey('GET', `${target}?limit=2&cursor=${first.nextCursor}`))
    .body;
  expect([...first.data, ...second.data].map((each: { id: string }) => each.id)).toEqual([
    rotated.id,
    createdKeys[2]!.id,
    id,
    created.id,
  ]);
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  // The caller can access the key, but the path contains a different project.
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

describe('npm run gatehouse -- keys widen', () => {
  it('adds new scopes once, and only to seeded secret keys and their successors', async () => {
    const { projectId, secretKey, projectSecretKey } = instance.credentials;
    const masked = (key: string) => `(${key.slice(0, 8)}…${key.slice(-4)})`;
    const other = await createKey();
    // Restores the scopes with which an earlier version seeded the keys.
    await instance.sql(`UPDATE api_keys SET scopes = array_remove(scopes, 'mailbox:read')`);
    const successor = (await rotate(await getKeyId(projectSecretKey))).body;

    expect(await runGatehouse(instance, ['keys', 'widen'])).toBe(
      `Organization key ${masked(secretKey)}: added mailbox:read
Project key ${masked(projectSecretKey)}: added mailbox:read
Project key ${masked(successor.key)}: added mailbox:read
`,
    );
    for (const key of [secretKey, projectSecretKey, successor.key as string])
      expect((await instance.requestWithBearer(key, 'GET', '/api/v1/mailbox')).status).toBe(200);
    expect((await getKey(other.id)).scopes).toEqual(['customer:read', 'customer:write']);
    const { data } = (
      await instance.requestWithSecretKey('GET', '/api/v1/audit-log?action=api_key.scopes_added')
    ).body;
    const details = { scopes: ['mailbox:read'] };
    expect(data).toMatchObject(Array(3).fill({ projectId, actorType: 'system', details }));
    expect(await runGatehouse(instance, ['keys', 'widen'])).toMatch(/^(.+: nothing to add\n){3}$/);
  });
});

describe('the last organization key', () => {
  const revoke = async (actingKey: string, revokedKey: string, projectId: string) =>
    instance.requestWithBearer(actingKey, 'DELETE', `${pathOf(projectId)}/${await getKeyId(revokedKey)}`);

  it('stays active even if two keys revoke each other concurrently', async () => {
    const { tenant, keys } = await insertOtherOrganization(2);
    const { projectId, organizationId } = tenant;
    const [one, two] = keys as [string, string];
    // Both requests are in progress before either can commit.
    const holder = await instance.db.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM api_keys WHERE organization_id = $1 FOR UPDATE', [organizationId]);
    const both = Promise.all([revoke(one, two, projectId), revoke(two, one, projectId)]);
    await commitWhenOthersWait(holder, 2);
    holder.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([204, 409]);
    const remaining = (await isActive(one)) ? one : two;
    expect(await revoke(remaining, remaining, projectId)).toMatchObject(lastKeyError);

    // A rotated key in its overlap period does not count.
    const target = `${pathOf(projectId)}/${await getKeyId(remaining)}/rotate`;
    const { key: successor } = (await instance.requestWithBearer(remaining, 'POST', target)).body;
    expect(await revoke(remaining, successor, projectId)).toMatchObject(lastKeyError);
    expect(await revoke(successor, remaining, projectId)).toMatchObject({ status: 204 });
    expect(await revoke(successor, successor, projectId)).toMatchObject(lastKeyError);
    expect(await isActive(successor)).toBe(true);
  });

  it('stays active if no other key can create keys; the last key of a project can be revoked', async () => {
    const { tenant, options, keys } = await insertOtherOrganization();
    await insertKey(instance, { ...options, scopes: [] });
    expect(await revoke(keys[0]!, keys[0]!, tenant.projectId)).toMatchObject(lastKeyError);
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    const { secretKey, projectId } = sibling;
    expect(await revoke(secretKey, secretKey, projectId)).toMatchObject({ status: 204 });
    expect(await isActive(secretKey)).toBe(false);
  });
});

describe('rotating a key', () => {
  it('creates a key with the same properties, and both work until the overlap ends', async () => {
    const properties = { access: 'project', scopes: ['project:read'], name: 'Shop' };
    const old = await createKey(properties);
    const rotated = await rotate(old.id, { overlapSeconds: 3_600 });
    expect(rotated).toMatchObject({
      status: 201,
      body: { ...properties, type: 'secret', expiresAt: null, rotatedFrom: old.id },
    });
    const { key } = rotated.body;
    expect([await isActive(old.key), await isActive(key)]).toEqual([true, true]);
    await expire(old.id);
    expect([await isActive(old.key), await isActive(key)]).toEqual([false, true]);
  });

  it('keeps the old key valid for the overlap, one day by default', async () => {
    for (const [body, seconds] of [
      [undefined, 86_400],
      [{}, 86_400],
      [{ overlapSeconds: 604_800 }, 604_800],
      [{ overlapSeconds: 0 }, 0],
    ] as const) {
      const { id } = await createKey();
      const { createdAt } = (await rotate(id, body)).body;
      const { expiresAt } = await getKey(id);
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

  it("does not extend the old key's validity, and gives the new key the same lifetime", async () => {
    const { id } = await createKey({ expiresAt: timeFromNow(HOUR) });
    await instance.sql(`UPDATE api_keys SET created_at = created_at - interval '1 day' WHERE id = $1`, [id]);
    const old = await getKey(id);
    const next = (await rotate(id)).body;
    expect((await getKey(id)).expiresAt).toBe(old.expiresAt);
    const lifetime = (key: Record<string, any>) =>
      Date.parse(key['expiresAt']) - Date.parse(key['createdAt']);
    expect(Math.abs(lifetime(next) - lifetime(old))).toBeLessThan(HOUR);
    expect(Date.parse(next.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt));
  });

  it('succeeds once, even in parallel, and fails after revocation or expiry', async () => {
    const { id, key } = await createKey();
    const responses = await Promise.all([1, 2, 3].map(() => rotate(id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const expectedError = { status: 409, body: { code: 'api_key_not_rotatable' } };
    expect(await rotate(id)).toMatchObject(expectedError);
    expect(await isActive(key)).toBe(true);
    const [other, expired] = [await createKey(), await createKey({ expiresAt: timeFromNow(HOUR) })];
    await instance.requestWithSecretKey('DELETE', `${path}/${other.id}`);
    await expire(expired.id);
    expect(await isActive(expired.key)).toBe(false);
    for (const each of [other, expired]) expect(await rotate(each.id)).toMatchObject(expectedError);
    const [row] = await instance.sql('SELECT count(*)::int AS keys FROM api_keys WHERE rotated_from = $1', [
      id,
    ]);
    expect(row).toEqual({ keys: 1 });
  });
});

it('one api_key.expiring event is sent in the week before a key expires', async () => {
  const soon = await createKey({ expiresAt: timeFromNow(6.9 * 24 * HOUR) });
  const later = await createKey({ expiresAt: timeFromNow(7.1 * 24 * HOUR) });
  const revoked = await createKey({ expiresAt: timeFromNow(24 * HOUR) });
  const rotated = await createKey();
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
