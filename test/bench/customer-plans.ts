import { entireInstallation } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  CustomersRepository,
  emptyCustomerFilter,
  SessionsRepository,
  type CustomerFilter,
} from '@gatehouse/persistence';
import { Explainer } from '../support/explainer.js';
import type { TestInstance } from '../support/test-instance.js';
import { EMAIL_PREFIX, FULL_NAME } from './seed-customers.js';
import { printSection } from './report.js';

const LIMIT = 50;
const SMALL = 'a project of 10 customers';

/** A page takes up to three scans if too few of the first rows match. */
const scans = ['', ', second scan', ', third scan'];

interface Plan {
  name: string;
  lines: string[];
}

/** Prints the query plans for each kind of customer list, and for reading a customer by id, at a login and for /me. */
export async function printPlans(instance: TestInstance): Promise<void> {
  const plans = [...(await listPlans(instance)), ...(await readPlans(instance))];
  printSection('Query plans, each statement executed for the second time', {
    table: [
      ['statement', 'pages read', 'ms', 'indexes of customers'],
      ...plans.map(({ name, lines }) => [
        name,
        readBuffers(lines),
        readTime(lines),
        readIndexes(lines).join(' '),
      ]),
    ],
    // The small project has the same plans, so only its table rows are printed.
    notes: plans
      .filter(({ name }) => !name.includes(SMALL))
      .flatMap(({ name, lines }) => ['', name, ...lines.map((line) => `  ${line}`)]),
    targets: [],
  });
}

async function listPlans(instance: TestInstance): Promise<Plan[]> {
  const { organizationId, projectId } = instance.credentials;
  const day = 86_400_000;
  const [{ middle }] = (await instance.sql<{ middle: Date }>(
    `SELECT min(created_at) + (max(created_at) - min(created_at)) / 2 AS middle FROM customers WHERE project_id = $1`,
    [projectId],
  )) as [{ middle: Date }];
  const [{ id: lastId }] = (await instance.sql<{ id: string }>(
    'SELECT id FROM customers WHERE created_at < $1 ORDER BY created_at DESC LIMIT 1',
    [middle],
  )) as [{ id: string }];
  const later = new Date(middle.getTime() + day);
  const middlePosition = { key: middle.toISOString(), id: lastId };
  const filters: [name: string, filter: Partial<CustomerFilter>, after?: { key: string; id: string }][] = [
    ['no filter', {}],
    ['no filter, a page in the middle', {}, middlePosition],
    ['not verified, disabled', { emailVerified: false, disabled: true }],
    ['created on one day', { createdAfter: middle, createdBefore: later }],
    [
      'created on one day, a page in the middle of it',
      { createdAfter: middle, createdBefore: later },
      { key: new Date(middle.getTime() + day / 2).toISOString(), id: lastId },
    ],
    ['last login before a time', { lastLoginBefore: middle }],
    ['one email address', { email: 'anna.500000@example.com' }],
    ['one external id', { externalId: 'crm-500000' }],
    [`q=${EMAIL_PREFIX} (an email prefix)`, { q: EMAIL_PREFIX }],
    [`q=${FULL_NAME} (both names)`, { q: FULL_NAME }],
    [`q=${FULL_NAME}, a later page`, { q: FULL_NAME }, { key: 'anna mü8', id: lastId }],
    ['q=zz (no match)', { q: 'zz' }],
    [`q=${FULL_NAME}, disabled (few match)`, { q: FULL_NAME, disabled: true }],
  ];
  const [small] = await instance.sql<{ id: string }>(`SELECT id FROM projects WHERE slug = 'seed-1'`);
  const plans: Plan[] = [];
  for (const [name, filter, after] of filters) {
    for (const [scope, accessScope] of [
      ['project', { organizationIds: [organizationId], projectId }],
      ['organization', { organizationIds: [organizationId], projectId: null }],
      ['installation', entireInstallation],
      [SMALL, { organizationIds: [organizationId], projectId: small!.id }],
    ] as const) {
      const explainer = new Explainer(instance);
      const directory = explainer.repository(CustomerDirectoryRepository);
      // Each statement runs twice, because the pages may still be on disk in the first run.
      for (let run = 0; run < 2; run += 1) {
        explainer.plans.length = 0;
        await directory.listPage(accessScope, { ...emptyCustomerFilter, ...filter }, after ?? null, LIMIT);
      }
      const statements = explainer.plans.filter((lines) => readIndexes(lines).length > 0);
      plans.push(...statements.map((lines, scan) => ({ name: `${name}, ${scope}${scans[scan]}`, lines })));
    }
  }
  return plans;
}

async function readPlans(instance: TestInstance): Promise<Plan[]> {
  const { organizationId, projectId } = instance.credentials;
  const [customer] = await instance.sql<{ id: string; email: string }>(
    'SELECT id, email FROM customers WHERE project_id = $1 LIMIT 1 OFFSET 1000',
    [projectId],
  );
  const { id, email } = customer!;
  const reads: [string, (explainer: Explainer) => Promise<unknown>][] = [
    [
      'GET customer',
      (explainer) =>
        explainer
          .repository(CustomersRepository)
          .get({ organizationIds: [organizationId], projectId: null }, id),
    ],
    [
      'the customer of a login',
      (explainer) => explainer.repository(CustomersRepository).findByEmail(projectId, email),
    ],
    ['/me', (explainer) => explainer.repository(SessionsRepository).findActiveCustomer(id, id, projectId)],
  ];
  const plans: Plan[] = [];
  for (const [name, read] of reads) {
    const explainer = new Explainer(instance);
    await read(explainer);
    plans.push(...explainer.plans.map((lines) => ({ name, lines })));
  }
  return plans;
}

const readIndexes = (lines: string[]): string[] => [
  ...new Set(lines.flatMap((line) => /using (customers_\w+)/.exec(line)?.slice(1) ?? [])),
];
const readTime = (lines: string[]): string => /^Execution Time: (.*) ms/m.exec(lines.join('\n'))![1]!;
const readBuffers = (lines: string[]): string =>
  /shared hit=(\d+)/.exec(lines.find((line) => line.includes('Buffers'))!)![1]!;
