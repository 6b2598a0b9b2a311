import { randomUUID } from 'node:crypto';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let shop: Tenant;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  shop = await insertProject(instance, instance.credentials.organizationId);
});
afterAll(async () => instance?.stop());

type Customer = Record<string, any>;

const asked = (key: string, filter: Record<string, string>): Promise<Answer> =>
  instance.request('GET', `/api/v1/customers?${new URLSearchParams(filter)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
const create = async (tenant: Tenant, body: Customer = {}): Promise<Customer> => {
  const headers = { authorization: `Bearer ${tenant.secretKey}` };
  const answer = await instance.request('POST', '/api/v1/customers', {
    headers,
    body: { email: uniqueEmail(), ...body },
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};

/** Every page of a list. */
async function all(key: string, filter: Record<string, string> = {}): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body }: Answer = await asked(key, { ...filter, ...(cursor ? { cursor } : {}) });
    expect(status).toBe(200);
    expect(body.hasMore).toBe(body.nextCursor !== null);
    expect(body.data.length).toBeLessThanOrEqual(Number(filter['limit'] ?? 50));
    customers.push(...body.data);
    cursor = body.nextCursor;
  }
  return customers;
}

const emails = (customers: Customer[]): string[] => customers.map(({ email }) => email);

/** Customers of a project by the thousand. The select gives (email, first_name, last_name, further columns) of n. */
const fill = (tenant: Tenant, count: number, columns: string, select: string): Promise<unknown> =>
  instance.sql(
    `INSERT INTO customers (id, project_id, email, first_name, last_name, ${columns})
     SELECT gen_random_uuid(), $1, ${select} FROM generate_series(1, $2) n`,
    [tenant.projectId, count],
  );

describe('GET /api/v1/customers', () => {
  it('lists whole customers, newest first, page by page', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    const made: Customer[] = [];
    for (let index = 0; index < 7; index += 1) {
      made.push(await create(tenant, { firstName: `N${index}`, emailVerified: index % 3 === 0 }));
    }
    await instance.server('POST', `/api/v1/customers/${made[2]!['id']}/disable`);
    made[2] = (await instance.server('GET', `/api/v1/customers/${made[2]!['id']}`)).body;
    for (const limit of ['2', '3', '7', '50']) {
      expect(await all(tenant.secretKey, { limit })).toEqual([...made].reverse());
    }
  });

  it('orders by the time of creation, also of those who were created elsewhere before', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    await fill(
      tenant,
      30,
      'created_at',
      `'n' || n || '@example.com', NULL, NULL, '2020-01-01'::timestamptz + (n * 7 % 30) * interval '1 day'`,
    );
    const listed = await all(tenant.secretKey, { limit: '4' });
    const times = listed.map(({ createdAt }) => createdAt as string);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(emails(listed)).size).toBe(30);
    const half = await all(tenant.secretKey, {
      limit: '4',
      createdAfter: '2020-01-04T00:00:00Z',
      createdBefore: '2020-01-11T00:00:00.000+00:00',
    });
    expect(half.map(({ createdAt }) => createdAt)).toEqual(
      times.filter((time) => time > '2020-01-04T00:00:00.000Z' && time < '2020-01-11'),
    );
    expect(half).toHaveLength(6);
  });

  it('filters by address, external id, flags and last login, alone and together', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    const ada = await create(tenant, { externalId: 'a', emailVerified: true });
    const bea = await create(tenant, { externalId: 'b' });
    const cyd = await create(tenant, { emailVerified: true });
    for (const [{ id }, time] of [
      [ada, '2026-01-01T00:00:00Z'],
      [bea, '2026-01-03T00:00:00Z'],
    ] as const)
      await instance.sql('UPDATE customers SET last_login_at = $2 WHERE id = $1', [id, time]);
    const between = '2026-01-02T00:00:00Z';
    await instance.server('POST', `/api/v1/customers/${bea['id']}/disable`);
    const found = async (filter: Record<string, string>) => emails(await all(tenant.secretKey, filter));
    const [a, b, c] = emails([ada, bea, cyd]) as [string, string, string];
    expect(await found({ email: a.toUpperCase() })).toEqual([a]);
    expect(await found({ externalId: 'b' })).toEqual([b]);
    expect(await found({ email: a, externalId: 'b' })).toEqual([]);
    expect(await found({ email: a, q: a.slice(0, 8) })).toEqual([a]);
    expect(await found({ email: a, q: b.slice(0, 8) })).toEqual([]);
    expect(await found({ externalId: 'c' })).toEqual([]);
    expect(await found({ emailVerified: 'true' })).toEqual([c, a]);
    expect(await found({ emailVerified: 'false' })).toEqual([b]);
    expect(await found({ disabled: 'true' })).toEqual([b]);
    expect(await found({ disabled: 'false' })).toEqual([c, a]);
    expect(await found({ disabled: 'true', emailVerified: 'true' })).toEqual([]);
    expect(await found({ lastLoginAfter: '2020-01-01T00:00:00Z' })).toEqual([b, a]);
    expect(await found({ lastLoginAfter: '2020-01-01T00:00:00Z', limit: '1' })).toEqual([b, a]);
    expect(await found({ lastLoginBefore: between })).toEqual([a]);
    expect(await found({ lastLoginAfter: between, disabled: 'false' })).toEqual([]);
    expect(await found({ lastLoginAfter: between, q: b.slice(0, 8), disabled: 'true' })).toEqual([b]);
    expect(await found({ createdBefore: cyd['createdAt'] })).toEqual([b, a]);
    expect(await found({ createdAfter: ada['createdAt'], disabled: 'false' })).toEqual([c]);
  });

  it('refuses invalid filters', async () => {
    const filters: Record<string, string>[] = [
      { q: 'a' },
      { q: ' a ' },
      { q: 'x'.repeat(255) },
      { email: 'nobody' },
      { projectId: 'mine' },
      { externalId: '' },
      { emailVerified: '1' },
      { disabled: 'TRUE' },
      { createdAfter: 'yesterday' },
      { lastLoginBefore: '2020-01-01' },
      { limit: '0' },
      { limit: '201' },
      { sort: 'email' },
    ];
    for (const filter of filters) {
      const { status, body } = await asked(shop.secretKey, filter);
      expect([filter, status, body.code, body.errors[0].field]).toEqual([
        filter,
        400,
        'validation_failed',
        Object.keys(filter)[0],
      ]);
    }
  });

  it('takes every time that can be written', async () => {
    for (const time of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z']) {
      for (const name of ['createdAfter', 'createdBefore', 'lastLoginAfter', 'lastLoginBefore']) {
        expect((await asked(shop.secretKey, { [name]: time })).status).toBe(200);
      }
    }
  });

  it('takes a cursor for the list that it came from only', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    for (let index = 0; index < 3; index += 1) await create(tenant, { firstName: 'Ada' });
    const cursor = async (filter: Record<string, string>) =>
      (await asked(tenant.secretKey, { limit: '1', ...filter })).body.nextCursor as string;
    const refused = { status: 400, body: { code: 'invalid_cursor' } };
    const ofAll = await cursor({});
    expect(await asked(tenant.secretKey, { cursor: ofAll, disabled: 'false' })).toMatchObject(refused);
    expect(await asked(tenant.secretKey, { cursor: await cursor({ q: 'ada' }) })).toMatchObject(refused);
    expect(await asked(shop.secretKey, { cursor: ofAll })).toMatchObject(refused);
    const changed = (ofAll.startsWith('A') ? 'B' : 'A') + ofAll.slice(1);
    for (const bad of [changed, 'AAAA', '', `${ofAll}A`, `${ofAll}=`]) {
      expect(await asked(tenant.secretKey, { cursor: bad })).toMatchObject(refused);
    }
  });
});

describe('the search', () => {
  let tenant: Tenant;
  const people = [
    ['ada@lovelace.example', 'Ada', 'Lovelace'],
    ['adam@example.com', 'Adam', 'Smith'],
    ['countess@example.com', 'ADA', 'Byron'],
    ['grace_h@example.com', 'Grace', 'Adams'],
    ['grace.h@example.com', 'Grace', null],
    ['jose@example.com', 'José', 'Ñandú'],
    ['mary@example.com', 'Mary Ada', 'van  Dyk'],
    ['percent@example.com', '100% Ada', 'a\\b'],
    ['plain@example.com', null, null],
    ['only@example.com', null, 'Adair'],
  ] as const;
  beforeAll(async () => {
    tenant = await insertProject(instance, shop.organizationId);
    for (const [email, firstName, lastName] of people) await create(tenant, { email, firstName, lastName });
  });

  it('finds the beginnings of addresses and names, whatever the case', async () => {
    const adas = [
      'ada@lovelace.example',
      'countess@example.com',
      'adam@example.com',
      'grace_h@example.com',
      'only@example.com',
    ];
    const wanted: [string, string[]][] = [
      ['ada', adas],
      ['AdA', adas],
      ['  ada  ', adas],
      ['ada l', ['ada@lovelace.example']],
      ['ada  b', ['countess@example.com']],
      ['ada@', ['ada@lovelace.example']],
      ['lovelace', ['ada@lovelace.example']],
      ['mary a', ['mary@example.com']],
      ['grace_', ['grace_h@example.com']],
      ['grace', ['grace_h@example.com', 'grace.h@example.com']],
      ['JOSÉ ñ', ['jose@example.com']],
      ['ñan', ['jose@example.com']],
      ['100%', ['percent@example.com']],
      ['a\\b', ['percent@example.com']],
      ['__', []],
      ['%%', []],
      ['plain@example.com', ['plain@example.com']],
      ['smith adam', []],
      ['race', []],
      ['love lace', []],
    ];
    for (const [q, found] of wanted) {
      for (const limit of ['1', '50']) {
        const listed = emails(await all(tenant.secretKey, { q, limit })).sort();
        expect([q, limit, listed]).toEqual([q, limit, [...found].sort()]);
      }
    }
  });

  it('is ordered by what was found, each customer once', async () => {
    expect(emails(await all(tenant.secretKey, { q: 'ada', limit: '2' }))).toEqual([
      'countess@example.com', // ada byron
      'ada@lovelace.example', // ada lovelace, before the address
      'only@example.com', // adair
      'adam@example.com', // adam smith
      'grace_h@example.com', // adams
    ]);
  });

  it('looks at a bounded number of customers for a page, and loses none', async () => {
    const crowd = await insertProject(instance, shop.organizationId);
    await fill(
      crowd,
      4_000,
      'email_verified, disabled_at, last_login_at',
      `'ann' || n || '@example.com', 'Ann', 'Annable', n % 2 = 0, CASE WHEN n % 1000 = 0 THEN now() END,
       now() - n * interval '1 minute'`,
    );
    const disabled = [
      'ann1000@example.com',
      'ann2000@example.com',
      'ann3000@example.com',
      'ann4000@example.com',
    ];
    const search = { q: 'ann', disabled: 'true' };
    expect((await asked(crowd.secretKey, search)).body).toMatchObject({ hasMore: true });
    expect(emails(await all(crowd.secretKey, search)).sort()).toEqual(disabled);
    const logins = { lastLoginAfter: '2020-01-01T00:00:00Z', disabled: 'true' };
    expect(emails(await all(crowd.secretKey, logins))).toEqual(disabled);
    expect((await asked(crowd.secretKey, { disabled: 'true' })).body).toMatchObject({ hasMore: false });
    const everybody = emails(await all(crowd.secretKey, { q: 'ann', limit: '200' }));
    expect([everybody.length, new Set(everybody).size]).toEqual([4_000, 4_000]);
  });
});

describe('whose customers', () => {
  it("a project key lists its project's, an organization key its organization's and those it created (AK-05)", async () => {
    const parent = await insertOrganization(instance);
    const child = await insertOrganization(instance);
    const grandchild = await insertOrganization(instance);
    const link = 'UPDATE organizations SET parent_id = $2 WHERE id = $1';
    await instance.sql(link, [child.organizationId, parent.organizationId]);
    await instance.sql(link, [grandchild.organizationId, child.organizationId]);
    const sibling = await insertProject(instance, parent.organizationId);
    const body = { firstName: 'Tess', externalId: 'same' };
    const tenants = [parent, sibling, child, grandchild];
    const [a, b, c] = emails(await Promise.all(tenants.map((tenant) => create(tenant, body))));
    const key = await insertKey(instance, { ...parent, type: 'secret', access: 'organization' });
    const filters: Record<string, string>[] = [
      {},
      { q: 'tess' },
      { externalId: 'same' },
      { emailVerified: 'false' },
    ];
    for (const filter of filters) {
      expect(emails(await all(key, { ...filter, limit: '1' })).sort()).toEqual([a, b, c].sort());
      expect(emails(await all(key, { ...filter, projectId: child.projectId }))).toEqual([c]);
      expect(emails(await all(sibling.secretKey, filter))).toEqual([b]);
      for (const projectId of [grandchild.projectId, randomUUID(), shop.projectId]) {
        expect(await asked(key, { ...filter, projectId })).toMatchObject({
          status: 200,
          body: { data: [], nextCursor: null, hasMore: false },
        });
      }
      expect(await all(sibling.secretKey, { ...filter, projectId: parent.projectId })).toEqual([]);
    }
    expect(emails(await all(key, { email: c! }))).toEqual([c]);
  });

  it('shows those of archived projects, as GET does', async () => {
    const tenant = await insertOrganization(instance);
    const archived = await insertProject(instance, tenant.organizationId);
    const [kept, gone] = [await create(tenant), await create(archived)];
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [archived.projectId]);
    const key = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
    expect(emails(await all(key))).toEqual([gone['email'], kept['email']]);
    expect(emails(await all(key, { projectId: archived.projectId }))).toEqual([gone['email']]);
    expect(emails(await all(key, { email: gone['email'] }))).toEqual([gone['email']]);
  });

  it('needs customer:read (AK-06)', async () => {
    const key = await insertKey(instance, { ...shop, type: 'secret', scopes: ['customer:write'] });
    expect(await asked(key, {})).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['customer:read'] },
    });
  });
});
