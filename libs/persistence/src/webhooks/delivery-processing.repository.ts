// Raw SQL: the worker's hot path, which claims deliveries and records outcomes in bulk.
import { URGENCY, type FinishedAttempt, type DeliveryState } from '@gatehouse/domain';
import { errorCode, newId, type DeliveryJob } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Transactions } from '../database/transactions.js';
import {
  integer,
  neverNull,
  nullable,
  smallint,
  statement,
  textOf,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { ensurePartitionsFor } from './attempt-partitions.js';
import { cancelPendingSql } from './cancel-pending-sql.js';
import {
  claimedAttemptRow,
  isClaimable,
  isLeaseExpired,
  claimPickedSql,
  type ClaimedAttempt,
} from './delivery-claim.js';
import { IN_LOCK_ORDER } from './lock-order.js';

const lostAttemptRow = {
  deliveryId: uuid,
  attemptId: neverNull(uuid),
  attempt: smallint,
  urgency: smallint,
  endpointId: uuid,
  projectId: nullable(uuid),
  /** Time since the claim in ms. */
  durationMs: integer,
};

/** An attempt whose worker did not record an outcome before the lease expired. */
export type LostAttempt = RowOf<typeof lostAttemptRow>;

/**
 * The delivery's state after an outcome was recorded; null if the claim was no longer valid and nothing was written.
 */
export type RecordedOutcome = DeliveryState | null;

/** PostgreSQL error code for a row that fits no partition. */
const NO_PARTITION_CODE = '23514';

/**
 * Returns a FROM item with one row for each index of several arrays. PostgreSQL does not know the limit when it
 * plans, and estimates one row. It therefore looks up rows by primary key, even if it planned the statement when the
 * table was small, and uses the same plan for all array sizes.
 */
const rowsFromArrays = (arrays: string[], columns: string): string =>
  `(SELECT * FROM unnest(${arrays.join(', ')}) AS row (${columns}) LIMIT (SELECT cardinality(${arrays[0]!})))`;

/**
 * Looks up each delivery by id before checking whether it can be claimed. Otherwise, the planner might choose to read
 * all pending deliveries for each job.
 */
const claimJobs = statement(
  claimedAttemptRow,
  `WITH picked AS (
     SELECT d.id, job.attempt_id
     FROM ${rowsFromArrays(['$2::uuid[]', '$3::smallint[]', '$4::uuid[]'], 'delivery_id, attempt, attempt_id')} job
       CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = job.delivery_id OFFSET 0 FOR UPDATE SKIP LOCKED) d
     WHERE d.attempt = job.attempt - 1 AND ${isClaimable}
       AND (SELECT status FROM webhook_endpoints WHERE id = d.endpoint_id) = 'enabled'
   ) ${claimPickedSql('$4::uuid[]')}`,
);

/** An outcome's columns, with the element types for their arrays. */
const outcomeTypes = {
  deliveryId: 'uuid',
  attemptId: 'uuid',
  nextDelayMs: 'float8',
  httpStatus: 'smallint',
  success: 'boolean',
  error: 'text',
  durationMs: 'integer',
  responseBody: 'text',
  retryAfter: 'text',
} satisfies Record<keyof FinishedAttempt, string>;
const outcomeColumns = Object.keys(outcomeTypes) as (keyof FinishedAttempt)[];
const outcomeArrays = Object.values(outcomeTypes).map((type, index) => `$${index + 1}::${type}[]`);

/**
 * Locks the rows before determining the new state. While the statement waits for a lock, another transaction may
 * delete the customer.
 */
const recordOutcomes = statement(
  { attemptId: uuid, state: textOf<DeliveryState>() },
  `WITH evaluated AS (
     SELECT outcome.*, CASE WHEN outcome.success THEN 'succeeded'
       WHEN w.status <> 'enabled' OR d.withdrawn THEN 'cancelled'
       WHEN outcome."nextDelayMs" IS NULL THEN 'failed' ELSE 'pending' END AS state
     FROM ${rowsFromArrays(outcomeArrays, outcomeColumns.map((column) => `"${column}"`).join(', '))} outcome
       JOIN deliveries d ON d.id = outcome."deliveryId" AND d.attempt_id = outcome."attemptId"
       JOIN webhook_endpoints w ON w.id = d.endpoint_id
     ${IN_LOCK_ORDER}
   ), updated AS (
     UPDATE deliveries d SET state = evaluated.state, attempt_id = NULL, lease_until = NULL,
       next_attempt_at = CASE WHEN evaluated.state = 'pending'
         THEN clock_timestamp() + evaluated."nextDelayMs" * interval '1 ms' END,
       urgency = greatest(urgency, ${URGENCY.retry}), last_http_status = evaluated."httpStatus", last_error = evaluated.error,
       untold = CASE WHEN evaluated.state = 'failed' AND d.event_type NOT LIKE 'webhook.%' THEN true END,
       finished_at = CASE WHEN evaluated.state <> 'pending' THEN clock_timestamp() END
     FROM evaluated WHERE d.id = evaluated."deliveryId"
     RETURNING evaluated.*, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, d.target_url,
       d.attempt, d.started_at, d.withdrawn
   ), logged AS (
     INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id,
       target_url, attempt, http_status, success, error, duration_ms, response_body, retry_after, started_at,
       closed_at)
     SELECT "attemptId", organization_id, project_id, event_id, event_type, endpoint_id, "deliveryId",
       target_url, attempt, "httpStatus", success, error, "durationMs",
       CASE WHEN withdrawn THEN '' ELSE "responseBody" END, "retryAfter", started_at, clock_timestamp()
     FROM updated
   )
   SELECT "attemptId", state FROM updated`,
);

/** Compares the lease with the statement time, which can be an index condition. */
const findLostAttempts = statement(
  lostAttemptRow,
  `SELECT id AS "deliveryId", attempt_id AS "attemptId", attempt, urgency, endpoint_id AS "endpointId",
     project_id AS "projectId",
     least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int AS "durationMs"
   FROM deliveries WHERE ${isLeaseExpired} ORDER BY lease_until LIMIT $1`,
);

const cancelForInactiveEndpoints = statement(
  { count: integer },
  cancelPendingSql(
    "webhook_endpoints w JOIN deliveries d ON d.endpoint_id = w.id WHERE w.status <> 'enabled'",
  ),
);

/** Delivery operations for the worker: claims, outcomes, and the sweeper's queries. */
export class DeliveryProcessingRepository {
  /**
   * Creates the repository.
   * @param leaseMs time in ms after which an attempt without a recorded outcome counts as lost
   */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Claims the jobs' deliveries in one statement.
   * @returns for each job, the claimed attempt, or null if the delivery is not pending, not due, or claimed by
   * another worker
   */
  async claim(jobs: DeliveryJob[]): Promise<(ClaimedAttempt | null)[]> {
    const claimed = await this.database.execute(claimJobs, [
      this.leaseMs,
      jobs.map((job) => job.deliveryId),
      jobs.map((job) => job.attempt),
      jobs.map(() => newId()),
    ]);
    // If there are two jobs for the same attempt, only one of them may run it.
    const byDelivery = new Map(claimed.map((attempt) => [attempt.deliveryId, attempt]));
    return jobs.map(({ deliveryId }) => {
      const attempt = byDelivery.get(deliveryId) ?? null;
      byDelivery.delete(deliveryId);
      return attempt;
    });
  }

  /**
   * Records the attempts' outcomes in one statement. If the claim is still valid, it updates the delivery and adds
   * the attempt to the log. A failure cancels the delivery if its endpoint has been disabled or its customer deleted
   * in the meantime; for a deleted customer, the receiver's response is not stored.
   */
  async recordOutcomes(attempts: FinishedAttempt[]): Promise<RecordedOutcome[]> {
    try {
      return await this.writeOutcomes(attempts);
    } catch (error) {
      if (errorCode(error) !== NO_PARTITION_CODE) throw error;
      // The day's partition has been dropped, or was not created in time.
      const ids = attempts.map(({ attemptId }) => attemptId);
      await this.transactions.run((tx) => ensurePartitionsFor(tx, ids));
      return this.writeOutcomes(attempts);
    }
  }

  private async writeOutcomes(attempts: FinishedAttempt[]): Promise<RecordedOutcome[]> {
    const values = outcomeColumns.map((column) => attempts.map((attempt) => attempt[column]));
    const rows = await this.database.execute(recordOutcomes, values);
    const states = new Map(rows.map((row) => [row.attemptId, row.state]));
    return attempts.map(({ attemptId }) => states.get(attemptId) ?? null);
  }

  /** Returns attempts whose lease has expired. */
  findLost(limit: number): Promise<LostAttempt[]> {
    return this.database.execute(findLostAttempts, [limit]);
  }

  /**
   * Cancels pending deliveries to endpoints that are no longer enabled.
   * @returns the number of canceled deliveries, at most `CANCEL_LIMIT`
   */
  async cancelForInactiveEndpoints(): Promise<number> {
    const [row] = await this.database.execute(cancelForInactiveEndpoints);
    return row!.count;
  }
}
