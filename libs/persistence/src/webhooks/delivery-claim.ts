import { bytea, double, neverNull, nullable, smallint, text, uuid, type RowOf } from '../sql/statements.js';
import { minIdAtSql } from '../sql/uuid-v7.js';

// SQL for a claim, shared by the claims for jobs and for due deliveries.

/** The row for a statement that ends with `claimPickedSql`. */
export const claimedAttemptRow = {
  deliveryId: uuid,
  /** Also the fencing token. */
  attemptId: neverNull(uuid),
  attempt: smallint,
  urgency: smallint,
  /** The delivery's age, from the transaction that created it. */
  ageMs: double,
  endpointId: uuid,
  projectId: nullable(uuid),
  eventId: uuid,
  eventType: text,
  body: text,
  targetUrl: text,
  /** Encrypted. */
  secret: bytea,
  /** Encrypted; null unless the previous secret still signs too. */
  previousSecret: nullable(bytea),
  /** The endpoint's custom headers, encrypted; null if there are none. */
  headers: nullable(bytea),
  /** The span in which the event was recorded. */
  traceparent: nullable(text),
};

/** An attempt that this worker has claimed. No other worker may run it. */
export type ClaimedAttempt = RowOf<typeof claimedAttemptRow>;

/** Uses the statement's time, not `clock_timestamp()`: a value that changes within a statement cannot be an index condition. */
export const isClaimable = `d.state = 'pending' AND d.lease_until IS NULL AND d.next_attempt_at <= statement_timestamp()`;

/** A subselect, so that it is evaluated once for all claimed deliveries. */
const oldestAllowed = `(SELECT ${minIdAtSql("statement_timestamp() - interval '2 seconds'")})`;

/**
 * An id that was generated more than 2 s before its claim gets a later time, so that the rollup knows the earliest id
 * of an attempt that may not be visible yet, regardless of the workers' clocks and of how long a worker was
 * suspended.
 */
const attemptId = `CASE WHEN picked.attempt_id >= ${oldestAllowed} THEN picked.attempt_id
      ELSE (left(${oldestAllowed}::text, 14) || substr(picked.attempt_id::text, 15))::uuid END`;

/**
 * Returns the end of a WITH whose `picked` returns (id, attempt_id) for locked claimable deliveries; $1 is the lease
 * in ms. PostgreSQL estimates one row for the condition on the attempt id, which is always true, and therefore looks
 * rows up by their primary keys, even if it has planned while the tables were small.
 * @param attemptIds SQL for the array that contains the ids
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
