import type { AttemptError } from '@gatehouse/domain';
import type { TestInstance } from '../support/test-instance.js';
import { uuidAt, createPartitions } from '../support/seed-deliveries.js';
import { seededRandom, type Person } from './sample-people.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
/** Offsets of a delivery's attempts from its event, in ms. */
const SCHEDULE_MS = [0, 15_000, 75_000, 375_000, 2_175_000];
/**
 * Minimum delay of pending attempts, in ms. Earlier attempts would be sent while screenshots are taken, to receivers
 * that do not exist.
 */
const NOT_BEFORE_MS = 20 * MINUTE_MS;

const EVENT_TYPES: [type: string, share: number][] = [
  ['session.created', 30],
  ['login.succeeded', 28],
  ['customer.created', 14],
  ['customer.updated', 10],
  ['verification.completed', 8],
  ['login.failed', 6],
  ['password.changed', 3],
  ['email.changed', 1],
];

/** A receiver's response, or the error if there was none. */
export interface AttemptOutcome {
  status: number;
  error: AttemptError | null;
  body: string;
}

/** An endpoint, and its receiver's behavior in the thirty days. */
export interface SeedEndpoint {
  /** The id without its prefix. */
  id: string;
  url: string;
  types: string[];
  /** The typical response time, in ms. */
  typicalMs: number;
  /**
   * Returns a failed attempt's outcome, or null for a success.
   * @param ago ms before now
   * @param random from 0 to 1
   */
  failure: (ago: number, random: number) => AttemptOutcome | null;
}

/** A project with its customers, endpoints and event rate. */
export interface SeedProject {
  organizationId: string;
  projectId: string;
  customers: Person[];
  endpoints: SeedEndpoint[];
  eventsPerDay: number;
}

type Row = Record<string, unknown>;
interface Log {
  events: Row[];
  deliveries: Row[];
  attempts: Row[];
}

/** Inserts thirty days of events with their deliveries and attempts, before a worker runs. */
export async function seedLog(instance: TestInstance, projects: SeedProject[]): Promise<void> {
  const end = Date.now();
  const log: Log = { events: [], deliveries: [], attempts: [] };
  for (const [index, project] of projects.entries())
    generateEvents(log, project, end, seededRandom(index + 1));
  await createPartitions(instance, end - DAYS * DAY_MS);
  await insertRows(instance, 'events', log.events);
  await insertRows(instance, 'deliveries', log.deliveries);
  await insertRows(instance, 'attempts', log.attempts);
}

/** Inserts rows with column names as keys. All rows have the columns of the first one. */
export async function insertRows(instance: TestInstance, table: string, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!).join(', ');
  await instance.sql(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}

/** The simulated time at the end of the log. It is fixed, so that every run has the same daily activity. */
const THURSDAY_AFTERNOON = Date.UTC(2026, 0, 1, 15);

function generateEvents(log: Log, project: SeedProject, end: number, random: () => number): void {
  const perHour = project.eventsPerDay / 24;
  for (let at = end - DAYS * DAY_MS + HOUR_MS; at < end - 2 * MINUTE_MS;) {
    // Fewer events at night and on weekends.
    const simulated = new Date(THURSDAY_AFTERNOON - (end - at));
    const hour = simulated.getUTCHours() + simulated.getUTCMinutes() / 60;
    const day = simulated.getUTCDay();
    const rate = (1.05 - Math.cos(((hour - 3) / 24) * 2 * Math.PI)) * (day === 0 || day === 6 ? 0.55 : 1.1);
    at += (-Math.log(1 - random()) * HOUR_MS) / (perHour * rate);
    if (at < end - 2 * MINUTE_MS) generateEvent(log, project, Math.floor(at), end, random);
  }
}

function generateEvent(log: Log, project: SeedProject, at: number, end: number, random: () => number): void {
  const type = pickEventType(random());
  const person = project.customers[Math.floor(random() ** 1.6 * project.customers.length)]!;
  const owner = { organization_id: project.organizationId, project_id: project.projectId };
  const event = { ...owner, id: uuidAt(at), type, created_at: iso(at) };
  const subject = {
    customer: { ...person, projectId: project.projectId, emailVerified: true, createdAt: iso(at) },
    ...(type.startsWith('session.') && {
      session: { id: uuidAt(at), device: 'Firefox on macOS', createdAt: iso(at) },
    }),
  };
  log.events.push({
    ...event,
    customer_id: person.id,
    body: JSON.stringify({
      id: `evt_${event.id}`,
      type,
      created_at: event.created_at,
      ...owner,
      data: subject,
    }),
  });
  for (const endpoint of project.endpoints)
    if (endpoint.types.some((each) => each === '*' || type.startsWith(each.replace('*', ''))))
      generateDelivery(log, { ...owner, event_id: event.id, event_type: type }, endpoint, at, end, random);
}

function generateDelivery(
  log: Log,
  eventColumns: Row,
  endpoint: SeedEndpoint,
  at: number,
  end: number,
  random: () => number,
): void {
  const id = uuidAt(at + 20);
  const common = { ...eventColumns, endpoint_id: endpoint.id, target_url: endpoint.url };
  let last: AttemptOutcome | null = null;
  let attempts = 0;
  let closedAt = at;
  let due: number | null = null;
  for (const offset of SCHEDULE_MS) {
    const started = at + 40 + offset;
    if (started > end - 30_000) {
      due = Math.max(started, end + NOT_BEFORE_MS + random() * 8 * MINUTE_MS);
      break;
    }
    last = endpoint.failure(end - started, random());
    const durationMs = last?.error === 'timeout' ? 10_000 : endpoint.typicalMs * (0.6 + random() ** 4 * 5);
    closedAt = started + Math.round(durationMs);
    log.attempts.push({
      id: uuidAt(started),
      ...common,
      delivery_id: id,
      attempt: (attempts += 1),
      http_status: last?.status ?? 200,
      success: last === null,
      error: last?.error ?? null,
      duration_ms: Math.round(durationMs),
      response_body: last?.body ?? '{"received":true}',
      started_at: iso(started),
      closed_at: iso(closedAt),
    });
    if (last === null) break;
  }
  log.deliveries.push({
    id,
    ...common,
    state: due !== null ? 'pending' : last ? 'failed' : 'succeeded',
    attempt: attempts,
    urgency: attempts > 0 ? 1 : 0,
    next_attempt_at: due === null ? null : iso(due),
    last_http_status: attempts === 0 ? null : (last?.status ?? 200),
    last_error: last?.error ?? null,
    withdrawn: false,
    created_at: iso(at + 20),
    finished_at: due === null ? iso(closedAt) : null,
  });
}

function pickEventType(random: number): string {
  let rest = random * EVENT_TYPES.reduce((sum, [, share]) => sum + share, 0);
  return EVENT_TYPES.find(([, share]) => (rest -= share) < 0)![0];
}

const iso = (time: number): string => new Date(time).toISOString();
