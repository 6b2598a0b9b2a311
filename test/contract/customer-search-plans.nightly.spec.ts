import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  CustomerDirectoryRepository,
  CustomersBulkRepository,
  CustomersRepository,
  emptyCustomerFilter,
  ImportTargetsRepository,
  PasskeysRepository,
  TokenSubjectsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { checkCases } from '../support/check-cases.js';
import { adminUrl, createDatabase, dropDatabase } from '../support/databases.mjs';
import { Explainer } from '../support/explainer.js';
import type { TestInstance } from '../support/test-instance.js';

const CUSTOMERS = 40_000;
const BATCH = 20;

/** An index search reads two to four pages, and a statement may search for a customer more than once. */
const MAX_PAGES = 10 * BATCH;

const name = 'gatehouse_customer_search';
const organizationId = randomUUID();
let client: pg.Client;
let explained: Pick<TestInstance, 'sql'>;
beforeAll(async () => {
  await createDatabase(name, process.env['TEST_TEMPLATE']!);
  client = new pg.Client({ connectionString: adminUrl(name) });
  await client.connect();
  explained = { sql: async (text, values) => (await client.query(text, values)).rows };
  await client.query("INSERT INTO organizations (id, name, slug) VALUES ($1, 'Large', 'large')", [
    organizationId,
  ]);
});
afterAll(async () => {
  await client?.end();
  await dropDatabase(name);
});

/** Creates a project with many customers. Returns the ids of the project and of some of the customers. */
async function insertLargeProject(): Promise<{ projectId: string; ids: string[] }> {
  const projectId = randomUUID();
  await client.query(
    'INSERT INTO projects (id, organization_id, name, slug) VALUES ($1::uuid, $2, $1::text, $1::text)',
    [projectId, organizationId],
  );
  await client.query(
    `INSERT INTO customers (id, project_id, external_id, email, created_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid()::text, n || '@large.example', now() - n * interval '1 minute'
     FROM generate_series(1, $2) n`,
    [projectId, CUSTOMERS],
  );
  await client.query(
    `INSERT INTO passkeys (id, project_id, customer_id, credential_id, public_key, counter, transports, device_bound,
       backed_up, aaguid, name)
     SELECT gen_random_uuid(), $1, id, decode(md5(email), 'hex'), '\\x00', 0, '{}', false, false, gen_random_uuid(), 'key'
     FROM customers WHERE project_id = $1`,
    [projectId],
  );
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM customers WHERE project_id = $1 LIMIT $2',
    [projectId, BATCH],
  );
  return { projectId, ids: rows.map(({ id }) => id) };
}

const newIds = Array.from({ length: BATCH }, () => randomUUID());
const newEmails = newIds.map((id) => `${id}@new.example`);

type Search = (explainer: Explainer, projectId: string, ids: string[]) => Promise<unknown>;

const asTx = (explainer: Explainer): Tx => explainer as unknown as Tx;

const listPage = (explainer: Explainer, projectId: string, filter: object): Promise<unknown> =>
  explainer
    .repository(CustomerDirectoryRepository)
    .listPage({ organizationIds: null, projectId }, { ...emptyCustomerFilter, ...filter }, null, BATCH);

const searches: [name: string, search: Search][] = [
  [
    'taken ids',
    (explainer, projectId) =>
      explainer.repository(CustomersBulkRepository).findTakenIds(
        asTx(explainer),
        projectId,
        newIds.map((id) => ({ id, externalId: null })),
      ),
  ],
  [
    'taken addresses',
    (explainer, projectId) =>
      explainer.repository(CustomersBulkRepository).findIdsByEmail(asTx(explainer), projectId, newEmails),
  ],
  [
    'ids that are external ids',
    (explainer, projectId) =>
      new TokenSubjectsRepository().findCustomerIds(asTx(explainer), projectId, newIds),
  ],
  [
    'customers who have signed in',
    (explainer, projectId, ids) => new TokenSubjectsRepository().listUsed(asTx(explainer), projectId, ids),
  ],
  [
    'owners of passkeys',
    (explainer, projectId) =>
      explainer.repository(PasskeysRepository).findOwners(
        asTx(explainer),
        projectId,
        newIds.map(() => randomBytes(16)),
      ),
  ],
  [
    'customer by email',
    (explainer, projectId) =>
      explainer.repository(CustomersRepository).findByEmail(projectId, '7@large.example'),
  ],
  [
    'locked customer by email',
    (explainer, projectId) =>
      explainer.repository(CustomersRepository).lockByEmail(asTx(explainer), projectId, '7@large.example'),
  ],
  ['list by email', (explainer, projectId) => listPage(explainer, projectId, { email: '7@large.example' })],
  [
    'list by external id',
    (explainer, projectId) => listPage(explainer, projectId, { externalId: newIds[0] }),
  ],
  // Runs last, because it adds row versions that the other searches would read.
  [
    'customers to update',
    async (explainer, projectId, ids) => {
      const targets = await new ImportTargetsRepository().lock(asTx(explainer), projectId, {
        externalIds: newIds,
        ids,
      });
      expect(targets).toHaveLength(BATCH);
      const updates = targets.map((target) => ({ ...target, projectId }));
      await new ImportTargetsRepository().update(asTx(explainer), projectId, updates);
    },
  ],
];

describe('a search for customers by unique values', () => {
  it('does not read other customers in a large project without statistics', () => expectIndexSearches());

  it('does not read other customers in a large project that is missing from the statistics', async () => {
    await client.query('ANALYZE customers, passkeys');
    await expectIndexSearches();
  });
});

async function expectIndexSearches(): Promise<void> {
  const { projectId, ids } = await insertLargeProject();
  await checkCases(
    searches,
    async (search) => {
      const explainer = new Explainer(explained);
      await search(explainer, projectId, ids);
      const rows = explainer.plans.flat().flatMap((line) => /rows=(\d+)[^)]*loops=1\)/.exec(line)?.[1] ?? []);
      expect(rows.length).toBeGreaterThan(0);
      expect(Math.max(...rows.map(Number))).toBeLessThanOrEqual(2 * BATCH);
      const pages = explainer.plans.flatMap(readPages);
      expect(pages.length).toBeGreaterThan(0);
      expect(Math.max(...pages)).toBeLessThanOrEqual(MAX_PAGES);
      expect(explainer.plans.flat().join('\n')).not.toMatch(
        /Rows Removed by Filter|Seq Scan on (?!sessions)/,
      );
    },
    1,
  );
}

/** Returns the number of pages that each plan node has read, except the top node of an update, which also writes. */
const readPages = (plan: string[]): number[] =>
  plan
    .slice(plan[0]!.startsWith('Update') ? 2 : 0, plan.indexOf('Planning:'))
    .filter((line) => line.includes('Buffers: '))
    .map((line) =>
      [...line.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    );
