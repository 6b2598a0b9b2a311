import { Agent } from 'node:http';
import { openSession } from '../support/customers.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import {
  seedProjects,
  EMAIL_PREFIX,
  seedCustomers,
  FIRST_NAME,
  FULL_NAME,
  LAST_NAME,
} from './seed-customers.js';
import { printPlans } from './customer-plans.js';
import type { HttpRequest } from './exchange.js';
import { compareSizes, type TimedCase, type ComparedTimings } from './compare-sizes.js';
import { pickOne } from './pick-one.js';
import { formatRatio, median, percentile, printProgress, type SectionResult } from './report.js';
import { mapInGroups, registerCustomers } from './requests.js';

const CUSTOMERS = 1_000_000;
const PROJECTS = 10_000;
const CUSTOMERS_EACH = 10;
/** Enough customers to fill a page of the small instance. */
const SMALL_CUSTOMERS = 2_000;
const SAMPLES = 200;
/** Warm-up requests before the first case: compiled code is several times faster. */
const FIRST_WARM_UP = 300;
const COST = 10;
const MAX_RATIO = 1.3;

/**
 * A request to measure. `buildRequest` picks a different customer, page or session each time if there are several.
 */
interface Case extends TimedCase<BenchData> {
  /** Number of samples. Smaller for cases that hash passwords. */
  samples?: number;
}

/** The data from which requests are built. */
interface BenchData {
  instance: TestInstance;
  customers: { id: string; email: string; externalId: string | null; createdAt: Date }[];
  registeredEmails: string[];
  accessTokens: string[];
}

const get = (url: string, token: string): HttpRequest => ({
  method: 'GET',
  url,
  headers: { authorization: `Bearer ${token}` },
});

/** Returns the request for a list in the whole organization or in one project. */
const list =
  (filter: (data: BenchData) => Record<string, string>, scope: 'organization' | 'project') =>
  (data: BenchData) => {
    const { baseUrl, credentials } = data.instance;
    const restriction: Record<string, string> =
      scope === 'project' ? { projectId: credentials.projectId } : {};
    const query = new URLSearchParams({ ...filter(data), ...restriction });
    return get(`${baseUrl}/api/v1/customers?${query}`, credentials.secretKey);
  };

const lists: Record<string, (data: BenchData) => Record<string, string>> = {
  'list: newest': () => ({}),
  'list: from a random time': ({ customers }) => ({
    createdBefore: pickOne(customers).createdAt.toISOString(),
  }),
  'list: not verified': () => ({ emailVerified: 'false' }),
  'list: last logins': () => ({ lastLoginAfter: '2020-01-01T00:00:00Z' }),
  'list: one email': ({ customers }) => ({ email: pickOne(customers).email }),
  'list: one external id': ({ customers }) => ({ externalId: pickOne(customers).externalId ?? 'none' }),
  'search: email prefix': () => ({ q: EMAIL_PREFIX }),
  'search: first name': () => ({ q: FIRST_NAME }),
  'search: last name': () => ({ q: LAST_NAME }),
  'search: both names': () => ({ q: FULL_NAME }),
  'search: verified, email prefix': () => ({ q: EMAIL_PREFIX, emailVerified: 'true' }),
};

const cases: Case[] = [
  ...Object.entries(lists).flatMap(([name, filter]) => [
    { name: `${name}, project`, buildRequest: list(filter, 'project') },
    { name: `${name}, organization`, buildRequest: list(filter, 'organization') },
  ]),
  {
    name: 'GET customer',
    buildRequest: ({ instance, customers }) =>
      get(`${instance.baseUrl}/api/v1/customers/${pickOne(customers).id}`, instance.credentials.secretKey),
  },
  {
    name: 'GET /me',
    buildRequest: ({ instance, accessTokens }) => get(`${instance.baseUrl}/api/v1/me`, pickOne(accessTokens)),
  },
  {
    name: 'POST login',
    samples: 60,
    buildRequest: ({ instance, registeredEmails }) => ({
      method: 'POST',
      url: `${instance.baseUrl}/api/v1/auth/login`,
      headers: { 'x-publishable-key': instance.credentials.publishableKey },
      body: JSON.stringify({ email: pickOne(registeredEmails), password: PASSWORD }),
    }),
  },
];

/** Measures an instance with a million customers and ten thousand projects, and compares it with a small one. */
export async function measureCustomers({
  samples = SAMPLES,
  plans,
}: {
  samples?: number;
  plans?: boolean;
}): Promise<SectionResult> {
  const env = { BCRYPT_COST: String(COST), RATE_LIMITS: 'off' };
  const [few, many] = [await BenchInstance.start({ env }), await BenchInstance.start({ env })];
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  try {
    await seedCustomers(few.instance, SMALL_CUSTOMERS);
    printProgress(`${CUSTOMERS} customers and ${PROJECTS} projects`);
    await seedProjects(many.instance, PROJECTS, CUSTOMERS_EACH);
    await seedCustomers(many.instance, CUSTOMERS);
    if (plans) await printPlans(many.instance);
    const data = [await loadBenchData(few.instance), await loadBenchData(many.instance)] as const;
    await compareSizes(agent, cases[0]!, data, 0, FIRST_WARM_UP);
    const timed: ComparedTimings[] = [];
    for (const each of cases) {
      printProgress(each.name);
      timed.push(await compareSizes(agent, each, data, Math.min(samples, each.samples ?? samples)));
    }
    return report(timed);
  } finally {
    agent.destroy();
    await Promise.all([few.stop(), many.stop()]);
  }
}

async function loadBenchData(instance: TestInstance): Promise<BenchData> {
  const registeredEmails = await registerCustomers(instance, 20);
  const sessions = await mapInGroups(registeredEmails, (email) => openSession(instance, email));
  // Random customers, so that reads are spread over the whole index.
  const customers = await instance.sql<BenchData['customers'][number]>(
    `SELECT id, email, external_id AS "externalId", created_at AS "createdAt" FROM customers
     WHERE project_id = $1 AND external_id IS NOT NULL ORDER BY random() LIMIT 1000`,
    [instance.credentials.projectId],
  );
  return {
    instance,
    customers,
    registeredEmails,
    accessTokens: sessions.map(({ accessToken }) => accessToken),
  };
}

function report(timed: ComparedTimings[]): SectionResult {
  const ratio = ({ small, large }: ComparedTimings): number => median(large) / median(small);
  return {
    table: [
      ['', 'few: median ms', 'many: median ms', 'p95 ms', 'ratio'],
      ...timed.map((each) => [
        each.name,
        median(each.small).toFixed(2),
        median(each.large).toFixed(2),
        percentile(each.large, 0.95).toFixed(2),
        formatRatio(ratio(each)),
      ]),
    ],
    notes: [
      `Few: ${SMALL_CUSTOMERS} customers in one project, enough to fill every page.`,
      `Many: ${CUSTOMERS} in one project, and ${PROJECTS} projects of the same organization with ${CUSTOMERS_EACH} each.`,
      'Requests are sent one after the other, to both instances in turn. Each reads a different customer or',
      'page, if there are several.',
    ],
    targets: timed.map((each) => ({
      name: `${each.name}, ratio of many to few`,
      value: ratio(each),
      bound: MAX_RATIO,
      direction: 'at most',
      unit: '',
    })),
  };
}
