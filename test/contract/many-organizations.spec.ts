import { entireInstallation } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  emptyCustomerFilter,
  LookupsRepository,
  type CustomerFilter,
} from '@gatehouse/persistence';
import { checkCases } from '../support/check-cases.js';
import { Explainer } from '../support/explainer.js';
import { TestInstance } from '../support/test-instance.js';
import { listAll } from '../support/seed-instance.js';
import { insertOperator, type OperatorClient } from '../support/operator-client.js';

const ORGANIZATIONS = 1_000;
const CUSTOMERS_EACH = 20;
const LIMIT = 50;
/** Maximum number of pages to read. Each of four index scans may read one table page per customer. */
const MAX_PAGES = 4 * LIMIT + 100;

let instance: TestInstance;
let viewer: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  viewer = await insertOperator(instance, 'viewer');
  await instance.sql(
    `INSERT INTO organizations (id, name, slug)
     SELECT gen_random_uuid(), 'Company ' || n, 'company-' || n FROM generate_series(1, $1) n`,
    [ORGANIZATIONS],
  );
  await instance.sql(
    `INSERT INTO projects (id, organization_id, name, slug)
     SELECT gen_random_uuid(), id, name, slug FROM organizations WHERE slug LIKE 'company-%'`,
  );
  await instance.sql(
    `INSERT INTO customers (id, project_id, external_id, email, first_name, last_name, email_verified, disabled_at,
       last_login_at, created_at)
     SELECT gen_random_uuid(), id, 'crm-' || n || '-' || slug, n || '@' || slug || '.example',
       'Anna', substr(md5(n || slug), 1, 8), n % 2 = 0, CASE WHEN n % 10 = 0 THEN now() END,
       now() - random() * interval '1 year', now() - random() * interval '1 year'
     FROM projects, generate_series(1, $1) n WHERE slug LIKE 'company-%'`,
    [CUSTOMERS_EACH],
  );
  await instance.sql('VACUUM ANALYZE organizations');
  await instance.sql('VACUUM ANALYZE customers');
});
afterAll(async () => instance?.stop());

const longAgo = new Date('2000-01-01');
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString();

const filters: [string, Partial<CustomerFilter>][] = [
  ['all customers', {}],
  ['disabled customers', { disabled: true }],
  ['a time span', { createdAfter: longAgo, createdBefore: new Date(monthAgo) }],
  ['last logins', { lastLoginAfter: longAgo }],
  ['an address', { email: '7@company-7.example' }],
  ['an external id', { externalId: 'crm-7-company-7' }],
  ['a prefix of addresses', { q: '7@' }],
  ['a first name', { q: 'ann' }],
  ['a prefix of last names', { q: 'ab' }],
];

/** Returns the number of pages that PostgreSQL has read for the statements. */
function countPagesRead({ plans }: Explainer): number {
  const read = plans.map((lines) => {
    const [, hit = 0, missed = 0] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(lines.join('\n'))!;
    return Number(hit) + Number(missed);
  });
  return read.reduce((sum, pages) => sum + pages, 0);
}

describe('an operator query across many organizations', () => {
  it('reads a bounded number of pages for a customer list with any filter', () =>
    checkCases(filters, async (filter) => {
      const explainer = new Explainer(instance);
      const directory = explainer.repository(CustomerDirectoryRepository);
      const { customers } = await directory.listPage(
        entireInstallation,
        { ...emptyCustomerFilter, ...filter },
        null,
        LIMIT,
      );
      expect(customers.length).toBeGreaterThan(0);
      expect(countPagesRead(explainer)).toBeLessThan(MAX_PAGES);
    }));

  it('reads a bounded number of pages for the customers with an email address', async () => {
    const explainer = new Explainer(instance);
    const customerIds = await explainer
      .repository(LookupsRepository)
      .findCustomerIdsByEmail(entireInstallation, '7@company-7.example');
    expect(customerIds).toHaveLength(1);
    expect(countPagesRead(explainer)).toBeLessThan(20);
  });
});

describe('the customer list of the whole instance', () => {
  const lists: [Record<string, string>, string][] = [
    [{ createdAfter: monthAgo }, `WHERE created_at > '${monthAgo}' ORDER BY created_at DESC, id DESC`],
    [
      { lastLoginAfter: monthAgo, emailVerified: 'false' },
      `WHERE last_login_at > '${monthAgo}' AND NOT email_verified ORDER BY last_login_at DESC, id DESC`,
    ],
    [{ q: '7@' }, `WHERE email LIKE '7@%' ORDER BY email COLLATE "C", id`],
    [{ q: '@company-1' }, `WHERE email LIKE '%@company-1%' ORDER BY created_at DESC, id DESC`],
    [{ q: 'a0' }, `WHERE last_name LIKE 'a0%' ORDER BY last_name COLLATE "C", id`],
    [{ externalId: 'crm-7-company-7' }, `WHERE external_id = 'crm-7-company-7'`],
  ];
  it('filters across organizations, in order', () => {
    const cases = lists.map(([query, clause]) => [JSON.stringify(query), query, clause] as const);
    return checkCases(cases, async (query, clause) => {
      const expected = await instance.sql<{ id: string }>(`SELECT id FROM customers ${clause}`);
      expect(expected.length).toBeGreaterThan(0);
      const listedIds = await listAll(viewer, '/customers', { ...query, limit: '200' });
      expect(listedIds).toEqual(expected.map(({ id }) => id));
    });
  });
});
