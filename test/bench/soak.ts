import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { describeProcess, isSettled, readDatabaseFacts } from '../support/history.js';
import { TestInstance, type Exchange } from '../support/test-instance.js';
import {
  attemptDelays,
  findRepeatedRequests,
  findViolations,
  type Facts,
  type TargetRequest,
} from '../support/invariants.js';
import type { ServerProcess } from '../support/server-process.mjs';
import { hasRedisServer, RedisServer } from '../support/redis-server.js';
import { insertProject } from '../support/tenants.js';
import { stopOnExit } from './bench-instance.js';
import { Child } from './child.js';
import { MemoryLog } from './memory.js';
import { printProgress, type SectionResult } from './report.js';
import type { SoakResponse } from './soak-clients.js';
import { soakReport, type SoakResult } from './soak-report.js';

const PER_SECOND = 200;
const SECONDS = 600;
const KILL_EVERY_MS = 30_000;
const SETTLE_PROBES = 4_800;
/**
 * Maximum attempt delay. The due poller finds jobs that were lost with Redis's data, and the sweeper finds a killed
 * worker's attempts when their lease ends.
 */
const LATE_MS = 10_000;

/** One project per path. One of the twenty targets fails and one hangs. */
const TARGETS = [...Array.from({ length: 18 }, (_, index) => `/good-${index}`), '/failing', '/hanging'];

/** Timeout 1 s, lease 3 s, retries after 1, 2, 3 and 4 s: dead letters occur within the run. */
const SCALE = 10;
const SCHEDULE_MS = [0, 1_000, 2_000, 3_000, 4_000];
const env = {
  TIME_SCALE: String(SCALE),
  WEBHOOK_RETRY_SCHEDULE: SCHEDULE_MS.map((delay) => `${(delay * SCALE) / 1_000}s`).join(),
  WEBHOOK_CONCURRENCY: '200',
};

/**
 * Measures a long run with everything at once: load, failing and hanging receivers, killed workers and a flushed
 * Redis.
 */
export async function measureSoak({ seconds = SECONDS }: { seconds?: number }): Promise<SectionResult> {
  const [clients, targets] = [new Child('soak-clients'), new Child('soak-targets')];
  const redis = hasRedisServer ? await RedisServer.start() : undefined;
  const instance = await stopOnExit(
    TestInstance.start({ workers: 0, env: { ...env, ...(redis ? { REDIS_URL: redis.url } : {}) } }),
  );
  try {
    const origin = await targets.call<string>('listen');
    const secretKeys = await Promise.all(TARGETS.map((path) => openProject(instance, origin + path)));
    const [survivor] = [instance.startWorker(), instance.startWorker()];
    const memory = { api: new MemoryLog(instance.api.pid), worker: new MemoryLog(survivor.pid) };
    const url = `${instance.baseUrl}/api/v1/customers`;
    const pending = clients.call<SoakResponse[]>('create', {
      url,
      secretKeys,
      perSecond: PER_SECOND,
      seconds,
    });
    const failures = injectFailures(instance, redis, seconds);
    const responses = await pending;
    const { kills, flushes } = await failures;
    for (const log of Object.values(memory)) log.stop();
    printProgress('waiting for the last deliveries');
    await eventually('all deliveries to finish', () => isSettled(instance), SETTLE_PROBES).catch(
      () => undefined,
    );
    const requests = await targets.call<TargetRequest[]>('requests');
    const facts = {
      exchanges: responses.map(toExchange),
      requests,
      ...(await readDatabaseFacts(instance)),
      processes: instance.processes.map(describeProcess),
    };
    return soakReport({ seconds, kills, flushes, memory, ...evaluate(facts) });
  } finally {
    await Promise.all([clients.stop(), targets.stop(), instance.stop()]);
    await redis?.remove();
  }
}

/** Creates a project with an endpoint for a target. @returns the project's secret key */
async function openProject(instance: TestInstance, url: string): Promise<string> {
  const { secretKey } = await insertProject(instance, instance.credentials.organizationId);
  const response = await instance.request('POST', '/v1/webhooks/endpoints', {
    body: { url, events: ['customer.created'] },
    headers: { authorization: `Bearer ${secretKey}` },
  });
  if (response.status !== 201) throw new Error(`endpoint was not created: ${JSON.stringify(response.body)}`);
  return secretKey;
}

/** Kills the second worker repeatedly, and flushes Redis after one third and after two thirds of the time. */
async function injectFailures(
  instance: TestInstance,
  redis: RedisServer | undefined,
  seconds: number,
): Promise<{ kills: number; flushes: number }> {
  let victim: ServerProcess = instance.workers[1]!;
  let [kills, flushes] = [0, 0];
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  // No failure is injected after the load has ended, because the recovery is measured then.
  for (; elapsed() < seconds * 1_000; await sleep(100)) {
    if (elapsed() > (kills + 1) * Math.min(KILL_EVERY_MS, seconds * 250)) {
      await victim.stop('SIGKILL');
      victim = instance.startWorker();
      kills += 1;
      printProgress(`${Math.round(elapsed() / 1_000)} s: killed a worker`);
    }
    if (redis && flushes < 2 && elapsed() > ((flushes + 1) * seconds * 1_000) / 3) {
      await redis.flush();
      flushes += 1;
      printProgress(`${Math.round(elapsed() / 1_000)} s: flushed Redis`);
    }
  }
  return { kills, flushes };
}

const toExchange = ({ at, ms, status, customerId, retryAfter, error }: SoakResponse): Exchange => ({
  at,
  ms,
  method: 'POST',
  path: '/api/v1/customers',
  requestBody: {},
  accessToken: null,
  response:
    status === 0
      ? null
      : {
          status,
          headers: new Headers(retryAfter ? { 'retry-after': retryAfter } : {}),
          body: { id: customerId },
        },
  error,
});

function evaluate(
  facts: Facts,
): Pick<SoakResult, 'facts' | 'violations' | 'unexplained' | 'repeats' | 'delays'> {
  const found = findViolations(facts, { schedule: SCHEDULE_MS, lateMs: LATE_MS, longestMs: 15_000 });
  const lost = new Set(
    facts.attempts
      .filter(({ error }) => error === 'worker_lost')
      .map(({ url, eventId }) => `${url} ${eventId}`),
  );
  const repeats = findRepeatedRequests(facts);
  return {
    facts,
    violations: found.map(({ invariant, description }) => `${invariant}: ${description}`),
    repeats: repeats.length,
    unexplained: repeats.filter(({ url, eventId }) => !lost.has(`${url} ${eventId}`)).length,
    delays: [...attemptDelays(facts, { schedule: SCHEDULE_MS })]
      .filter(([{ attempt, url }]) => attempt === 1 && !url.includes('/hanging'))
      .map(([, delay]) => delay),
  };
}
