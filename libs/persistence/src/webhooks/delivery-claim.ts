import { bytea, double, neverNull, nullable, smallint, text, uuid, type RowOf } from '../sql/statements.js';
import { minIdAtSql } from '../sql/uuid-v7.js';

// SQL that is shared by claims for jobs and for due deliveries.

/** Row map for statements that end with `claimPickedSql`. */
export const claimedAttemptRow = {
  deliveryId: uuid,
  /** Also serves as the fencing token. */
  attemptId: neverNull(uuid),
  attempt: smallint,
  urgency: smallint,
  /** Age in ms since the start of the transaction that created the delivery. */
  ageMs: double,
  endpointId: uuid,
  projectId: nullable(uuid),
  eventId: uuid,
  eventType: text,
  body: text,
  targetUrl: text,
  /** Encrypted. */
  secret: bytea,
  /** Encrypted; null unless the previous secret is still used for signing as well. */
  previousSecret: nullable(bytea),
  /** The endpoint's custom headers, encrypted; null if there are none. */
  headers: nullable(bytea),
  /** Trace context of the span that recorded the event. */
  traceparent: nullable(text),
};

/** An attempt that this worker has claimed. No other worker may run it. */
export type ClaimedAttempt = RowOf<typeof claimedAttemptRow>;

/**
 * Uses the statement time, because a value that changes within a statement, such as `clock_timestamp()`, cannot be an
 * index condition.
 */
export const isClaimable = `d.state = 'pending' AND d.lease_until IS NULL AND d.next_attempt_at <= statement_timestamp()`;

/** Condition that a delivery's attempt has been lost with its worker. */
export const isLeaseExpired = 'lease_until <= statement_timestamp()';

/** Uses a subquery, so that it is evaluated only once for all claimed deliveries. */
const oldestAllowed = `(SELECT ${minIdAtSql("statement_timestamp() - interval '2 seconds'")})`;

/**
 * Increases an attempt id's timestamp if it is more than 2 s before the claim. This sets a lower bound for the ids that
 * the rollup cannot see yet, even if a worker's clock is wrong or the worker was suspended.
 */
const attemptId = `CASE WHEN picked.attempt_id >= ${oldestAllowed} THEN picked.attempt_id
      ELSE (left(${oldestAllowed}::text, 14) || substr(picked.attempt_id::text, 15))::uuid END`;

/**
 * Returns the main statement for a WITH clause in which `picked` contains (id, attempt_id) of locked, claimable
 * deliveries. $1 is the lease in ms. The condition on the attempt id is always true, but PostgreSQL estimates one row
 * for it. It therefore looks up rows by primary key, even if it planned the statement when the tables were small.
 * @param attemptIds SQL for the attempt id array
 */
export const claimPickedSql = (attemptIds: string): string => `
  UPDATE deliveries d SET attempt = d.attempt + 1, attempt_id = ${attemptId}, target_url = w.url,
    started_at = clock_timestamp(), lease_until = clock_timestamp() + $1 * interval '1 ms', next_attempt_at = NULL
  FROM picked, webhook_endpoints w, events e
  WHERE d.id = picked.id AND picked.attempt_id = ANY (${attemptIds}) AND w.id = d.endpoint_id AND e.id = d.event_id
  RETURNING d.id AS "deliveryId", d.attempt_id AS "attemptId", d.attempt, d.urgency, d.endpoint_id AS "endpointId",
    (extract(epoch FROM clock_timestamp() - d.created_at) * 1000)::float8 AS "ageMs",
    d.project_id AS "projectId", e.id AS "eventId", e.type AS "eventType", e.body, e.traceparent, w.url AS "targetUrl", w.secret,
    CASE WHEN w.previous_secret_until > clock_timestamp() THEN w.previous_secret END AS "previousSecret", w.headers`;
