import { v7 as uuid } from 'uuid';
import type { DeliveryState } from '@gatehouse/domain';
import { OWNER_ROLE } from './databases.mjs';
import type { TestInstance } from './test-instance.js';

const DAY_MS = 86_400_000;

/** Returns a UUIDv7 for a time in ms since 1970. */
export const uuidAt = (time: number): string => uuid({ msecs: Math.floor(time) });

/** A past attempt. `at` is in ms since 1970. */
export interface SeedAttempt {
  at: number;
  status: number;
  responseBody?: string;
}

/** A past delivery. It ended with its last attempt unless `finishedAt` is set. */
export interface SeedDelivery {
  endpointId: string;
  projectId: string | null;
  organizationId?: string;
  /** Default: a new event. */
  eventId?: string;
  customerId?: string;
  eventType?: string;
  state: DeliveryState;
  resolution?: 'redelivered' | 'discarded' | 'erased';
  redeliveryOf?: string;
  finishedAt?: number;
  attempts: SeedAttempt[];
}

export interface InsertedDelivery {
  id: string;
  eventId: string;
  attemptIds: string[];
}

/** Creates the partitions that an instance would still have for the days since a time. */
export async function createPartitions(instance: TestInstance, since: number): Promise<void> {
  for (const day of listDays(since, 1))
    await instance.sql(
      `SET ROLE ${OWNER_ROLE};
       CREATE TABLE IF NOT EXISTS ${partitionName(day)} PARTITION OF attempts
       FOR VALUES FROM ('${lowestId(day)}') TO ('${lowestId(day + DAY_MS)}');
       RESET ROLE`,
    );
}

/** Drops the partitions from `createPartitions`, because other test files use the same tables. */
export async function dropPartitions(instance: TestInstance, since: number): Promise<void> {
  for (const day of listDays(since, 2)) await instance.sql(`DROP TABLE IF EXISTS ${partitionName(day)}`);
}

/** Returns the start of each day since a time, in ms since 1970, without the last `excluded` days. */
function listDays(since: number, excluded: number): number[] {
  const [first, end] = [Math.floor(since / DAY_MS), Date.now() / DAY_MS - excluded];
  return Array.from({ length: Math.max(0, Math.ceil(end - first)) }, (_, index) => (first + index) * DAY_MS);
}

const partitionName = (day: number): string =>
  `attempts_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
const lowestId = (day: number): string => `${uuidAt(day).slice(0, 13)}-0000-0000-000000000000`;

/** Inserts past deliveries with their events and attempts. */
export async function seedDeliveries(
  instance: TestInstance,
  deliveries: SeedDelivery[],
): Promise<InsertedDelivery[]> {
  const rows = deliveries.map((delivery) => toRow(instance, delivery));
  await instance.sql(
    `INSERT INTO events (id, organization_id, project_id, customer_id, type, body, created_at)
     SELECT event_id, organization_id, project_id, customer_id, event_type, body, created_at
     FROM json_to_recordset($1::json) AS d (event_id uuid, organization_id uuid, project_id uuid, customer_id uuid,
       event_type text, body text, created_at timestamptz)
     ON CONFLICT (id) DO NOTHING`,
    [JSON.stringify(rows)],
  );
  await instance.sql(
    `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url, state,
       resolution, redelivery_of, attempt, last_http_status, created_at, finished_at)
     SELECT id, organization_id, project_id, event_id, event_type, endpoint_id, 'https://example.com/hook', state,
       resolution, redelivery_of, json_array_length(attempts), (attempts->-1->>'status')::smallint, created_at,
       CASE WHEN state <> 'pending' THEN finished_at END
     FROM json_to_recordset($1::json) AS d (id uuid, organization_id uuid, project_id uuid, event_id uuid,
       event_type text, endpoint_id uuid, state text, resolution text, redelivery_of uuid, attempts json,
       created_at timestamptz, finished_at timestamptz)`,
    [JSON.stringify(rows)],
  );
  await instance.sql(
    `INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id, target_url,
       attempt, http_status, success, error, duration_ms, response_body, started_at, closed_at)
     SELECT a.id, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, d.id,
       'https://example.com/hook', row_number() OVER (PARTITION BY d.id ORDER BY a.id), a.status,
       a.status BETWEEN 200 AND 299, CASE WHEN a.status NOT BETWEEN 200 AND 299 THEN 'http_error' END, 20,
       a."responseBody", a.at, a.at
     FROM json_to_recordset($1::json) AS d (id uuid, organization_id uuid, project_id uuid, event_id uuid,
       event_type text, endpoint_id uuid, attempts json),
       json_to_recordset(d.attempts) AS a (id uuid, status smallint, "responseBody" text, at timestamptz)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id, event_id, attempts }) => ({
    id,
    eventId: event_id,
    attemptIds: attempts.map((attempt) => attempt.id),
  }));
}

function toRow(instance: TestInstance, delivery: SeedDelivery) {
  const { endpointId, projectId, eventType = 'customer.created', attempts } = delivery;
  const startedAt = attempts[0]!.at;
  const iso = (time: number): string => new Date(time).toISOString();
  const { eventId = uuidAt(startedAt), organizationId = instance.credentials.organizationId } = delivery;
  const body = {
    id: `evt_${eventId}`,
    type: eventType,
    created_at: iso(startedAt),
    project_id: projectId,
    organization_id: organizationId,
    data: { seededAt: iso(startedAt) },
  };
  return {
    id: uuidAt(startedAt),
    organization_id: organizationId,
    project_id: projectId,
    customer_id: delivery.customerId ?? null,
    event_id: eventId,
    event_type: eventType,
    body: JSON.stringify(body),
    endpoint_id: endpointId.replace('ep_', ''),
    state: delivery.state,
    resolution: delivery.resolution ?? null,
    redelivery_of: delivery.redeliveryOf ?? null,
    created_at: iso(startedAt),
    finished_at: iso(delivery.finishedAt ?? attempts.at(-1)!.at + 1_000),
    attempts: attempts.map(({ at, status, responseBody = 'ok' }) => ({
      id: uuidAt(at),
      at: iso(at),
      status,
      responseBody,
    })),
  };
}
