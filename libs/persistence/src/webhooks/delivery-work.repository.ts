import type { ClosedAttempt, DeliveryState } from '#domain';
import { newId, type DeliveryJob } from '#platform';
import type { Database } from '../database.js';
import { IN_LOCK_ORDER } from './lock-order.js';

/** An attempt that this worker, and no other, is to make. */
export interface ClaimedAttempt {
  deliveryId: string;
  /** Also the fencing token. */
  attemptId: string;
  attempt: number;
  endpointId: string;
  projectId: string | null;
  eventId: string;
  eventType: string;
  body: string;
  targetUrl: string;
  /** Encrypted. */
  secret: Buffer;
}

/** An attempt whose worker has not been heard of within its lease. */
export interface LostAttempt {
  deliveryId: string;
  attemptId: string;
  attempt: number;
  durationMs: number;
}

/** How a close went: null when the claim had passed to somebody else, and nothing was written. */
export type CloseResult = DeliveryState | null;

/** `picked` must give (id, attempt_id) of deliveries that are locked and may be claimed. */
const claimPicked = `
  UPDATE deliveries d SET attempt = d.attempt + 1, attempt_id = picked.attempt_id, target_url = w.url,
    started_at = clock_timestamp(), lease_until = clock_timestamp() + $1 * interval '1 ms', next_attempt_at = NULL
  FROM picked, webhook_endpoints w, events e
  WHERE d.id = picked.id AND w.id = d.endpoint_id AND e.id = d.event_id
  RETURNING d.id AS "deliveryId", d.attempt_id AS "attemptId", d.attempt, d.endpoint_id AS "endpointId",
    d.project_id AS "projectId", e.id AS "eventId", e.type AS "eventType", e.body, w.url AS "targetUrl", w.secret`;

const claimable = `d.state = 'pending' AND d.lease_until IS NULL AND d.next_attempt_at <= clock_timestamp()`;

/** The worker's side of deliveries: claim, close, and what the sweeper needs. Plain SQL, because it is the hot path. */
export class DeliveryWorkRepository {
  /** @param leaseMs how long a worker may be silent before its attempt counts as lost */
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Claims the deliveries that jobs point to, all in one statement.
   * @returns per job the claimed attempt, or null when it is not due, not pending, or somebody else's
   */
  async claim(jobs: DeliveryJob[]): Promise<(ClaimedAttempt | null)[]> {
    const claimed = await this.database.prepared<ClaimedAttempt>(
      `WITH picked AS (
         SELECT d.id, job.attempt_id
         FROM unnest($2::uuid[], $3::smallint[], $4::uuid[]) AS job (delivery_id, attempt, attempt_id)
           JOIN deliveries d ON d.id = job.delivery_id AND d.attempt = job.attempt - 1
           JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
         WHERE ${claimable}
         FOR UPDATE OF d SKIP LOCKED
       ) ${claimPicked}`,
      [
        this.leaseMs,
        jobs.map((job) => job.deliveryId),
        jobs.map((job) => job.attempt),
        jobs.map(() => newId()),
      ],
    );
    // Of two jobs for one attempt in one batch only one may run it.
    const byDelivery = new Map(claimed.map((attempt) => [attempt.deliveryId, attempt]));
    return jobs.map(({ deliveryId }) => {
      const attempt = byDelivery.get(deliveryId) ?? null;
      byDelivery.delete(deliveryId);
      return attempt;
    });
  }

  /** Claims up to `limit` deliveries that have been due for at least `overdueMs`, longest due first. */
  async claimDue(limit: number, overdueMs: number): Promise<ClaimedAttempt[]> {
    const attemptIds = Array.from({ length: limit }, newId);
    return this.database.prepared<ClaimedAttempt>(
      `WITH locked AS (
         SELECT d.id FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
         WHERE ${claimable} AND d.next_attempt_at <= clock_timestamp() - $2 * interval '1 ms'
         ORDER BY d.next_attempt_at LIMIT $3 FOR UPDATE OF d SKIP LOCKED
       ), picked AS (
         SELECT id, ($4::uuid[])[row_number() OVER ()] AS attempt_id FROM locked
       ) ${claimPicked}`,
      [this.leaseMs, overdueMs, limit, attemptIds],
    );
  }

  /** Milliseconds until the next delivery is due; negative when it is overdue, null when none waits. */
  async nextDueInMs(): Promise<number | null> {
    const [row] = await this.database.prepared<{ ms: number | null }>(
      `SELECT (extract(epoch FROM d.next_attempt_at - clock_timestamp()) * 1000)::float8 AS ms
       FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status = 'enabled'
       WHERE d.state = 'pending' AND d.lease_until IS NULL ORDER BY d.next_attempt_at LIMIT 1`,
    );
    return row?.ms ?? null;
  }

  /**
   * Writes the outcomes of attempts, all in one statement: only if the claim still holds, the delivery moves
   * and the attempt enters the log. A failure ends the delivery when meanwhile its endpoint was
   * switched off or its customer deleted; of a deleted customer nothing that the target answered is kept. The rows
   * are locked before they are judged: whoever is waited for may be deleting that customer.
   */
  async close(attempts: ClosedAttempt[]): Promise<CloseResult[]> {
    const rows = await this.database.prepared<{ attemptId: string; state: DeliveryState }>(
      `WITH judged AS (
         SELECT c.*, CASE WHEN c.success THEN 'succeeded' WHEN w.status <> 'enabled' OR d.withdrawn THEN 'cancelled'
           WHEN c."nextDelayMs" IS NULL THEN 'failed' ELSE 'pending' END AS state
         FROM json_to_recordset($1::json) AS c ("deliveryId" uuid, "attemptId" uuid, "nextDelayMs" float8,
             "httpStatus" smallint, success boolean, error text, "durationMs" integer, "responseBody" text,
             "retryAfter" text)
           JOIN deliveries d ON d.id = c."deliveryId" AND d.attempt_id = c."attemptId"
           JOIN webhook_endpoints w ON w.id = d.endpoint_id
         ${IN_LOCK_ORDER}
       ), moved AS (
         UPDATE deliveries d SET state = judged.state, attempt_id = NULL, lease_until = NULL,
           next_attempt_at = CASE WHEN judged.state = 'pending'
             THEN clock_timestamp() + judged."nextDelayMs" * interval '1 ms' END,
           finished_at = CASE WHEN judged.state <> 'pending' THEN clock_timestamp() END
         FROM judged WHERE d.id = judged."deliveryId"
         RETURNING judged.*, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, d.target_url,
           d.attempt, d.started_at, d.withdrawn
       ), logged AS (
         INSERT INTO attempts (id, organization_id, project_id, event_id, event_type, endpoint_id, delivery_id,
           target_url, attempt, http_status, success, error, duration_ms, response_body, retry_after, started_at,
           closed_at)
         SELECT "attemptId", organization_id, project_id, event_id, event_type, endpoint_id, "deliveryId",
           target_url, attempt, "httpStatus", success, error, "durationMs",
           CASE WHEN withdrawn THEN '' ELSE "responseBody" END, "retryAfter", started_at, clock_timestamp()
         FROM moved
       )
       SELECT "attemptId", state FROM moved`,
      [JSON.stringify(attempts)],
    );
    const states = new Map(rows.map((row) => [row.attemptId, row.state]));
    return attempts.map(({ attemptId }) => states.get(attemptId) ?? null);
  }

  /** Attempts whose lease has run out. */
  async findLost(limit: number): Promise<LostAttempt[]> {
    return this.database.prepared<LostAttempt>(
      `SELECT id AS "deliveryId", attempt_id AS "attemptId", attempt,
         least(extract(epoch FROM clock_timestamp() - started_at) * 1000, 2147483647)::int AS "durationMs"
       FROM deliveries WHERE lease_until <= clock_timestamp() ORDER BY lease_until LIMIT $1`,
      [limit],
    );
  }

  /** Cancels what is pending for endpoints that no longer take deliveries. */
  async cancelOrphans(): Promise<void> {
    await this.database.prepared(
      `WITH orphans AS (
         SELECT d.id FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id AND w.status <> 'enabled'
         WHERE d.state = 'pending' AND d.lease_until IS NULL ${IN_LOCK_ORDER}
       )
       UPDATE deliveries d SET state = 'cancelled', next_attempt_at = NULL, finished_at = clock_timestamp()
       FROM orphans WHERE d.id = orphans.id`,
    );
  }
}
