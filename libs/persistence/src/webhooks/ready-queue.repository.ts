import { newId } from '@gatehouse/platform';
import type { Database } from '../database.js';
import { NIL_UUID } from '../uuid-v7.js';
import { isClaimable, claimPickedSql, type ClaimedAttempt } from './delivery-claim.js';

/** What a worker has room for, and how much of it is taken already. */
export interface ClaimCapacity {
  /** Attempts that may be claimed in all. */
  limit: number;
  /** Most in flight per endpoint and per project. */
  maxPerEndpoint: number;
  maxPerProject: number;
  /** In flight now, by id. */
  inFlightByEndpoint: ReadonlyMap<string, number>;
  inFlightByProject: ReadonlyMap<string, number>;
  /** Attempts that may be claimed of each urgency: first attempts, retries, batches. */
  limitByUrgency: readonly number[];
}

/**
 * How much longer than a first attempt a retry and a delivery of a batch wait when there is no room for all, in ms.
 * A handicap, not a rank: whoever has waited long enough is first, so nobody waits for ever.
 */
const PRIORITY_AGING_MS = [0, 5_000, 30_000];

/** How far down a line a look goes: beyond that, an endpoint's deliveries are found by their own line. */
const SCAN_WINDOW = 400;

/** From `lines` (id, endpoint_id, project_id, urgency, next_attempt_at) as many as there is room for, the urgent first. */
const pickSql = (lines: string): string => `
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
    WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND ${isClaimable} FOR UPDATE OF d SKIP LOCKED
  ), picked AS (
    SELECT id, ($11::uuid[])[row_number() OVER ()] AS attempt_id FROM locked
  ) ${claimPickedSql}`;

/** Of enabled endpoints alone: what is left at one that was disabled must not fill the window. */
const readyDeliveriesSql = `
  SELECT d.id, d.endpoint_id, d.project_id, d.urgency, d.next_attempt_at
  FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'`;

/**
 * Deliveries that are due, standing in line by urgency and by endpoint. However long the line of one endpoint, the
 * others are claimed as if it were not there (requirement WH-13).
 */
export class ReadyQueueRepository {
  /** @param leaseMs how long a worker may be silent before its attempt counts as lost */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Claims what has been due longest.
   * @param overdueMs per urgency, for how long it must have been due
   */
  claimDue(room: ClaimCapacity, overdueMs: readonly number[]): Promise<ClaimedAttempt[]> {
    return this.claim(
      `SELECT due.* FROM unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
         ${readyDeliveriesSql} WHERE ${isClaimable} AND d.urgency = overdue.nth - 1
           AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
         ORDER BY d.next_attempt_at LIMIT ${SCAN_WINDOW}
       ) due`,
      room,
      [overdueMs],
    );
  }

  /** Claims what is due at these endpoints. @param overdueMs as above */
  claimDueForEndpoints(
    endpointIds: string[],
    room: ClaimCapacity,
    overdueMs: readonly number[],
  ): Promise<ClaimedAttempt[]> {
    return this.claim(
      `SELECT due.* FROM unnest($13::uuid[]) AS endpoint (id)
       CROSS JOIN unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
         ${readyDeliveriesSql} WHERE ${isClaimable} AND d.endpoint_id = endpoint.id AND d.urgency = overdue.nth - 1
           AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
         ORDER BY d.next_attempt_at LIMIT $6
       ) due`,
      room,
      [overdueMs, endpointIds],
    );
  }

  /** Endpoints for which something is pending, in the order of their ids, without reading their lines. */
  async listEndpointsWithPending(after: string | null, limit: number): Promise<string[]> {
    const next = (bound: string): string => `(
      SELECT d.endpoint_id FROM deliveries d
      WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.endpoint_id > ${bound}
      ORDER BY d.endpoint_id LIMIT 1)`;
    const rows = await this.database.queryPrepared<{ id: string }>(
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
  async getMsUntilNextDue(): Promise<number | null> {
    const [row] = await this.database.queryPrepared<{ ms: number | null }>(
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

  private async claim(lines: string, room: ClaimCapacity, rest: unknown[]): Promise<ClaimedAttempt[]> {
    if (room.limit <= 0) return [];
    return this.database.queryPrepared<ClaimedAttempt>(pickSql(lines), [
      this.leaseMs,
      room.limit,
      PRIORITY_AGING_MS,
      [...room.inFlightByEndpoint.keys()],
      [...room.inFlightByEndpoint.values()],
      room.maxPerEndpoint,
      [...room.inFlightByProject.keys()],
      [...room.inFlightByProject.values()],
      room.maxPerProject,
      room.limitByUrgency,
      Array.from({ length: room.limit }, newId),
      ...rest,
    ]);
  }
}
