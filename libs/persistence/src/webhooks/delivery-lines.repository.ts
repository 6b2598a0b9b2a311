import { newId } from '@gatehouse/platform';
import type { Database } from '../database.js';
import { NIL_UUID } from '../id-times.js';
import { claimable, claimPicked, type ClaimedAttempt } from './delivery-claim.js';

/** What a worker has room for, and how much of it is taken already. */
export interface Room {
  /** Attempts that may be claimed in all. */
  limit: number;
  /** Most in flight per endpoint and per project. */
  perEndpoint: number;
  perProject: number;
  /** In flight now, by id. */
  endpoints: ReadonlyMap<string, number>;
  projects: ReadonlyMap<string, number>;
  /** Attempts that may be claimed of each urgency: first attempts, retries, batches. */
  urgencies: readonly number[];
}

/**
 * How much longer than a first attempt a retry and a delivery of a batch wait when there is no room for all, in ms.
 * A handicap, not a rank: whoever has waited long enough is first, so nobody waits for ever.
 */
const HANDICAP_MS = [0, 5_000, 30_000];

/** How far down a line a look goes: beyond that, an endpoint's deliveries are found by their own line. */
const WINDOW = 400;

/** From `lines` (id, endpoint_id, project_id, urgency, next_attempt_at) as many as there is room for, the urgent first. */
const pickFrom = (lines: string): string => `
  WITH lines AS (${lines}),
  placed AS (
    SELECT l.*, next_attempt_at + ($3::float8[])[urgency + 1] * interval '1 ms' AS place FROM lines l
  ), by_endpoint AS (
    SELECT p.*, row_number() OVER (PARTITION BY p.endpoint_id ORDER BY p.place) + coalesce(b.taken, 0) AS nth
    FROM placed p LEFT JOIN unnest($4::uuid[], $5::int[]) AS b (id, taken) ON b.id = p.endpoint_id
  ), by_project AS (
    SELECT p.*, row_number() OVER (PARTITION BY p.project_id ORDER BY p.place) + coalesce(b.taken, 0) AS nth_of_project
    FROM by_endpoint p LEFT JOIN unnest($7::uuid[], $8::int[]) AS b (id, taken) ON b.id = p.project_id
    WHERE p.nth <= $6
  ), by_urgency AS (
    SELECT p.*, row_number() OVER (PARTITION BY p.urgency ORDER BY p.place) AS nth_of_urgency
    FROM by_project p WHERE p.project_id IS NULL OR p.nth_of_project <= $9
  ), chosen AS (
    SELECT id FROM by_urgency WHERE nth_of_urgency <= ($10::int[])[urgency + 1] ORDER BY place LIMIT $2
  ), locked AS (
    SELECT d.id FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
    WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND ${claimable} FOR UPDATE OF d SKIP LOCKED
  ), picked AS (
    SELECT id, ($11::uuid[])[row_number() OVER ()] AS attempt_id FROM locked
  ) ${claimPicked}`;

/** Of enabled endpoints alone: what is left at one that was disabled must not fill the window. */
const line = `
  SELECT d.id, d.endpoint_id, d.project_id, d.urgency, d.next_attempt_at
  FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'`;

/**
 * Deliveries that are due, standing in line by urgency and by endpoint. However long the line of one endpoint, the
 * others are claimed as if it were not there (requirement WH-13).
 */
export class DeliveryLinesRepository {
  /** @param leaseMs how long a worker may be silent before its attempt counts as lost */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Claims what has been due longest.
   * @param overdueMs per urgency, for how long it must have been due
   */
  claimDue(room: Room, overdueMs: readonly number[]): Promise<ClaimedAttempt[]> {
    return this.claim(
      `SELECT due.* FROM unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
         ${line} WHERE ${claimable} AND d.urgency = overdue.nth - 1
           AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
         ORDER BY d.next_attempt_at LIMIT ${WINDOW}
       ) due`,
      room,
      [overdueMs],
    );
  }

  /** Claims what is due at these endpoints. @param overdueMs as above */
  claimOf(endpointIds: string[], room: Room, overdueMs: readonly number[]): Promise<ClaimedAttempt[]> {
    return this.claim(
      `SELECT due.* FROM unnest($13::uuid[]) AS endpoint (id)
       CROSS JOIN unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
         ${line} WHERE ${claimable} AND d.endpoint_id = endpoint.id AND d.urgency = overdue.nth - 1
           AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
         ORDER BY d.next_attempt_at LIMIT $6
       ) due`,
      room,
      [overdueMs, endpointIds],
    );
  }

  /** Endpoints for which something is pending, in the order of their ids, without reading their lines. */
  async endpointsInLine(after: string | null, limit: number): Promise<string[]> {
    const next = (bound: string): string => `(
      SELECT d.endpoint_id FROM deliveries d
      WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.endpoint_id > ${bound}
      ORDER BY d.endpoint_id LIMIT 1)`;
    const rows = await this.database.prepared<{ id: string }>(
      `WITH RECURSIVE step AS (
         SELECT ${next('$1::uuid')} AS id
         UNION ALL
         SELECT ${next('step.id')} FROM step WHERE step.id IS NOT NULL
       )
       SELECT id FROM step WHERE id IS NOT NULL LIMIT $2`,
      [after ?? NIL_UUID, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Milliseconds until the next delivery is due; negative when it is overdue, null when none waits. */
  async nextDueInMs(): Promise<number | null> {
    const [row] = await this.database.prepared<{ ms: number | null }>(
      `SELECT (extract(epoch FROM min(due.at) - clock_timestamp()) * 1000)::float8 AS ms
       FROM (VALUES (0), (1), (2)) AS urgency (value) CROSS JOIN LATERAL (
         SELECT d.next_attempt_at AS at
         FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
         WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.urgency = urgency.value
         ORDER BY d.next_attempt_at LIMIT 1
       ) due`,
    );
    return row?.ms ?? null;
  }

  private async claim(lines: string, room: Room, rest: unknown[]): Promise<ClaimedAttempt[]> {
    if (room.limit <= 0) return [];
    return this.database.prepared<ClaimedAttempt>(pickFrom(lines), [
      this.leaseMs,
      room.limit,
      HANDICAP_MS,
      [...room.endpoints.keys()],
      [...room.endpoints.values()],
      room.perEndpoint,
      [...room.projects.keys()],
      [...room.projects.values()],
      room.perProject,
      room.urgencies,
      Array.from({ length: room.limit }, newId),
      ...rest,
    ]);
  }
}
