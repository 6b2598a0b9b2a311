import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import { expectStatus } from '../support/customers.js';
import { signIn } from '../support/operator-client.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';
import { insertKey, insertOrganization, insertProject, type Tenant } from '../support/tenants.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let shop: Tenant;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  shop = await insertProject(instance, instance.credentials.organizationId);
});
afterAll(async () => instance?.stop());

type Customer = Record<string, any>;

const requestList = (key: string, filter: Record<string, string>): Promise<TestResponse> =>
  instance.requestWithBearer(key, 'GET', `/api/v1/customers?${new URLSearchParams(filter)}`);
const create = async ({ secretKey }: Tenant, body: Customer = {}): Promise<Customer> => {
  const customer = { email: uniqueEmail(), ...body };
  return expectStatus(201, await instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', customer))
    .body;
};

/** Reads all pages of a list. */
async function listAll(key: string, filter: Record<string, string> = {}): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body }: TestResponse = await requestList(key, {
      ...filter,
      ...(cursor ? { cursor } : {}),
    });
    expect(status).toBe(200);
    expect(body.hasMore).toBe(body.nextCursor !== null);
    expect(body.data.length).toBeLessThanOrEqual(Number(filter['limit'] ?? 50));
    customers.push(...body.data);
    cursor = body.nextCursor;
  }
  return customers;
}

const emails = (customers: Customer[]): string[] => customers.map(({ email }) => email);

/** Inserts `count` customers. `select` returns (email, first_name, last_name, further columns) for n. */
const insertCustomers = (tenant: Tenant, count: number, columns: string, select: string): Promise<unknown> =>
  instance.sql(
    `INSERT INTO customers (id, project_id, email, first_name, last_name, ${columns})
     SELECT gen_random_uuid(), $1, ${select} FROM generate_series(1, $2) n`,
    [tenant.projectId, count],
  );

it('a search by a key or an operator finds a name in composed and decomposed characters', async () => {
  const tenant = await insertProject(instance, shop.organizationId);
  const [composed, decomposed] = ['Jos\u00e9', 'Jose\u0301'];
  const created = await create(tenant, { firstName: decomposed, lastName: 'Garci\u0301a\nLorca' });
  expect(created).toMatchObject({ firstName: composed, lastName: 'Garc\u00eda Lorca' });
  const admin = await signIn(instance);
  for (const q of [composed, decomposed, 'jose\u0301 garci\u0301a', 'garci\u0301a lorca']) {
    const lists = [
      await requestList(tenant.secretKey, { q }),
      await admin.request('GET', `/customers?${new URLSearchParams({ q, projectId: tenant.projectId })}`),
    ];
    expect([q, lists.map(({ body }) => emails(body.data))]).toEqual([q, Array(2).fill([created['email']])]);
  }
  const { body } = await admin.request(
    'GET',
    `/search?${new URLSearchParams({ q: 'jose\u0301 garci\u0301a' })}`,
  );
  expect(body.data).toContainEqual(expect.objectContaining({ kind: 'customer', id: created['id'] }));
});

describe('GET /api/v1/customers', () => {
  it('lists complete customers in pages, newest first, even if some have an earlier createdAt', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    const created: Customer[] = [];
    for (let index = 0; index < 5; index += 1)
      created.push(await create(tenant, { firstName: `N${index}`, emailVerified: index % 3 === 0 }));
    const path = `/api/v1/customers/${created[2]!['id']}`;
    await instance.requestWithSecretKey('POST', `${path}/disable`);
    created[2] = (await instance.requestWithSecretKey('GET', path)).body;
    for (const limit of ['2', '5', '50'])
      expect(await listAll(tenant.secretKey, { limit })).toEqual([...created].reverse());

    const since = `'2020-01-01'::timestamptz + (n * 7 % 30) * interval '1 day'`;
    await insertCustomers(tenant, 30, 'created_at', `'n' || n || '@example.com', NULL, NULL, ${since}`);
    const times = (await listAll(tenant.secretKey, { limit: '4' })).map(
      ({ createdAt }) => createdAt as string,
    );
    expect(times).toEqual([...times].sort().reverse());
    expect(times).toHaveLength(35);
    const [createdAfter, createdBefore] = ['2020-01-04T00:00:00Z', '2020-01-11T00:00:00.000+00:00'];
    const between = await listAll(tenant.secretKey, { limit: '4', createdAfter, createdBefore });
    expect(between.map(({ createdAt }) => createdAt)).toEqual(
      times.filter((time) => time > '2020-01-04T00:00:00.000Z' && time < '2020-01-11'),
    );
    expect(between).toHaveLength(6);
  });

  it('filters by address, external id, flags and last login, individually and combined', async () => {
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
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${bea['id']}/disable`);
    const [a, b, c] = emails([ada, bea, cyd]) as [string, string, string];
    const cases: [Record<string, string>, string[]][] = [
      [{ email: a.toUpperCase() }, [a]],
      [{ externalId: 'b' }, [b]],
      [{ externalId: 'c' }, []],
      [{ email: a, externalId: 'b' }, []],
      [{ email: a, q: a.slice(0, 8) }, [a]],
      [{ email: a, q: b.slice(0, 8) }, []],
      [{ emailVerified: 'true' }, [c, a]],
      [{ emailVerified: 'false' }, [b]],
      [{ disabled: 'true' }, [b]],
      [{ disabled: 'false' }, [c, a]],
      [{ disabled: 'true', emailVerified: 'true' }, []],
      [{ lastLoginAfter: '2020-01-01T00:00:00Z' }, [b, a]],
      [{ lastLoginAfter: '2020-01-01T00:00:00Z', limit: '1' }, [b, a]],
      [{ lastLoginBefore: between }, [a]],
      [{ lastLoginAfter: between, disabled: 'false' }, []],
      [{ lastLoginAfter: between, q: b.slice(0, 8), disabled: 'true' }, [b]],
      [{ createdBefore: cyd['createdAt'] }, [b, a]],
      [{ createdAfter: ada['createdAt'], disabled: 'false' }, [c]],
      // The full range of valid times.
      [{ createdAfter: '0000-01-01T00:00:00Z', createdBefore: '9999-12-31T23:59:59.999Z' }, [c, b, a]],
      [{ lastLoginAfter: '0000-01-01T00:00:00Z', lastLoginBefore: '9999-12-31T23:59:59.999Z' }, [b, a]],
    ];
    await checkCases(
      cases.map(([filter, found]) => [JSON.stringify(filter), filter, found] as const),
      async (filter, found) => expect(emails(await listAll(tenant.secretKey, filter))).toEqual(found),
    );
  });

  it('rejects invalid filters', async () => {
    const filters: [string, string][] = [
      ...['a', ' a ', 'x'.repeat(255)].map((q): [string, string] => ['q', q]),
      ['email', 'nobody'],
      ['projectId', 'mine'],
      ['externalId', ''],
      ['emailVerified', '1'],
      ['disabled', 'TRUE'],
      ['createdAfter', 'yesterday'],
      ['lastLoginBefore', '2020-01-01'],
      ['limit', '0'],
      ['limit', '201'],
      ['sort', 'email'],
    ];
    await checkCases(
      filters.map(([field, value]) => [`${field}=${value}`, field, value] as const),
      async (field, value) => {
        const rejected = { code: 'validation_failed', errors: [{ field }] };
        expect(await requestList(shop.secretKey, { [field]: value })).toMatchObject({
          status: 400,
          body: rejected,
        });
      },
    );
  });

  it('accepts a cursor only for the list that returned it', async () => {
    const tenant = await insertProject(instance, shop.organizationId);
    for (let index = 0; index < 2; index += 1) await create(tenant, { firstName: 'Ada' });
    const cursor = async (filter: Record<string, string>) =>
      (await requestList(tenant.secretKey, { limit: '1', ...filter })).body.nextCursor as string;
    const unfiltered = await cursor({});
    const changed = (unfiltered.startsWith('A') ? 'B' : 'A') + unfiltered.slice(1);
    const invalid = [changed, 'AAAA', '', `${unfiltered}=`, await cursor({ q: 'ada' })];
    const rejected = { status: 400, body: { code: 'invalid_cursor' } };
    for (const filter of [
      { cursor: unfiltered, disabled: 'false' },
      ...invalid.map((each) => ({ cursor: each })),
    ])
      expect(await requestList(tenant.secretKey, filter)).toMatchObject(rejected);
    expect(await requestList(shop.secretKey, { cursor: unfiltered })).toMatchObject(rejected);
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

  it('finds prefixes of addresses and names, ignoring case', async () => {
    const [ada, adam, ann, graceH, grace, jose, mary, percent, plain, only] = people.map(([email]) => email);
    const cases: [string, ...(string | undefined)[]][] = [
      ['AdA', ada, ann, adam, graceH, only],
      ['  ada  ', ada, ann, adam, graceH, only],
      ['ada l', ada],
      ['ada  b', ann],
      ['ada@', ada],
      ['lovelace', ada],
      ['mary a', mary],
      ['grace_', graceH],
      ['grace', graceH, grace],
      ['JOSÉ ñ', jose],
      ['ñan', jose],
      ['100%', percent],
      ['a\\b', percent],
      ['__'],
      ['%%'],
      [plain!, plain],
      ['smith adam'],
      ['race'],
      ['love lace'],
    ];
    await checkCases(
      cases.map(([q, ...found]) => [q, q, found] as const),
      async (q, found) => {
        for (const limit of ['1', '50'])
          expect(emails(await listAll(tenant.secretKey, { q, limit })).sort()).toEqual([...found].sort());
      },
    );
  });

  it('orders by the matched value and contains each customer once', async () => {
    expect(emails(await listAll(tenant.secretKey, { q: 'ada', limit: '2' }))).toEqual([
      'countess@example.com', // ada byron
      'ada@lovelace.example', // ada lovelace (the name is compared before the address)
      'only@example.com', // adair
      'adam@example.com', // adam smith
      'grace_h@example.com', // adams
    ]);
  });

  it('scans a bounded number of customers per page and skips none', async () => {
    const large = await insertProject(instance, shop.organizationId);
    await insertCustomers(
      large,
      4_000,
      'email_verified, disabled_at, last_login_at',
      `'ann' || n || '@example.com', 'Ann', 'Annable', n % 2 = 0, CASE WHEN n % 1000 = 0 THEN now() END,
       now() - n * interval '1 minute'`,
    );
    const disabled = [1, 2, 3, 4].map((thousand) => `ann${thousand}000@example.com`);
    const search = { q: 'ann', disabled: 'true' };
    expect((await requestList(large.secretKey, search)).body).toMatchObject({ hasMore: true });
    expect(emails(await listAll(large.secretKey, search)).sort()).toEqual(disabled);
    const logins = { lastLoginAfter: '2020-01-01T00:00:00Z', disabled: 'true' };
    expect(emails(await listAll(large.secretKey, logins))).toEqual(disabled);
    expect((await requestList(large.secretKey, { disabled: 'true' })).body).toMatchObject({ hasMore: false });
    const found = emails(await listAll(large.secretKey, { q: 'ann', limit: '200' }));
    expect([found.length, new Set(found).size]).toEqual([4_000, 4_000]);
  });
});

describe('access to customers', () => {
  it('lists the customers that a project key or an organization key can access (AK-05)', async () => {
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
      expect(emails(await listAll(key, { ...filter, limit: '1' })).sort()).toEqual([a, b, c].sort());
      expect(emails(await listAll(key, { ...filter, projectId: child.projectId }))).toEqual([c]);
      expect(emails(await listAll(sibling.secretKey, filter))).toEqual([b]);
      for (const projectId of [grandchild.projectId, randomUUID(), shop.projectId]) {
        expect(await requestList(key, { ...filter, projectId })).toMatchObject({
          status: 200,
          body: { data: [], nextCursor: null, hasMore: false },
        });
      }
      expect(await listAll(sibling.secretKey, { ...filter, projectId: parent.projectId })).toEqual([]);
    }
    expect(emails(await listAll(key, { email: c! }))).toEqual([c]);
  });

  it('lists the customers of archived projects as well', async () => {
    const tenant = await insertOrganization(instance);
    const archived = await insertProject(instance, tenant.organizationId);
    const [activeEmail, archivedEmail] = emails([await create(tenant), await create(archived)]);
    await instance.sql('UPDATE projects SET archived_at = now() WHERE id = $1', [archived.projectId]);
    const key = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
    expect(emails(await listAll(key))).toEqual([archivedEmail, activeEmail]);
    expect(emails(await listAll(key, { projectId: archived.projectId }))).toEqual([archivedEmail]);
    expect(emails(await listAll(key, { email: archivedEmail! }))).toEqual([archivedEmail]);
  });
});
