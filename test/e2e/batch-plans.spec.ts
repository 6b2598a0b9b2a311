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

/** The cases update customers twice, which adds versions of their rows. */
const ROWS_PER_CUSTOMER = 3;

let instance: TestInstance;
let projectId: string;
let ids: string[];
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
    'changes of customers',
    async (tx) => {
      const targets = await new ImportTargetsRepository().lock(tx, projectId, { externalIds: [], ids });
      await new ImportTargetsRepository().update(
        tx,
        projectId,
        targets.map((target) => ({ ...target, projectId })),
      );
      return targets;
    },
  ],
  [
    'owners of passkeys',
    (tx, explainer) =>
      explainer.repository(PasskeysRepository).findOwners(
        tx,
        projectId,
        newIds.map(() => randomBytes(16)),
      ),
  ],
];

it('a batch of customers reads no other customer of a large project', () =>
  checkCases(searches, async (search) => {
    const explainer = new Explainer(instance);
    await search(explainer as unknown as Tx, explainer);
    const rows = explainer.plans.flat().flatMap((line) => /rows=(\d+)[^)]*loops=1\)/.exec(line)?.[1] ?? []);
    expect(rows.length).toBeGreaterThan(0);
    expect(Math.max(...rows.map(Number))).toBeLessThanOrEqual(ROWS_PER_CUSTOMER * BATCH);
    const pages = explainer.plans.flatMap((plan) =>
      plan
        // An update also writes pages, which its first node contains.
        .slice(plan[0]!.startsWith('Update') ? 2 : 0, plan.indexOf('Planning:'))
        .flatMap((line) => /Buffers: shared hit=(\d+)/.exec(line)?.[1] ?? []),
    );
    expect(Math.max(...pages.map(Number))).toBeLessThanOrEqual(PAGES_PER_CUSTOMER * BATCH);
    expect(explainer.plans.flat().join('\n')).not.toMatch(
      /Rows Removed by Filter|Seq Scan on (customers|passkeys)/,
    );
  }));
