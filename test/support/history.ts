import { basename } from 'node:path';
import { eventually } from './eventually.js';
import type { Exchange, TestInstance } from './test-instance.js';
import {
  attemptDelays,
  findRepeatedRequests,
  findViolations,
  type AttemptRow,
  type DeliveryRow,
  type EndpointRow,
  type Facts,
  type ProcessReport,
  type TargetRequest,
  type Tolerances,
} from './invariants.js';
import { pausesSince } from './process-pauses.js';
import { entryPoints, type ServerProcess } from './server-process.mjs';
import { formatSeconds, recordMeasurements, type Measurements } from './measurements.js';
import { getHeader, type RawTarget } from './raw-target.js';
import type { Receiver } from './receiver.js';

/** Summary of an instance's history. */
export interface HistorySummary {
  events: number;
  deliveries: number;
  attempts: number;
  requests: number;
  deadLetters: number;
  cancelled: number;
  /** Number of requests for an event that the receiver had already accepted. */
  repeats: number;
  /** Longest delay between the due time and the start of an attempt, in ms. */
  maxDelayMs: number;
}

export type CheckOptions = Partial<Tolerances>;

/** Time limits in files named `*.nightly.spec.ts`, for late attempts (I8) and slow responses (I7). */
export const ON_TIME = { lateMs: 5_000, longestMs: 15_000 };

/** A schedule without delays, for deliveries that a test itself makes due. */
export const AT_ONCE = [0, 0, 0, 0, 0];

/** The default retry schedule, in ms. */
const DEFAULT_SCHEDULE = [0, 15_000, 60_000, 300_000, 1_800_000];
const MAX_SHOWN = 12;
/** Maximum pause that is attributed to the machine, in ms. */
const LONGEST_PAUSE_MS = 5_000;

/** Records the exchanges between an instance, its clients and its receivers, and checks the invariants at the end. */
export class History {
  readonly exchanges: Exchange[] = [];
  private readonly receivers: Receiver[];
  private readonly rawRequestSources: (() => TargetRequest[])[] = [];
  private readonly startedAt = Date.now();

  constructor(
    private readonly instance: TestInstance,
    ...receivers: Receiver[]
  ) {
    this.receivers = receivers;
    instance.onExchange = (exchange) => this.exchanges.push(exchange);
  }

  /**
   * Also records the requests to a raw target, which are not parsed as HTTP.
   * @param first the first response's status, or null if there is none. All later responses have status 200
   */
  watch(target: RawTarget, first: number | null = 200): void {
    // The address is no longer available after the target has stopped.
    const { protocol } = new URL(target.url);
    this.rawRequestSources.push(() =>
      target.requests.map((request, index) => {
        const status = index === 0 ? first : 200;
        return {
          url: new URL(request.head[0]!.split(' ')[1]!, `${protocol}//${getHeader(request, 'host')}`).href,
          eventId: getHeader(request, 'webhook-id')!.replace(/^evt_/, ''),
          at: request.at,
          response: status === null ? null : { status, at: request.at },
        };
      }),
    );
  }

  /**
   * Waits until every delivery has ended, then checks I1 to I8. Without limits, no delay is a violation. The limit
   * for late attempts is extended by this process's longest pause, because other processes may have been paused as
   * well.
   * @throws Error that lists each violation with its ids
   */
  async check({
    schedule = readSchedule(this.instance.env),
    lateMs = Infinity,
    longestMs = Infinity,
  }: CheckOptions = {}): Promise<HistorySummary> {
    // Deliveries that are still open are reported as violations.
    await eventually('all deliveries to finish', () => isSettled(this.instance)).catch(() => undefined);
    const facts = await this.collectFacts();
    const pauses = pausesSince(this.startedAt).map(({ ms }) => ms);
    const pauseMs = Math.min(Math.max(0, ...pauses), LONGEST_PAUSE_MS);
    const found = findViolations(facts, {
      schedule,
      lateMs: lateMs + pauseMs,
      longestMs,
    });
    if (found.length > 0) {
      const lines = found
        .slice(0, MAX_SHOWN)
        .map(({ invariant, description }) => `  ${invariant}: ${description}`);
      const more = found.length > MAX_SHOWN ? `\n  and ${found.length - MAX_SHOWN} more` : '';
      throw new Error(`${found.length} violations:\n${lines.join('\n')}${more}`);
    }
    const result = summarize(facts, { schedule });
    recordMeasurements({
      ...toMeasurements(result),
      ...(pauseMs > 500 ? { 'the machine paused for': formatSeconds(pauseMs) } : {}),
    });
    return result;
  }

  /** Returns all response statuses since a time, oldest first. 0 means that there was no response. */
  listStatuses(since = 0): number[] {
    return this.exchanges.filter(({ at }) => at >= since).map(({ response }) => response?.status ?? 0);
  }

  private async collectFacts(): Promise<Facts> {
    return {
      exchanges: this.exchanges,
      requests: [
        ...this.receivers.flatMap(toTargetRequests),
        ...this.rawRequestSources.flatMap((listRequests) => listRequests()),
      ],
      ...(await readDatabaseFacts(this.instance)),
      processes: this.instance.processes.map(describeProcess),
    };
  }
}

const toMeasurements = ({ maxDelayMs, deadLetters, cancelled, ...counts }: HistorySummary): Measurements => ({
  events: counts.events,
  'requests at targets': counts.requests,
  'sent again after a 2xx': counts.repeats,
  ...(deadLetters > 0 ? { 'dead letters': deadLetters } : {}),
  ...(cancelled > 0 ? { cancelled } : {}),
  'latest attempt': `${formatSeconds(maxDelayMs)} after its due time`,
});

/** Returns true if every delivery has ended. */
export async function isSettled(instance: TestInstance): Promise<boolean> {
  const open = await instance.sql(
    `SELECT FROM deliveries WHERE state = 'pending' OR lease_until IS NOT NULL LIMIT 1`,
  );
  return open.length === 0;
}

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** Reads the facts from the database. */
export async function readDatabaseFacts(
  instance: TestInstance,
): Promise<Omit<Facts, 'exchanges' | 'requests' | 'processes'>> {
  const [customers, sessions, endpoints, events, deliveries, attempts] = await Promise.all([
    instance.sql<{ id: string }>('SELECT id FROM customers'),
    instance.sql<{ id: string }>('SELECT id FROM sessions'),
    instance.sql<EndpointRow>(
      `SELECT id, CASE WHEN level = 'project' THEN project_id END AS "projectId", url, events, status,
         ${ms('created_at')} AS "createdAt" FROM webhook_endpoints`,
    ),
    instance.sql<Facts['events'][number]>(
      `SELECT id, type, customer_id AS "customerId", project_id AS "projectId", ${ms('created_at')} AS at FROM events`,
    ),
    instance.sql<DeliveryRow>(
      `SELECT id, event_id AS "eventId", endpoint_id AS "endpointId", state, attempt,
         lease_until IS NOT NULL AS "isLeased", withdrawn AS "isWithdrawn", ${ms('created_at')} AS "createdAt"
       FROM deliveries`,
    ),
    instance.sql<AttemptRow>(
      `SELECT id, delivery_id AS "deliveryId", event_id AS "eventId", target_url AS url, attempt, success, error,
         ${ms('started_at')} AS "startedAt", ${ms('closed_at')} AS "closedAt" FROM attempts`,
    ),
  ]);
  return { customers, sessions, endpoints, events, deliveries, attempts };
}

const toTargetRequests = ({ url, requests }: Receiver): TargetRequest[] =>
  requests.map(({ path, event, at, response }) => ({
    url: new URL(path, url).href,
    eventId: event.id.replace(/^evt_/, ''),
    at,
    response: response ?? null,
  }));

/** Returns a process's state, as far as the test can observe it. */
export function describeProcess(process: ServerProcess): ProcessReport {
  const { entryPoint, pid, isRunning, sentSignal, hitFailpoint, endedAt, log } = process;
  const isApi = basename(entryPoint) === basename(entryPoints.api);
  return {
    name: `${isApi ? 'api' : 'worker'} ${pid}`,
    isApi,
    isRunning,
    isIntentional: sentSignal !== undefined || hitFailpoint,
    isKilled: sentSignal === 'SIGKILL' || hitFailpoint,
    endedAt: endedAt ?? null,
    lastLine: process.output.trimEnd().split('\n').at(-1)!,
    fatal: log.filter(({ level }) => level === 'fatal').map((line) => JSON.stringify(line)),
  };
}

/** Returns an instance's retry schedule, in ms. */
function readSchedule({
  WEBHOOK_RETRY_SCHEDULE: text,
  TIME_SCALE: scale = '1',
}: TestInstance['env']): number[] {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const delays = text?.split(',').map((each) => {
    const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(each)!;
    return Number(count) * units[unit!]!;
  });
  return (delays ?? DEFAULT_SCHEDULE).map((delay) => delay / Number(scale));
}

export function summarize(facts: Facts, schedule: Pick<Tolerances, 'schedule'>): HistorySummary {
  const states = facts.deliveries.map(({ state }) => state);
  const eventIds = new Set(facts.deliveries.map(({ eventId }) => eventId));
  return {
    events: eventIds.size,
    deliveries: facts.deliveries.length,
    attempts: facts.attempts.length,
    requests: facts.requests.length,
    deadLetters: states.filter((state) => state === 'failed').length,
    cancelled: states.filter((state) => state === 'cancelled').length,
    repeats: findRepeatedRequests(facts).length,
    maxDelayMs: [...attemptDelays(facts, schedule).values()].reduce(
      (most, delay) => Math.max(most, delay),
      0,
    ),
  };
}
