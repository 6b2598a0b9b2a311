import type { Exchange } from './test-instance.js';

/**
 * The observations of clients and receivers, the database's rows, and the final states of the processes. Times
 * are in ms since 1970.
 */
export interface Facts {
  exchanges: Exchange[];
  requests: TargetRequest[];
  customers: { id: string }[];
  sessions: { id: string }[];
  endpoints: EndpointRow[];
  events: { id: string; type: string; customerId: string | null; projectId: string | null; at: number }[];
  deliveries: DeliveryRow[];
  attempts: AttemptRow[];
  processes: ProcessReport[];
}

/** One request to a receiver. */
export interface TargetRequest {
  url: string;
  eventId: string;
  at: number;
  /** Null if the response was not sent completely. */
  response: { status: number; at: number } | null;
}

export interface EndpointRow {
  id: string;
  /** Null for an organization endpoint. */
  projectId: string | null;
  url: string;
  events: string[];
  status: string;
  createdAt: number;
}

export interface DeliveryRow {
  id: string;
  eventId: string;
  endpointId: string;
  state: string;
  /** The attempt number of the last claim. */
  attempt: number;
  isLeased: boolean;
  /** True if its customer was deleted. */
  isWithdrawn: boolean;
  createdAt: number;
}

export interface AttemptRow {
  id: string;
  deliveryId: string;
  eventId: string;
  url: string;
  attempt: number;
  success: boolean;
  error: string | null;
  startedAt: number;
  closedAt: number;
}

export interface ProcessReport {
  name: string;
  isApi: boolean;
  isRunning: boolean;
  /** True if a test ended the process, or if the process ended itself at a failpoint. */
  isIntentional: boolean;
  /** True if the process was ended without time to shut down. */
  isKilled: boolean;
  endedAt: number | null;
  /** The process log's fatal lines. */
  fatal: string[];
  lastLine: string;
}

/** A scenario's limits. */
export interface Tolerances {
  /** The delays before each of the five attempts, in ms. */
  schedule: number[];
  /** Maximum delay between the due time and the start of an attempt, in ms, apart from jitter (I8). */
  lateMs: number;
  /** Maximum request duration, in ms (I7). */
  longestMs: number;
}

export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8';

/** A violated invariant, with the affected ids. */
export interface Violation {
  invariant: Invariant;
  description: string;
}

/** Maximum jitter in either direction, as a fraction of the delay (contract, section 5). */
const JITTER = 0.1;
const MAX_ATTEMPTS = 5;
/**
 * Maximum time between an error that a client receives and the detected end of a process, in ms. The test process may
 * pause in between.
 */
const DETECTION_MS = 3_000;
/** Tolerance between the clocks of two processes, in ms, so that no request appears to be older than its attempt. */
const CLOCK_SKEW_MS = 20;

/** Returns all violations of invariants I1 to I8 (docs/reliability.md). */
export function findViolations(facts: Facts, tolerances: Tolerances): Violation[] {
  const index = buildIndex(facts);
  return [
    // The end of a process comes first, because it explains most other violations.
    ...checkProcesses(facts),
    ...checkAcknowledgedWrites(facts, index),
    ...checkFanOut(facts, index),
    ...checkDeliveries(facts, index),
    ...checkRequestsPerAttempt(facts, index),
    ...checkSingleUse(facts),
    ...checkTenantIsolation(facts),
    ...checkRefreshChains(facts),
    ...checkResponses(facts, tolerances),
    ...checkDelays(facts, index, tolerances),
  ];
}

/** Returns each attempt's delay after its due time, in ms. Jitter can make it negative. */
export function attemptDelays(
  facts: Facts,
  { schedule }: Pick<Tolerances, 'schedule'>,
): Map<AttemptRow, number> {
  const { attemptsOf } = buildIndex(facts);
  const delays = new Map<AttemptRow, number>();
  for (const delivery of facts.deliveries) {
    let from = delivery.createdAt;
    for (const attempt of attemptsOf(delivery.id)) {
      delays.set(attempt, attempt.startedAt - from - schedule[attempt.attempt - 1]!);
      from = attempt.closedAt;
    }
  }
  return delays;
}

/** Returns requests for events that the receiver had already accepted, except for redeliveries. */
export function findRepeatedRequests({ requests, deliveries, endpoints }: Facts): TargetRequest[] {
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  const deliveryCounts = countBy(
    deliveries.map(({ eventId, endpointId }) => `${urls.get(endpointId)} ${eventId}`),
  );
  return [...groupBy(requests, requestKey)].flatMap(([key, group]) => {
    const done = group
      .filter(({ response }) => response && isSuccess(response.status))
      .map(({ response }) => response!.at)
      .sort((one, other) => one - other);
    // Every delivery of the event may succeed once.
    const lastExpected = done[(deliveryCounts.get(key) ?? 1) - 1];
    return lastExpected === undefined ? [] : group.filter(({ at }) => at > lastExpected);
  });
}

type FactIndex = ReturnType<typeof buildIndex>;

function buildIndex({ events, attempts, requests, endpoints }: Facts) {
  const byDelivery = groupBy(attempts, ({ deliveryId }) => deliveryId);
  for (const group of byDelivery.values()) group.sort((one, other) => one.attempt - other.attempt);
  const seen = groupBy(requests, requestKey);
  return {
    events: new Map(events.map((event) => [event.id, event])),
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    attemptsOf: (deliveryId: string): AttemptRow[] => byDelivery.get(deliveryId) ?? [],
    seenBy: (url: string, eventId: string): TargetRequest[] => seen.get(`${url} ${eventId}`) ?? [],
  };
}

/** I1: each acknowledged write is stored. Also checks for I2 that an acknowledged change has its event. */
function checkAcknowledgedWrites({ exchanges, ...facts }: Facts, { endpoints }: FactIndex): Violation[] {
  const customers = new Set(facts.customers.map(({ id }) => id));
  const sessions = new Set(facts.sessions.map(({ id }) => id));
  const deliveryIds = new Set(facts.deliveries.map(({ id }) => id));
  const eventCounts = countBy(facts.events.map(({ type, customerId }) => `${type} ${customerId}`));
  const found: Violation[] = [];
  const require = (exists: boolean, invariant: Invariant, what: string): void => {
    if (!exists) found.push({ invariant, description: `${what} is acknowledged but missing` });
  };
  const logins = new Map<string, number>();
  for (const { method, path, response } of exchanges) {
    if (method !== 'POST' || !response || !isSuccess(response.status)) continue;
    const { body } = response;
    const customerId = (body.customer?.id ?? (path === '/api/v1/customers' && body.id)) as string | undefined;
    if (customerId) require(customers.has(customerId), 'I1', `customer ${customerId}`);
    const sessionId = decodeClaims(body.tokens?.accessToken as string | undefined)?.sid;
    if (sessionId) require(sessions.has(sessionId), 'I1', `session ${sessionId}`);
    if (path === '/v1/webhooks/endpoints')
      require(endpoints.has(withoutPrefix(body.data.id as string)), 'I1', `endpoint ${body.data.id}`);
    if (path.endsWith('/redeliver'))
      require(deliveryIds.has(withoutPrefix(body.data.id as string)), 'I1', `delivery ${body.data.id}`);
    if (customerId && response.status === 201)
      require(eventCounts.has(`customer.created ${customerId}`), 'I2', `customer.created for ${customerId}`);
    if (path.endsWith('/login') && customerId) logins.set(customerId, (logins.get(customerId) ?? 0) + 1);
  }
  for (const [customerId, count] of logins) {
    const events = eventCounts.get(`login.succeeded ${customerId}`) ?? 0;
    require(events >= count, 'I2', `login.succeeded for ${customerId} (${events} of ${count} events)`);
  }
  return found;
}

/** I2: each event has a delivery to each subscribed endpoint. */
function checkFanOut({ events, endpoints, deliveries: rows }: Facts, _: FactIndex): Violation[] {
  const deliveredPairs = new Set(rows.map(({ eventId, endpointId }) => `${eventId} ${endpointId}`));
  return endpoints
    .filter(({ status }) => status === 'enabled')
    .flatMap((endpoint) =>
      events
        .filter((event) => event.at > endpoint.createdAt && isSubscribed(endpoint, event))
        .filter((event) => !deliveredPairs.has(`${event.id} ${endpoint.id}`))
        .map(({ id, type }) => ({
          invariant: 'I2' as const,
          description: `${type} ${id} has no delivery to ${endpoint.id}`,
        })),
    );
}

/** I2: each delivery has ended, and its attempts and the receiver confirm its state. */
function checkDeliveries({ deliveries: rows }: Facts, index: FactIndex): Violation[] {
  return rows.flatMap((delivery) => {
    const attempts = index.attemptsOf(delivery.id);
    const problem = findDeliveryProblem(delivery, attempts, index);
    const seen = attempts.map(({ attempt, error }) => `${attempt}:${error ?? 'ok'}`).join(' ');
    if (!problem) return [];
    return [
      {
        invariant: 'I2' as const,
        description: `delivery ${delivery.id} ${problem} (attempts ${seen || 'none'})`,
      },
    ];
  });
}

function findDeliveryProblem(delivery: DeliveryRow, attempts: AttemptRow[], index: FactIndex): string | null {
  const last = attempts.at(-1);
  if (attempts.some(({ attempt }, position) => attempt !== position + 1))
    return 'lacks a record of an attempt';
  if (attempts.slice(0, -1).some(({ success }) => success)) return 'was attempted again after a success';
  if (delivery.isLeased) return 'is still leased by a worker';
  if (delivery.attempt !== attempts.length)
    return `has ${attempts.length} recorded attempts, not ${delivery.attempt}`;
  switch (delivery.state) {
    case 'succeeded': {
      const seen = last ? index.seenBy(last.url, delivery.eventId) : [];
      const isConfirmed = seen.some(({ response }) => response && isSuccess(response.status));
      return last?.success && isConfirmed ? null : 'is marked as succeeded, but no target returned a success';
    }
    case 'failed':
      return attempts.length === MAX_ATTEMPTS && !last!.success
        ? null
        : 'is a dead letter without five failures';
    case 'cancelled':
      return delivery.isWithdrawn || index.endpoints.get(delivery.endpointId)?.status !== 'enabled'
        ? null
        : 'was canceled although its endpoint is enabled';
    default:
      return `is ${delivery.state}`;
  }
}

/**
 * I3: each attempt number has one record, and a receiver never receives more requests than attempts have started. A
 * request without a response may be repeated once, on another connection.
 */
function checkRequestsPerAttempt({ attempts, requests }: Facts, _: FactIndex): Violation[] {
  const numbers = countBy(attempts.map(({ deliveryId, attempt }) => `attempt ${attempt} of ${deliveryId}`));
  const duplicates = [...numbers]
    .filter(([, count]) => count > 1)
    .map(([what, count]) => ({
      invariant: 'I3' as const,
      description: `${what} is recorded ${count} times`,
    }));
  const started = groupBy(attempts, requestKey);
  const unexpectedRequests = [...groupBy(requests, requestKey)].flatMap(([key, group]) => {
    const starts = (started.get(key) ?? [])
      .map(({ startedAt }) => startedAt)
      .sort((one, other) => one - other);
    const arrivals = group.toSorted((one, other) => one.at - other.at);
    const position = arrivals.findIndex(({ at }, count) => {
      const repeated = arrivals.slice(0, count).filter(({ response }) => response === null).length;
      return !(starts[Math.max(0, count - repeated)]! <= at + CLOCK_SKEW_MS);
    });
    if (position < 0) return [];
    const what = `request ${position + 1} of ${arrivals.length} for ${key} does not match a started attempt (${starts.length} started)`;
    return [{ invariant: 'I3' as const, description: what }];
  });
  return [...duplicates, ...unexpectedRequests];
}

/** I4: a refresh token never has two successors. */
function checkRefreshChains({ exchanges }: Facts): Violation[] {
  const refreshes = exchanges.filter(
    ({ path, response }) => path.endsWith('/auth/refresh') && response?.status === 200,
  );
  return [...groupBy(refreshes, ({ requestBody }) => requestBody.refreshToken as string)].flatMap(
    ([token, group]) => {
      const successors = new Set(group.map(({ response }) => response!.body.tokens?.refreshToken as string));
      if (successors.size <= 1) return [];
      return [
        {
          invariant: 'I4' as const,
          description: `refresh token ${token.slice(0, 12)}… has ${successors.size} successors`,
        },
      ];
    },
  );
}

/** I5: a change that can happen only once has at most one event. */
function checkSingleUse({ events }: Facts): Violation[] {
  const once = events.filter(({ type }) => type === 'verification.completed' || type === 'customer.created');
  return [...countBy(once.map(({ type, customerId }) => `${type} of ${customerId}`))]
    .filter(([, count]) => count > 1)
    .map(([what, count]) => ({ invariant: 'I5', description: `${what} happened ${count} times` }));
}

/** I6: each response concerns only the caller. */
function checkTenantIsolation({ exchanges }: Facts): Violation[] {
  return exchanges.flatMap(({ path, requestBody, accessToken, response }) => {
    if (!response || !isSuccess(response.status)) return [];
    const { body } = response;
    const isOwn = path === '/api/v1/me' && accessToken ? decodeClaims(accessToken)?.sub === body.id : true;
    const hasRequestedEmail =
      requestBody?.email && body.customer?.email ? body.customer.email === requestBody.email : true;
    return isOwn && hasRequestedEmail
      ? []
      : [
          {
            invariant: 'I6' as const,
            description: `${path} returned another customer: ${body.id ?? body.customer.id}`,
          },
        ];
  });
}

/**
 * I7: no 500, no 503 without `Retry-After`, no response that takes too long, and no missing response without a cause.
 */
function checkResponses({ exchanges, processes }: Facts, { longestMs }: Tolerances): Violation[] {
  const killTimes = processes
    .filter(({ isApi, isKilled }) => isApi && isKilled)
    .map(({ endedAt }) => endedAt!);
  return exchanges.flatMap((exchange) => {
    const problem =
      exchange.ms > longestMs
        ? `took ${Math.round(exchange.ms)} ms`
        : findResponseProblem(exchange, killTimes);
    return problem
      ? [{ invariant: 'I7' as const, description: `${exchange.method} ${exchange.path} ${problem}` }]
      : [];
  });
}

function findResponseProblem(
  { path, at, ms, response, error }: Exchange,
  killTimes: number[],
): string | null {
  if (!response) {
    const wasKilled = killTimes.some(
      (killedAt) => killedAt > at - CLOCK_SKEW_MS && killedAt < at + ms + DETECTION_MS,
    );
    const text = describeError(error);
    return wasKilled || text.includes('ECONNREFUSED') ? null : `got no response: ${text}`;
  }
  // Readiness probes need no `Retry-After`, because they are repeated anyway.
  if (path === '/readyz') return null;
  if (response.status === 503)
    return response.headers.get('retry-after') ? null : 'got 503 without Retry-After';
  return response.status >= 500 && response.status !== 501 ? `got ${response.status}` : null;
}

/** I7: each process is still running, unless it was ended intentionally. */
function checkProcesses({ processes }: Facts): Violation[] {
  return processes.flatMap(({ name, isRunning, isIntentional, fatal, lastLine }) => [
    ...(isRunning || isIntentional
      ? []
      : [
          {
            invariant: 'I7' as const,
            description: `${name} ended by itself${lastLine ? `: ${lastLine}` : ''}`,
          },
        ]),
    ...fatal.map((line) => ({ invariant: 'I7' as const, description: `${name} logged: ${line}` })),
  ]);
}

/** I8: no attempt starts too early or too late. */
function checkDelays(facts: Facts, _: FactIndex, tolerances: Tolerances): Violation[] {
  const { schedule, lateMs } = tolerances;
  return [...attemptDelays(facts, tolerances)].flatMap(([{ deliveryId, attempt }, delay]) => {
    const jitter = schedule[attempt - 1]! * JITTER;
    const isEarly = delay < -jitter - CLOCK_SKEW_MS;
    if (!isEarly && delay <= jitter + lateMs) return [];
    const what = `attempt ${attempt} of ${deliveryId} began ${Math.round(Math.abs(delay))} ms too ${isEarly ? 'early' : 'late'}`;
    return [{ invariant: 'I8' as const, description: what }];
  });
}

/**
 * Returns true if an endpoint is subscribed to an event. `*` does not include event types that must be listed
 * explicitly (contract, section 5).
 */
function isSubscribed(
  { projectId, events }: EndpointRow,
  event: { type: string; projectId: string | null },
): boolean {
  if (projectId !== null && projectId !== event.projectId) return false;
  return events.some((wanted) =>
    wanted === '*'
      ? !event.type.startsWith('webhook.') && event.type !== 'login.failed'
      : wanted === event.type || (wanted.endsWith('.*') && event.type.startsWith(wanted.slice(0, -1))),
  );
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;
const requestKey = ({ url, eventId }: { url: string; eventId: string }): string => `${url} ${eventId}`;
/** Removes an id's type prefix. */
const withoutPrefix = (id: string): string => id.replace(/^[a-z]+_/, '');

function decodeClaims(token: string | undefined): { sub: string; sid: string } | undefined {
  if (!token) return undefined;
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    sub: string;
    sid: string;
  };
}

/**
 * Returns the messages of an error and its causes. In jest, errors from Node.js are not instances of the realm's
 * `Error`.
 */
function describeError(error: unknown): string {
  const { message, code = '', cause } = (error ?? {}) as { message?: string; code?: string; cause?: unknown };
  return `${message ?? String(error)} ${code}${cause === undefined ? '' : `, ${describeError(cause)}`}`;
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function countBy(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
