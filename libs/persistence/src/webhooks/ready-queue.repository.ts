// Raw SQL: ranked claims on the hot path, and index scans of the ready queue.
import { newId } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { double, nullable, statement, uuid, type Statement } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { claimedAttemptRow, isClaimable, claimPickedSql, type ClaimedAttempt } from './delivery-claim.js';

/** A worker's free capacity, and the capacity in use. */
export interface ClaimCapacity {
  /** Maximum number of attempts to claim. */
  limit: number;
  /** Maximum number of attempts in flight for each endpoint, and for each project. */
  maxPerEndpoint: number;
  maxPerProject: number;
  /** Current number of attempts in flight by id. */
  inFlightByEndpoint: ReadonlyMap<string, number>;
  inFlightByProject: ReadonlyMap<string, number>;
  /** Maximum number of attempts to claim per urgency: first attempts, retries, batches. */
  limitByUrgency: readonly number[];
}

/**
 * Time in ms by which first attempts, retries and batch deliveries are moved back when capacity is short. This is
 * priority aging, not a strict priority: every delivery moves up as it waits, so that it is attempted eventually.
 */
const PRIORITY_AGING_MS = [0, 5_000, 30_000];

/**
 * Maximum number of deliveries scanned per ready queue. Deliveries beyond that are found through their endpoint's
 * ready queue.
 */
const SCAN_WINDOW = 400;

/**
 * Selects only deliveries to enabled endpoints. Otherwise, a disabled endpoint's deliveries that are not canceled
 * yet could fill the window.
 */
const readyDeliveriesSql = `
  SELECT d.id, d.endpoint_id, d.project_id, d.urgency, d.next_attempt_at
  FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'`;

/**
 * Declares a statement that claims as many candidates (id, endpoint_id, project_id, urgency, next_attempt_at) as
 * there is capacity for, most urgent first.
 */
const claimStatement = (candidatesSql: string): Statement<ClaimedAttempt> =>
  statement(
    claimedAttemptRow,
    `WITH candidates AS (${candidatesSql}),
     ranked AS (
       SELECT c.*, next_attempt_at + ($3::float8[])[urgency + 1] * interval '1 ms' AS sort_time FROM candidates c
     ), by_endpoint AS (
       SELECT c.*,
         row_number() OVER (PARTITION BY c.endpoint_id ORDER BY c.sort_time) + coalesce(used.in_flight, 0) AS nth_of_endpoint
       FROM ranked c LEFT JOIN unnest($4::uuid[], $5::int[]) AS used (id, in_flight) ON used.id = c.endpoint_id
     ), by_project AS (
       SELECT c.*,
         row_number() OVER (PARTITION BY c.project_id ORDER BY c.sort_time) + coalesce(used.in_flight, 0) AS nth_of_project
       FROM by_endpoint c LEFT JOIN unnest($7::uuid[], $8::int[]) AS used (id, in_flight) ON used.id = c.project_id
       WHERE c.nth_of_endpoint <= $6
     ), by_urgency AS (
       SELECT c.*, row_number() OVER (PARTITION BY c.urgency ORDER BY c.sort_time) AS nth_of_urgency
       FROM by_project c WHERE c.project_id IS NULL OR c.nth_of_project <= $9
     ), chosen AS (
       SELECT id FROM by_urgency WHERE nth_of_urgency <= ($10::int[])[urgency + 1] ORDER BY sort_time LIMIT $2
     ), locked AS (
       SELECT d.id FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
       WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND ${isClaimable} FOR UPDATE OF d SKIP LOCKED
     ), picked AS (
       SELECT id, ($11::uuid[])[row_number() OVER ()] AS attempt_id FROM locked
     ) ${claimPickedSql('$11::uuid[]')}`,
  );

const claimDue = claimStatement(
  `SELECT due.* FROM unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
     ${readyDeliveriesSql} WHERE ${isClaimable} AND d.urgency = overdue.nth - 1
       AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
     ORDER BY d.next_attempt_at LIMIT ${SCAN_WINDOW}
   ) due`,
);

const claimDueForEndpoints = claimStatement(
  `SELECT due.* FROM unnest($13::uuid[]) AS endpoint (id)
   CROSS JOIN unnest($12::float8[]) WITH ORDINALITY AS overdue (ms, nth) CROSS JOIN LATERAL (
     ${readyDeliveriesSql} WHERE ${isClaimable} AND d.endpoint_id = endpoint.id AND d.urgency = overdue.nth - 1
       AND d.next_attempt_at <= statement_timestamp() - overdue.ms * interval '1 ms'
     ORDER BY d.next_attempt_at LIMIT $6
   ) due`,
);

/** Maximum number of deliveries in a claim without ranking: first attempts, retries, batches. */
export const UNRANKED_CLAIM = [16, 8, 4] as const;

/** Returns SQL that locks the deliveries with an urgency that have been due longest. */
const oldestSql = (urgency: number): string => `(
  ${readyDeliveriesSql} WHERE ${isClaimable} AND d.urgency = ${urgency}
  ORDER BY d.next_attempt_at LIMIT ${UNRANKED_CLAIM[urgency]} FOR UPDATE OF d SKIP LOCKED
)`;

/** The plan does not depend on parameters, so each connection plans the statement only once. */
const claimUnranked = statement(
  claimedAttemptRow,
  `WITH oldest AS (
     SELECT id FROM ${oldestSql(0)} first
     UNION ALL SELECT id FROM ${oldestSql(1)} retry
     UNION ALL SELECT id FROM ${oldestSql(2)} batch
   ), picked AS (
     SELECT id, ($2::uuid[])[row_number() OVER ()] AS attempt_id FROM oldest
   ) ${claimPickedSql('$2::uuid[]')}`,
);

const MAX_UNRANKED = UNRANKED_CLAIM.reduce<number>((sum, count) => sum + count, 0);

/** Returns SQL for the next endpoint id with pending deliveries. @param after SQL for the previous id */
const nextEndpointSql = (after: string): string => `(
  SELECT d.endpoint_id FROM deliveries d
  WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.endpoint_id > ${after}
  ORDER BY d.endpoint_id LIMIT 1)`;

/** Performs a loose index scan, which skips from endpoint to endpoint without reading the deliveries in between. */
const listEndpointsWithPending = statement(
  { id: uuid },
  `WITH RECURSIVE endpoint AS (
     SELECT ${nextEndpointSql('$1::uuid')} AS id
     UNION ALL
     SELECT ${nextEndpointSql('endpoint.id')} FROM endpoint WHERE endpoint.id IS NOT NULL
   )
   SELECT id FROM endpoint WHERE id IS NOT NULL LIMIT $2`,
);

const getMsUntilNextDue = statement(
  { ms: nullable(double) },
  `SELECT (extract(epoch FROM min(due.at) - clock_timestamp()) * 1000)::float8 AS ms
   FROM (VALUES (0), (1), (2)) AS urgency (value) CROSS JOIN LATERAL (
     SELECT d.next_attempt_at AS at
     FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
     WHERE d.state = 'pending' AND d.lease_until IS NULL AND d.urgency = urgency.value
     ORDER BY d.next_attempt_at LIMIT 1
   ) due`,
);

/**
 * Ready queues with due deliveries, by urgency and by endpoint. One endpoint's long queue does not delay claims for
 * other endpoints (requirement WH-13).
 */
export class ReadyQueueRepository {
  /**
   * Creates the repository.
   * @param leaseMs time in ms after which an attempt without a recorded outcome counts as lost
   */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Claims the deliveries that have been due longest.
   * @param overdueMs minimum time in ms that a delivery must have been due, for each urgency
   */
  claimDue(capacity: ClaimCapacity, overdueMs: readonly number[]): Promise<ClaimedAttempt[]> {
    return this.claim(claimDue, capacity, [overdueMs]);
  }

  /**
   * Claims up to `UNRANKED_CLAIM` of the deliveries that have been due longest, regardless of the capacity in use.
   * Much cheaper than `claimDue`.
   */
  claimUnranked(): Promise<ClaimedAttempt[]> {
    return this.database.execute(claimUnranked, [this.leaseMs, Array.from({ length: MAX_UNRANKED }, newId)]);
  }

  /** Claims due deliveries to these endpoints. @param overdueMs as in `claimDue` */
  claimDueForEndpoints(
    endpointIds: string[],
    capacity: ClaimCapacity,
    overdueMs: readonly number[],
  ): Promise<ClaimedAttempt[]> {
    return this.claim(claimDueForEndpoints, capacity, [overdueMs, endpointIds]);
  }

  /** Returns the ids of endpoints with pending deliveries in ascending order, without reading their queues. */
  async listEndpointsWithPending(after: string | null, limit: number): Promise<string[]> {
    const rows = await this.database.execute(listEndpointsWithPending, [after ?? NIL_UUID, limit]);
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the time in ms until the next delivery is due: negative if it is overdue, null if no delivery is waiting.
   */
  async getMsUntilNextDue(): Promise<number | null> {
    const [row] = await this.database.execute(getMsUntilNextDue);
    return row!.ms;
  }

  private async claim(
    declaredClaim: Statement<ClaimedAttempt>,
    capacity: ClaimCapacity,
    rest: unknown[],
  ): Promise<ClaimedAttempt[]> {
    if (capacity.limit <= 0) return [];
    return this.database.execute(declaredClaim, [
      this.leaseMs,
      capacity.limit,
      PRIORITY_AGING_MS,
      [...capacity.inFlightByEndpoint.keys()],
      [...capacity.inFlightByEndpoint.values()],
      capacity.maxPerEndpoint,
      [...capacity.inFlightByProject.keys()],
      [...capacity.inFlightByProject.values()],
      capacity.maxPerProject,
      capacity.limitByUrgency,
      Array.from({ length: capacity.limit }, newId),
      ...rest,
    ]);
  }
}
