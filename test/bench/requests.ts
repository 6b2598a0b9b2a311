import { availableParallelism } from 'node:os';
import { openSession, registerCustomer } from '../support/customers.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import type { ComparisonOptions } from './comparison-server.js';
import type { Bodies, Load, LoadResult } from './load.js';
import { printProgress, type SectionResult } from './report.js';
import { RAW_BCRYPT, requestsReport, type RouteResults } from './requests-report.js';

const ROUNDS = 4;
const CONNECTIONS = 20;
/** Enough to keep every thread busy. More requests would only wait and be rejected in the end. */
const HASHING_CONNECTIONS = 3 * availableParallelism();
const SECONDS = 2;
const HASHING_SECONDS = 4;
/** Compiled code is several times faster: without a warm-up, later rounds would have an advantage. */
const WARM_UP_SECONDS = 5;
const HASHING_WARM_UP_SECONDS = 1.5;
const COST = 10;
const POOL_SIZE = 10;
/** The api's keep-alive timeout. */
const KEEP_ALIVE_MS = 65_000;

interface Route {
  name: string;
  isHashing?: true;
  load: () => Promise<Pick<Load, 'url' | 'headers' | 'bodies'>>;
}

/**
 * Measures requests per second for register, login, refresh and /me, compared with two plain routes and raw bcrypt.
 */
export async function measureRequests(): Promise<SectionResult> {
  const env = { BCRYPT_COST: String(COST), DATABASE_POOL: String(POOL_SIZE) };
  const bench = await BenchInstance.start({ env });
  const [load, raw] = [new Child('load'), new Child('raw-bcrypt')];
  try {
    const routes = await prepareRoutes(bench.instance);
    for (const route of routes) {
      await run(load, route, route.isHashing ? HASHING_WARM_UP_SECONDS : WARM_UP_SECONDS);
    }
    const results = new Map<string, RouteResults>(
      [...routes.map(({ name }) => name), RAW_BCRYPT].map((name) => [
        name,
        { rates: [], p99s: [], failed: 0 },
      ]),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      printProgress(`round ${round + 1} of ${ROUNDS}`);
      for (const route of routes) {
        const { perSecond, p99, failed } = await run(load, route);
        const entry = results.get(route.name)!;
        entry.rates.push(perSecond);
        entry.p99s.push(p99);
        entry.failed += failed;
      }
      const input = { threads: availableParallelism(), cost: COST, seconds: HASHING_SECONDS };
      results.get(RAW_BCRYPT)!.rates.push(await raw.call<number>('measure', input));
    }
    return requestsReport(results, [
      `${ROUNDS} alternating rounds; each ratio is the median of the rounds' ratios.`,
      `${CONNECTIONS} connections, or ${HASHING_CONNECTIONS} for routes that hash passwords (at cost ${COST}).`,
      `Raw bcrypt runs alone, on ${availableParallelism()} threads; a login shares the cores with api, database and load.`,
    ]);
  } finally {
    await Promise.all([load.stop(), raw.stop(), bench.stop()]);
  }
}

/** Returns the routes, ordered so that compared routes run one after the other. */
async function prepareRoutes(instance: TestInstance): Promise<Route[]> {
  const emails = await registerCustomers(instance, 4 * HASHING_CONNECTIONS);
  const { accessToken } = await openSession(instance, emails[0]!);
  const authorization = `Bearer ${accessToken}`;
  const comparisonUrl = await startComparison(instance);
  const withKey = { 'x-publishable-key': instance.credentials.publishableKey };
  const post = (path: string, bodies: Bodies, headers = {}) => ({
    url: `${instance.baseUrl}/api/v1/auth/${path}`,
    headers,
    bodies,
  });
  const newSessions = () =>
    mapInGroups(emails.slice(0, CONNECTIONS), (email) => openSession(instance, email));
  return [
    { name: 'bare route', load: async () => ({ url: `${comparisonUrl}/bare` }) },
    {
      name: 'verify + read',
      load: async () => ({ url: `${comparisonUrl}/verify-and-read`, headers: { authorization } }),
    },
    {
      name: 'GET /me',
      load: async () => ({ url: `${instance.baseUrl}/api/v1/me`, headers: { authorization } }),
    },
    {
      name: 'sign + update',
      load: async () => {
        // As many rows as the refresh load has sessions, so that no request waits for another request's row lock.
        const tokens = (await newSessions()).map(({ accessToken }) => sessionId(accessToken));
        return { url: `${comparisonUrl}/sign-and-update`, bodies: { kind: 'refresh', tokens } };
      },
    },
    {
      name: 'POST refresh',
      load: async () => {
        const tokens = (await newSessions()).map(({ refreshToken }) => refreshToken);
        return post('refresh', { kind: 'refresh', tokens });
      },
    },
    {
      name: 'POST register',
      isHashing: true,
      load: async () => post('register', { kind: 'register', password: PASSWORD }, withKey),
    },
    {
      name: 'POST login',
      isHashing: true,
      load: async () => post('login', { kind: 'login', password: PASSWORD, emails }, withKey),
    },
  ];
}

/** Returns an access token's session id. */
const sessionId = (accessToken: string): string =>
  (JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;

async function startComparison(instance: TestInstance): Promise<string> {
  const { body } = await instance.request('GET', '/.well-known/jwks.json');
  const options: ComparisonOptions = {
    databaseUrl: instance.env['DATABASE_URL']!,
    poolSize: POOL_SIZE,
    jwk: body.keys[0],
    keepAliveMs: KEEP_ALIVE_MS,
  };
  return new Child('comparison-server').call<string>('listen', options);
}

async function run(load: Child, route: Route, seconds?: number): Promise<LoadResult> {
  const input: Load = {
    ...(await route.load()),
    connections: route.isHashing ? HASHING_CONNECTIONS : CONNECTIONS,
    seconds: seconds ?? (route.isHashing ? HASHING_SECONDS : SECONDS),
  };
  return load.call<LoadResult>('measure', input);
}

/** Registers customers with a known password. @returns their email addresses */
export async function registerCustomers(instance: TestInstance, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, (_, index) => `bench-${index}@example.com`);
  await mapInGroups(emails, (email) => registerCustomer(instance, email));
  return emails;
}

/** Maps items in groups, because the api rejects requests that would wait too long for a hash thread. */
export async function mapInGroups<In, Out>(items: In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let first = 0; first < items.length; first += HASHING_CONNECTIONS) {
    results.push(...(await Promise.all(items.slice(first, first + HASHING_CONNECTIONS).map(work))));
  }
  return results;
}
