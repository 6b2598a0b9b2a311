import { Agent } from 'node:http';
import type { TestInstance } from '../support/test-instance.js';
import {
  attemptCount,
  DAYS,
  deadLetterCount,
  seedAttempts,
  PROJECTS,
  RARE_TYPE,
  type SeedSize,
} from './seed-attempts.js';
import { BenchInstance } from './bench-instance.js';
import { exchange, type HttpRequest } from './exchange.js';
import { compareSizes, type TimedCase, type ComparedTimings } from './compare-sizes.js';
import { pickOne } from './pick-one.js';
import { formatRatio, median, percentile, printProgress, type SectionResult } from './report.js';

/** 4.2 million deliveries have five million attempts. */
const LARGE: SeedSize = { deliveries: 4_200_000, days: DAYS, endpoints: 20 };
/** Enough rows to fill a page: an empty page costs nothing to read or write. */
const SMALL: SeedSize = { deliveries: 6_000, days: 1, endpoints: 2 };
const SAMPLES = 100;
/** Warm-up requests before the first case: compiled code is several times faster. */
const FIRST_WARM_UP = 300;
const MAX_RATIO = 1.5;

interface ListPosition {
  created_before: string;
  cursor: string;
}

/** The data from which requests are built. */
interface BenchData {
  instance: TestInstance;
  /** Random deliveries, each with its first attempt. */
  deliveries: { id: string; attemptId: string; eventId: string; endpointId: string; createdAt: Date }[];
  smallProjects: string[];
  smallEndpoints: string[];
  positions: Record<Key, ListPosition[]>;
}

type Key = 'organization' | 'project';
type Query = (data: BenchData, key: Key) => Record<string, string>;

const getKey = ({ instance }: BenchData, key: Key): string =>
  key === 'organization' ? instance.credentials.secretKey : instance.credentials.projectSecretKey;

const get = (data: BenchData, key: Key, path: string): HttpRequest => ({
  method: 'GET',
  url: `${data.instance.baseUrl}/v1/webhooks/${path}`,
  headers: { authorization: `Bearer ${getKey(data, key)}` },
});

const list = (path: string, query: Query, key: Key) => (data: BenchData) =>
  get(data, key, `${path}?${new URLSearchParams(query(data, key))}`);

/** A random hour in the log. */
const hour: Query = ({ deliveries }) => {
  const { createdAt } = pickOne(deliveries);
  return {
    created_after: createdAt.toISOString(),
    created_before: new Date(createdAt.getTime() + 3_600_000).toISOString(),
  };
};
const oneEndpoint: Query = ({ deliveries }) => ({ endpoint_id: `ep_${pickOne(deliveries).endpointId}` });

const attemptLists: Record<string, Query> = {
  newest: () => ({}),
  'a later page': ({ positions }, key) => ({ ...pickOne(positions[key]) }),
  'from a random time': ({ deliveries }) => ({ created_before: pickOne(deliveries).createdAt.toISOString() }),
  'an hour': hour,
  'one endpoint': oneEndpoint,
  'one endpoint, failed': (data, key) => ({ ...oneEndpoint(data, key), success: 'false' }),
  'one event': ({ deliveries }) => ({ event_id: `evt_${pickOne(deliveries).eventId}` }),
  'one delivery': ({ deliveries }) => ({ delivery_id: `dlv_${pickOne(deliveries).id}` }),
  'a type': () => ({ event: 'session.created' }),
  'a rare type': () => ({ event: RARE_TYPE }),
  failed: () => ({ success: 'false' }),
  succeeded: () => ({ success: 'true' }),
  'of dead letters': () => ({ delivery_state: 'failed' }),
  'of pending deliveries (none)': () => ({ delivery_state: 'pending' }),
  'of succeeded deliveries': () => ({ delivery_state: 'succeeded' }),
  'status 404': () => ({ http_status: '404' }),
  'status 418 (none)': () => ({ http_status: '418' }),
  'class 5xx': () => ({ status_class: '5xx' }),
  'no response (none)': () => ({ status_class: 'none' }),
};

const deadLetterLists: Record<string, Query> = {
  newest: () => ({}),
  'from a random time': ({ deliveries }) => ({ created_before: pickOne(deliveries).createdAt.toISOString() }),
  'one endpoint': oneEndpoint,
  'a rare type': () => ({ event: RARE_TYPE }),
  'status 404': () => ({ http_status: '404' }),
  'status 418 (none)': () => ({ http_status: '418' }),
};

/** Cases that apply only to organization keys. */
const organizationCases: TimedCase<BenchData>[] = [
  {
    name: 'log: one project of many, organization',
    buildRequest: list(
      'deliveries',
      ({ smallProjects }) => ({ project_id: pickOne(smallProjects) }),
      'organization',
    ),
  },
  {
    name: 'log: one small endpoint, organization',
    buildRequest: list(
      'deliveries',
      ({ smallEndpoints }) => ({ endpoint_id: `ep_${pickOne(smallEndpoints)}` }),
      'organization',
    ),
  },
  {
    name: 'GET delivery',
    buildRequest: (data) => get(data, 'organization', `deliveries/dlv_${pickOne(data.deliveries).id}`),
  },
  {
    name: 'GET delivery by its attempt',
    buildRequest: (data) => get(data, 'organization', `deliveries/att_${pickOne(data.deliveries).attemptId}`),
  },
];

const cases: TimedCase<BenchData>[] = [
  ...(['organization', 'project'] as const).flatMap((key) => [
    ...Object.entries(attemptLists).map(([name, query]) => ({
      name: `log: ${name}, ${key}`,
      buildRequest: list('deliveries', query, key),
    })),
    ...Object.entries(deadLetterLists).map(([name, query]) => ({
      name: `dead letters: ${name}, ${key}`,
      buildRequest: list('dead-letters', query, key),
    })),
  ]),
  ...organizationCases,
];

/**
 * Measures the log with five million attempts and 200,000 dead letters, and compares it with a nearly empty log of
 * the same age.
 */
export async function measureAttempts({ samples = SAMPLES }: { samples?: number }): Promise<SectionResult> {
  const env = { RATE_LIMITS: 'off' };
  const [few, many] = [await BenchInstance.start({ env }), await BenchInstance.start({ env })];
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  try {
    await seedAttempts(few.instance, SMALL);
    printProgress(describeSize(LARGE));
    await seedAttempts(many.instance, LARGE);
    const data = [
      await loadBenchData(few.instance, agent),
      await loadBenchData(many.instance, agent),
    ] as const;
    await compareSizes(agent, cases[0]!, data, 0, FIRST_WARM_UP);
    const timed: ComparedTimings[] = [];
    for (const each of cases) {
      printProgress(each.name);
      timed.push(await compareSizes(agent, each, data, samples));
    }
    return report(timed);
  } finally {
    agent.destroy();
    await Promise.all([few.stop(), many.stop()]);
  }
}

const describeSize = ({ deliveries }: SeedSize): string =>
  `${attemptCount(deliveries)} attempts, ${deadLetterCount(deliveries)} dead letters`;

async function loadBenchData(instance: TestInstance, agent: Agent): Promise<BenchData> {
  const { projectId } = instance.credentials;
  const selectIds = async (sql: string): Promise<string[]> =>
    (await instance.sql<{ id: string }>(sql, [projectId])).map(({ id }) => id);
  // Random deliveries, so that reads are spread over the whole index.
  const deliveries = await instance.sql<BenchData['deliveries'][number]>(
    `SELECT d.id, a.id AS "attemptId", d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.created_at AS "createdAt"
     FROM (SELECT * FROM deliveries WHERE project_id = $1 ORDER BY random() LIMIT 500) d
       JOIN attempts a ON a.delivery_id = d.id AND a.attempt = 1`,
    [projectId],
  );
  const data: BenchData = {
    instance,
    deliveries,
    smallProjects: await selectIds('SELECT id FROM projects WHERE id <> $1'),
    smallEndpoints: await selectIds('SELECT id FROM webhook_endpoints WHERE project_id <> $1'),
    positions: { organization: [], project: [] },
  };
  for (const key of ['organization', 'project'] as const) {
    for (const { createdAt } of deliveries.slice(0, 50)) {
      const created_before = createdAt.toISOString();
      const { body } = await exchange(agent, list('deliveries', () => ({ created_before }), key)(data));
      const { next_cursor: cursor } = JSON.parse(body) as { next_cursor: string | null };
      if (cursor) data.positions[key].push({ created_before, cursor });
    }
  }
  return data;
}

function report(timed: ComparedTimings[]): SectionResult {
  const p95 = (values: number[]): number => percentile(values, 0.95);
  const ratio = ({ small, large }: ComparedTimings): number => p95(large) / p95(small);
  const worst = timed.toSorted((a, b) => ratio(b) - ratio(a))[0]!;
  return {
    table: [
      ['', 'few: median ms', 'p95 ms', 'many: median ms', 'p95 ms', 'ratio of p95'],
      ...timed.map((each) => [
        each.name,
        median(each.small).toFixed(2),
        p95(each.small).toFixed(2),
        median(each.large).toFixed(2),
        p95(each.large).toFixed(2),
        formatRatio(ratio(each)),
      ]),
    ],
    notes: [
      `Few: ${describeSize(SMALL)}, on one day. Many: ${describeSize(LARGE)}, over ${DAYS} days. Both have partitions for ${DAYS} days.`,
      `Half of the deliveries are in one project. The other half is spread over ${PROJECTS} projects of the same organization.`,
      'An empty table would be the wrong comparison, because its empty pages cost less to read and write.',
      'Requests are sent one after the other, to both instances in turn. Each reads a different row or page,',
      'if there are several.',
    ],
    targets: [
      ...timed.map((each) => ({ name: `${each.name}, ratio of many to few`, value: ratio(each) })),
      { name: `the worst of these (${worst.name})`, value: ratio(worst) },
    ].map((target) => ({ ...target, bound: MAX_RATIO, direction: 'at most', unit: '', isRequired: true })),
  };
}
