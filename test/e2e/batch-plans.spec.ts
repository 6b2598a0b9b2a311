import { randomBytes, randomUUID } from 'node:crypto';
import {
  CustomersBulkRepository,
  ImportTargetsRepository,
  PasskeysRepository,
  TokenSubjectsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { checkCases } from '../support/check-cases.js';
import { Explainer } from '../support/explainer.js';
import { TestInstance } from '../support/test-instance.js';

const CUSTOMERS = 40_000;
const BATCH = 20;

/** A search of an index reads two to four pages, and a customer can be searched for more than once. */
const PAGES_PER_CUSTOMER = 10;

let instance: TestInstance;
let projectId: string;
let ids: string[];
/** Pages that the search of one customer may read. */
let maxPages: number;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  ({ projectId } = instance.credentials);
  // Not analyzed, as during the first import of a project.
  await instance.sql(
    `INSERT INTO customers (id, project_id, external_id, email, created_at)
     SELECT gen_random_uuid(), $1, gen_random_uuid()::text, n || '@large.example', now() - n * interval '1 minute'
     FROM generate_series(1, $2) n`,
    [projectId, CUSTOMERS],
  );
  await instance.sql(
    `INSERT INTO passkeys (id, project_id, customer_id, credential_id, public_key, counter, transports, device_bound,
       backed_up, aaguid, name)
     SELECT gen_random_uuid(), $1, id, decode(md5(email), 'hex'), '\\x00', 0, '{}', false, false, gen_random_uuid(), 'key'
     FROM customers WHERE project_id = $1`,
    [projectId],
  );
  ids = (
    await instance.sql<{ id: string }>('SELECT id FROM customers WHERE project_id = $1 LIMIT $2', [
      projectId,
      BATCH,
    ])
  ).map(({ id }) => id);
  // The table contains the few sessions of other test files, so PostgreSQL reads all of it for each customer.
  const [sessions] = await instance.sql<{ pages: number }>(
    "SELECT (pg_relation_size('sessions') / current_setting('block_size')::integer)::integer AS pages",
  );
  maxPages = PAGES_PER_CUSTOMER + sessions!.pages;
});
afterAll(async () => instance?.stop());

type Search = (tx: Tx, explainer: Explainer) => Promise<{ size: number } | { length: number }>;

const newIds = Array.from({ length: BATCH }, () => randomUUID());
const newEmails = newIds.map((id) => `${id}@new.example`);
const searches: [name: string, search: Search][] = [
  [
    'taken ids',
    (tx, explainer) =>
      explainer.repository(CustomersBulkRepository).findTakenIds(
        tx,
        projectId,
        newIds.map((id) => ({ id, externalId: null })),
      ),
  ],
  [
    'taken addresses',
    (tx, explainer) => explainer.repository(CustomersBulkRepository).findIdsByEmail(tx, projectId, newEmails),
  ],
  ['ids that are external ids', (tx) => new TokenSubjectsRepository().findCustomerIds(tx, projectId, newIds)],
  ['customers who have signed in', (tx) => new TokenSubjectsRepository().listUsed(tx, projectId, ids)],
  [
    'owners of passkeys',
    (tx, explainer) =>
      explainer.repository(PasskeysRepository).findOwners(
        tx,
        projectId,
        newIds.map(() => randomBytes(16)),
      ),
  ],
  // The last one, because it adds versions of rows that others would read.
  [
    'customers to update',
    async (tx) => {
      const targets = await new ImportTargetsRepository().lock(tx, projectId, { externalIds: newIds, ids });
      const updates = targets.map((target) => ({ ...target, projectId }));
      await new ImportTargetsRepository().update(tx, projectId, updates);
      return targets;
    },
  ],
];

it('a batch of customers reads no other customer of a large project', () =>
  checkCases(
    searches,
    async (search) => {
      const explainer = new Explainer(instance);
      await search(explainer as unknown as Tx, explainer);
      const rows = explainer.plans.flat().flatMap((line) => /rows=(\d+)[^)]*loops=1\)/.exec(line)?.[1] ?? []);
      expect(rows.length).toBeGreaterThan(0);
      expect(Math.max(...rows.map(Number))).toBeLessThanOrEqual(2 * BATCH);
      const pages = explainer.plans.flatMap(readPages);
      expect(pages.length).toBeGreaterThan(0);
      expect(Math.max(...pages)).toBeLessThanOrEqual(maxPages * BATCH);
      expect(explainer.plans.flat().join('\n')).not.toMatch(
        /Rows Removed by Filter|Seq Scan on (?!sessions)/,
      );
    },
    1,
  ));

/** Returns the number of pages that each node of a plan has read, except the first node of an update, which also writes. */
const readPages = (plan: string[]): number[] =>
  plan
    .slice(plan[0]!.startsWith('Update') ? 2 : 0, plan.indexOf('Planning:'))
    .filter((line) => line.includes('Buffers: '))
    .map((line) =>
      [...line.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0),
    );
