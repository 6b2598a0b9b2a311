import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { apiKeyPattern, scopes as allScopes } from '#domain';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { commitWhenAwaited } from '../support/overtaken.js';
import { formsOf, storedText } from '../support/stored.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';

const MISSING = '019aa2c0-7d1e-7000-8000-000000000000';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR = 3_600_000;

let instance: TestInstance;
let path: string;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  path = pathOf(instance.credentials.projectId);
});
afterAll(async () => instance?.stop());

const pathOf = (projectId: string) => `/api/v1/projects/${projectId}/api-keys`;
const ask = (key: string, method: string, target: string, body?: unknown) =>
  instance.request(method, target, { body, headers: { authorization: `Bearer ${key}` } });
const mint = async (body: object = {}, target = path) => {
  const answer = await instance.server('POST', target, { name: 'test', ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Record<string, any> & { id: string; key: string };
};
const rotate = (id: string, body?: object) => instance.server('POST', `${path}/${id}/rotate`, body);
/** Whether a key still opens the door, whatever it may do behind it. */
const lives = async (key: string) => (await ask(key, 'GET', '/api/v1/projects')).status !== 401;
/** As if the hour had passed for which it is valid. */
const expire = (id: string) =>
  instance.sql(
    `UPDATE api_keys SET expires_at = now() WHERE id = $1 AND expires_at < now() + interval '61 min'`,
    [id],
  );
interface Wanted {
  type?: string;
  access?: string;
  scopes?: string[];
}
/** Of an object only the members that another one has. */
const pick = (from: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, from[name]]));
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('creating a key', () => {
  it('AK-02: shows the value once; what is kept is its SHA-256, its first eight and its last four', async () => {
    const created = await instance.server('POST', path, { name: 'Order service' });
    expect(created).toMatchObject({ status: 201 });
    expect(created.headers.get('cache-control')).toBe('no-store');
    const { key, ...record } = created.body;
    expect(key).toMatch(apiKeyPattern);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      projectId: instance.credentials.projectId,
      name: 'Order service',
      type: 'secret',
      access: 'organization',
      scopes: ['customer:read', 'customer:write'],
      prefix: key.slice(0, 8),
      last4: key.slice(-4),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      rotatedFrom: null,
      createdAt: expect.stringMatching(TIME),
    });
    const rotated = (await rotate(record.id)).body;
    expect((await instance.server('GET', `${path}/${rotated.id}`)).body).toEqual({
      ...rotated,
      key: undefined,
    });

    const shown = [
      await instance.server('GET', `${path}/${record.id}`),
      await instance.server('GET', `${path}?limit=200`),
      await instance.server('GET', `/api/v1/projects`),
    ].map(({ body }) => JSON.stringify(body));
    const written = [
      await storedText(instance),
      instance.api.output,
      ...instance.workers.map(({ output }) => output),
    ];
    for (const value of [key, rotated.key] as string[]) {
      const hash = createHash('sha256').update(value).digest('hex');
      const [row] = await instance.sql(
        `SELECT encode(key_hash, 'hex') AS hash FROM api_keys WHERE last4 = $1`,
        [value.slice(-4)],
      );
      expect(row).toEqual({ hash });
      for (const form of formsOf(value)) {
        expect([...shown, ...written].filter((text) => text.includes(form))).toEqual([]);
      }
      const told = await instance.sql<{ body: string }>('SELECT body FROM events');
      expect([...shown, ...told.map(({ body }) => body)].filter((text) => text.includes(hash))).toEqual([]);
    }
  });

  it('makes a publishable key, which carries no scope and reaches its project', async () => {
    const { key, type, access, scopes } = await mint({ type: 'publishable' });
    expect({ type, access, scopes }).toEqual({ type: 'publishable', access: 'project', scopes: [] });
    expect(key).toMatch(/^pk_/);
    const login = await instance.request('POST', '/api/v1/auth/login', {
      body: {},
      headers: { 'x-publishable-key': key },
    });
    expect(login.status).toBe(400);
  });

  it('makes a key that ends by itself', async () => {
    const { key, expiresAt, id } = await mint({ expiresAt: inMs(3_600_000) });
    expect(expiresAt).toMatch(TIME);
    expect(await lives(key)).toBe(true);
    await expire(id);
    expect(await lives(key)).toBe(false);
    expect(await rotate(id)).toMatchObject({ status: 409, body: { code: 'api_key_not_rotatable' } });
  });

  it('AK-06: rejects every invalid field by its name', async () => {
    const cases: [body: object, field: string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'a'.repeat(101) }, 'name'],
      [{ name: 'A', type: 'private' }, 'type'],
      [{ name: 'A', access: 'everything' }, 'access'],
      [{ name: 'A', scopes: ['customer:read', 'customer:rule'] }, 'scopes'],
      [{ name: 'A', scopes: ['customer:read', 'customer:read'] }, 'scopes'],
      [{ name: 'A', scopes: 'customer:read' }, 'scopes'],
      [{ name: 'A', scopes: ['*'] }, 'scopes'],
      [{ name: 'A', expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
      [{ name: 'A', expiresAt: 'tomorrow' }, 'expiresAt'],
      [{ name: 'A', type: 'publishable', scopes: ['customer:read'] }, 'scopes'],
      [{ name: 'A', type: 'publishable', scopes: [] }, 'scopes'],
      [{ name: 'A', type: 'publishable', access: 'organization' }, 'access'],
      [{ name: 'A', key: 'sk_x' }, 'key'],
      [{ name: 'A', projectId: MISSING }, 'projectId'],
    ];
    const faults: unknown[] = [];
    for (const [body, field] of cases) {
      const { status, body: problem } = await instance.server('POST', path, body);
      const found = [status, problem.code, problem.errors?.map((each: { field: string }) => each.field)];
      if (!isDeepStrictEqual(found, [400, 'validation_failed', [field]])) faults.push({ body, found });
    }
    expect(faults).toEqual([]);
  });
});

describe('AK-07: a key gives away no more than it has', () => {
  const some = ['api_key:write', 'customer:read', 'customer:write'];
  const noScope = (...requiredScopes: string[]) => ({ code: 'insufficient_scope', requiredScopes });
  const noAccess = { code: 'insufficient_access', requiredAccess: 'organization' };

  it('whatever it requests', async () => {
    type Case = [
      access: 'project' | 'organization',
      scopes: string[],
      wanted: Wanted,
      refusal: object | null,
    ];
    const cases: Case[] = [
      ['project', some, {}, null],
      ['project', some, { access: 'project', scopes: some }, null],
      ['project', some, { scopes: [] }, null],
      ['project', some, { scopes: ['customer:read'] }, null],
      ['project', some, { type: 'publishable' }, null],
      ['project', some, { access: 'organization' }, noAccess],
      ['project', some, { scopes: ['customer:delete'] }, noScope('customer:delete')],
      [
        'project',
        some,
        { scopes: ['customer:read', 'audit:read', 'event:read'] },
        noScope('audit:read', 'event:read'),
      ],
      ['project', [...allScopes], { access: 'organization', scopes: [...allScopes] }, noAccess],
      ['project', ['api_key:write'], {}, noScope('customer:read', 'customer:write')],
      ['project', ['api_key:write', 'customer:read'], {}, noScope('customer:write')],
      ['project', ['api_key:write'], { type: 'publishable' }, null],
      ['organization', some, {}, null],
      ['organization', some, { access: 'project' }, null],
      ['organization', some, { access: 'organization', scopes: some }, null],
      ['organization', some, { scopes: ['organization:write'] }, noScope('organization:write')],
      ['organization', [...allScopes], { scopes: [...allScopes] }, null],
      ['organization', ['customer:read', 'customer:write'], {}, noScope('api_key:write')],
    ];
    const faults: unknown[] = [];
    const countKeys = async () =>
      (await instance.sql('SELECT count(*)::int AS keys FROM api_keys'))[0]!['keys'];
    for (const [access, scopes, wanted, refusal] of cases) {
      const creator = await insertKey(instance, { ...instance.credentials, type: 'secret', access, scopes });
      const before = (await countKeys()) as number;
      const { status, body } = await ask(creator, 'POST', path, { name: 'child', ...wanted });
      const found = {
        status,
        created: ((await countKeys()) as number) - before,
        ...pick(body, refusal ?? { access }),
      };
      const expected = refusal
        ? { status: 403, created: 0, ...refusal }
        : {
            status: 201,
            created: 1,
            access: wanted.type === 'publishable' ? 'project' : (wanted.access ?? access),
          };
      if (!isDeepStrictEqual(found, expected)) faults.push({ access, scopes, wanted, found });
    }
    expect(faults).toEqual([]);
  });

  it('takes no rights by rotating a stronger key, and ends none that reaches further', async () => {
    const options = { ...instance.credentials, type: 'secret', access: 'project', scopes: some } as const;
    const weak = await insertKey(instance, { ...options, scopes: [...some] });
    const far = await mint({ scopes: ['customer:read'] });
    const strong = await mint({ access: 'project', scopes: ['customer:read', 'audit:read'] });
    expect(await ask(weak, 'POST', `${path}/${far.id}/rotate`)).toMatchObject({
      status: 403,
      body: noAccess,
    });
    expect(await ask(weak, 'POST', `${path}/${strong.id}/rotate`)).toMatchObject({
      status: 403,
      body: noScope('audit:read'),
    });
    expect(await ask(weak, 'DELETE', `${path}/${far.id}`)).toMatchObject({ status: 403, body: noAccess });
    expect(await lives(far.key)).toBe(true);
    expect(await lives(strong.key)).toBe(true);
  });

  it('makes keys for the organizations it created, and for no other project', async () => {
    const child = (await instance.server('POST', '/api/v1/organizations', { name: 'C', slug: 'a-child' }))
      .body;
    const body = { name: 'Theirs', organizationId: child.id };
    const theirs = (await instance.server('POST', '/api/v1/projects', body)).body;
    const { key } = await mint({ scopes: ['project:read'] }, pathOf(theirs.id));
    const seen = (await ask(key, 'GET', '/api/v1/projects')).body.data as { id: string }[];
    expect(seen.map(({ id }) => id)).toEqual([theirs.id]);
    expect((await ask(key, 'GET', `/api/v1/projects/${instance.credentials.projectId}`)).status).toBe(404);
  });
});

describe('keys of a project', () => {
  it('are listed newest first, page by page, those that have ended as well', async () => {
    const project = (await instance.server('POST', '/api/v1/projects', { name: 'Keys' })).body;
    const target = pathOf(project.id);
    const made = [await mint({}, target), await mint({}, target), await mint({ access: 'project' }, target)];
    expect((await instance.server('DELETE', `${target}/${made[1]!.id}`)).status).toBe(204);
    const first = (await instance.server('GET', `${target}?limit=2`)).body;
    const second = (await instance.server('GET', `${target}?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(
      made.map(({ id }) => id).reverse(),
    );
    expect(second).toMatchObject({ hasMore: false, nextCursor: null });
    expect(first.data[1].revokedAt).toMatch(TIME);
    const elsewhere = await instance.server('GET', `${path}?cursor=${first.nextCursor}`);
    expect(elsewhere).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('note when they were used', async () => {
    const { id, key } = await mint();
    await lives(key);
    const { lastUsedAt } = await eventually('lastUsedAt', async () => {
      const { body } = await instance.server('GET', `${path}/${id}`);
      return body.lastUsedAt && body;
    });
    expect(lastUsedAt).toMatch(TIME);
  });

  describe('AK-04: out of reach', () => {
    let stranger: Tenant & { organizationKey: string };
    let sibling: Tenant;
    beforeAll(async () => {
      const tenant = await insertOrganization(instance);
      const options = { ...tenant, type: 'secret', access: 'organization' } as const;
      stranger = { ...tenant, organizationKey: await insertKey(instance, options) };
      sibling = await insertProject(instance, instance.credentials.organizationId);
    });

    it('are like those that do not exist, and nothing is written', async () => {
      const mine = await mint({ access: 'project' });
      const [theirs] = await instance.sql<{ id: string }>(
        `SELECT id FROM api_keys WHERE project_id = $1 AND type = 'secret' AND access = 'project'`,
        [stranger.projectId],
      );
      const targets: [key: string, projectId: string, keyId: string][] = [
        [stranger.organizationKey, instance.credentials.projectId, mine.id],
        [stranger.secretKey, instance.credentials.projectId, mine.id],
        [sibling.secretKey, instance.credentials.projectId, mine.id],
        [instance.credentials.secretKey, stranger.projectId, theirs!.id],
        [instance.credentials.projectSecretKey, sibling.projectId, MISSING],
        // In reach both of them, but the key is of another project.
        [instance.credentials.secretKey, sibling.projectId, mine.id],
        [instance.credentials.secretKey, instance.credentials.projectId, theirs!.id],
        [instance.credentials.secretKey, instance.credentials.projectId, 'x'],
      ];
      const snapshot = () => instance.sql('SELECT id, revoked_at, expires_at FROM api_keys ORDER BY id');
      const before = await snapshot();
      for (const [key, projectId, keyId] of targets) {
        const routes: [method: string, target: string, body?: object][] = [
          ['GET', `/${keyId}`],
          ['DELETE', `/${keyId}`],
          ['POST', `/${keyId}/rotate`],
        ];
        const isForeign = key !== instance.credentials.secretKey || projectId === stranger.projectId;
        if (isForeign) routes.push(['GET', ''], ['POST', '', { name: 'Intruder' }]);
        for (const [method, target, body] of routes) {
          const missing = await ask(key, method, pathOf(MISSING) + target, body);
          expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
          const answer = await ask(key, method, pathOf(projectId) + target, body);
          expect({ ...answer.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
        }
      }
      expect(await snapshot()).toEqual(before);
    });
  });

  it('AK-06: each route needs its scope', async () => {
    const options = { ...instance.credentials, type: 'secret' } as const;
    const [reader, writer] = [
      await insertKey(instance, { ...options, scopes: ['api_key:read'] }),
      await insertKey(instance, { ...options, scopes: ['api_key:write'] }),
    ];
    const faults: unknown[] = [];
    for (const [method, target] of [
      ['GET', ''],
      ['GET', `/${MISSING}`],
      ['POST', ''],
      ['DELETE', `/${MISSING}`],
      ['POST', `/${MISSING}/rotate`],
    ] as const) {
      const isRead = method === 'GET';
      const body = method === 'POST' ? {} : undefined;
      const refused = await ask(isRead ? writer : reader, method, path + target, body);
      const taken = await ask(isRead ? reader : writer, method, path + target, body);
      const { code, requiredScopes } = refused.body;
      const found = [refused.status, code, requiredScopes, taken.status === 403];
      const expected = [403, 'insufficient_scope', [isRead ? 'api_key:read' : 'api_key:write'], false];
      if (!isDeepStrictEqual(found, expected)) faults.push({ method, target, found });
    }
    expect(faults).toEqual([]);
  });
});

describe('revoking a key', () => {
  it('a second time changes nothing and tells nobody', async () => {
    const { id } = await mint();
    const both = await Promise.all([1, 2].map(() => instance.server('DELETE', `${path}/${id}`)));
    const { revokedAt } = (await instance.server('GET', `${path}/${id}`)).body;
    const third = await instance.server('DELETE', `${path}/${id}`);
    expect([...both, third].map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await instance.server('GET', `${path}/${id}`)).body.revokedAt).toBe(revokedAt);
    expect(await instance.events(id, 'api_key.revoked')).toHaveLength(1);
  });

  it('a key may end itself, but never the last one of its organization', async () => {
    const tenant = await insertOrganization(instance);
    const options = { ...tenant, type: 'secret', access: 'organization' } as const;
    const [one, two] = [await insertKey(instance, options), await insertKey(instance, options)];
    const idOf = async (key: string) => {
      const [row] = await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [
        key.slice(-4),
      ]);
      return row!.id;
    };
    const end = async (by: string, of: string) =>
      ask(by, 'DELETE', `${pathOf(tenant.projectId)}/${await idOf(of)}`);
    // At the same time, each the other: both are under way before either may end.
    const holder = await instance.db.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM api_keys WHERE organization_id = $1 FOR UPDATE', [
      tenant.organizationId,
    ]);
    const both = Promise.all([end(one, two), end(two, one)]);
    await commitWhenAwaited(holder, 2);
    holder.release();
    expect((await both).map(({ status }) => status).sort()).toEqual([204, 409]);
    const left = (await lives(one)) ? one : two;
    const refusal = { status: 409, body: { code: 'last_organization_key' } };
    expect(await end(left, left)).toMatchObject(refusal);

    // One that has a successor and is about to end does not count.
    const target = `${pathOf(tenant.projectId)}/${await idOf(left)}/rotate`;
    const next = (await ask(left, 'POST', target)).body as { key: string };
    expect(await end(left, next.key)).toMatchObject(refusal);
    expect(await end(next.key, left)).toMatchObject({ status: 204 });
    expect(await end(next.key, next.key)).toMatchObject(refusal);
    expect(await lives(next.key)).toBe(true);
  });

  it('a key that can make no other does not count as the last one', async () => {
    const tenant = await insertOrganization(instance);
    const options = { ...tenant, type: 'secret', access: 'organization' } as const;
    const [last] = [
      await insertKey(instance, options),
      await insertKey(instance, { ...options, scopes: [] }),
    ];
    const [row] = await instance.sql<{ id: string }>('SELECT id FROM api_keys WHERE last4 = $1', [
      last.slice(-4),
    ]);
    const answer = await ask(last, 'DELETE', `${pathOf(tenant.projectId)}/${row!.id}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'last_organization_key' } });
  });

  it('a project key that is the last of its kind may go', async () => {
    const tenant = await insertProject(instance, instance.credentials.organizationId);
    const { data } = (await ask(tenant.secretKey, 'GET', pathOf(tenant.projectId))).body;
    for (const { id } of data as { id: string }[]) {
      expect((await instance.server('DELETE', `${pathOf(tenant.projectId)}/${id}`)).status).toBe(204);
    }
    expect(await lives(tenant.secretKey)).toBe(false);
  });
});

describe('rotating a key', () => {
  it('puts another in its place, and both live until the overlap ends', async () => {
    const old = await mint({ access: 'project', scopes: ['project:read'], name: 'Shop' });
    const rotated = await rotate(old.id, { overlapSeconds: 3_600 });
    expect(rotated).toMatchObject({ status: 201 });
    const { name, type, access, scopes, expiresAt, rotatedFrom, key } = rotated.body;
    expect({ name, type, access, scopes }).toEqual({
      name: 'Shop',
      type: 'secret',
      access: 'project',
      scopes: ['project:read'],
    });
    expect({ expiresAt, rotatedFrom }).toEqual({ expiresAt: null, rotatedFrom: old.id });
    expect(await lives(old.key)).toBe(true);
    expect(await lives(key)).toBe(true);
    await expire(old.id);
    expect(await lives(old.key)).toBe(false);
    expect(await lives(key)).toBe(true);
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
      const { expiresAt } = (await instance.server('GET', `${path}/${id}`)).body;
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
    const old = (await instance.server('GET', `${path}/${id}`)).body;
    const next = (await rotate(id)).body;
    expect((await instance.server('GET', `${path}/${id}`)).body.expiresAt).toBe(old.expiresAt);
    const life = (key: Record<string, any>) => Date.parse(key['expiresAt']) - Date.parse(key['createdAt']);
    expect(Math.abs(life(next) - life(old))).toBeLessThan(HOUR);
    expect(Date.parse(next.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt));
  });

  it('happens once: in parallel, again, and after revocation it is refused', async () => {
    const { id, key } = await mint();
    const answers = await Promise.all([1, 2, 3].map(() => rotate(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refusal = { status: 409, body: { code: 'api_key_not_rotatable' } };
    expect(await rotate(id)).toMatchObject(refusal);
    expect(await lives(key)).toBe(true);
    const other = await mint();
    await instance.server('DELETE', `${path}/${other.id}`);
    expect(await rotate(other.id)).toMatchObject(refusal);
    const [row] = await instance.sql('SELECT count(*)::int AS keys FROM api_keys WHERE rotated_from = $1', [
      id,
    ]);
    expect(row).toEqual({ keys: 1 });
  });

  it('a publishable key as well, and the same answer again with an Idempotency-Key', async () => {
    const { id } = await mint({ type: 'publishable' });
    const again = () =>
      instance.request('POST', `${path}/${id}/rotate`, {
        headers: {
          authorization: `Bearer ${instance.credentials.secretKey}`,
          'idempotency-key': `rotate-${id}`,
        },
      });
    const first = await again();
    expect(first).toMatchObject({ status: 201, body: { type: 'publishable', rotatedFrom: id } });
    const second = await again();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});

describe('events of keys', () => {
  it('tell of every step with the record, in the project that the key is of', async () => {
    const { key: _, ...created } = await mint();
    const { key: __, ...rotated } = (await rotate(created.id)).body;
    await instance.server('DELETE', `${path}/${rotated.id}`);
    const { body: revoked } = await instance.server('GET', `${path}/${rotated.id}`);
    const { projectId: project_id, organizationId: organization_id } = instance.credentials;
    const told = async (id: string, type: string) => (await instance.events(id, type)).at(0);
    const common = { project_id, organization_id };
    expect(await told(created.id, 'api_key.created')).toMatchObject({ ...common, data: { apiKey: created } });
    expect(await told(rotated.id, 'api_key.rotated')).toMatchObject({ ...common, data: { apiKey: rotated } });
    expect(await told(rotated.id, 'api_key.revoked')).toMatchObject({ ...common, data: { apiKey: revoked } });
  });

  it('tell once, within a week of its end, that a key expires', async () => {
    const soon = await mint({ expiresAt: inMs(6.9 * 24 * HOUR) });
    const later = await mint({ expiresAt: inMs(7.1 * 24 * HOUR) });
    const revoked = await mint({ expiresAt: inMs(24 * HOUR) });
    const rotated = await mint();
    await instance.server('DELETE', `${path}/${revoked.id}`);
    await rotate(rotated.id);
    const workers = [1, 2].map(() => instance.startWorker({ PERIODIC_JOBS: 'off' }));
    await instance.ready();
    await Promise.all(workers.map((worker) => worker.runJob('expiring keys')));
    await instance.runJob('expiring keys');
    const told = await instance.events(soon.id, 'api_key.expiring');
    expect(told).toMatchObject([
      {
        project_id: instance.credentials.projectId,
        data: { apiKey: { id: soon.id, expiresAt: soon['expiresAt'] } },
      },
    ]);
    for (const { id } of [later, revoked, rotated]) {
      expect(await instance.events(id, 'api_key.expiring')).toEqual([]);
    }
  });
});
