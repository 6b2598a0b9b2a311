import { minIdAtSql } from '../uuid-v7.js';

// SQL of a claim, shared by those who claim what a job points to and those who claim what is due.

/** An attempt that this worker, and no other, is to make. */
export interface ClaimedAttempt {
  deliveryId: string;
  /** Also the fencing token. */
  attemptId: string;
  attempt: number;
  urgency: number;
  /** Of the delivery, from the transaction that made it. */
  ageMs: number;
  endpointId: string;
  projectId: string | null;
  eventId: string;
  eventType: string;
  body: string;
  targetUrl: string;
  /** Encrypted. */
  secret: Buffer;
  /** Encrypted; null unless it still signs too. */
  previousSecret: Buffer | null;
  /** The endpoint's own, encrypted; null when it has none. */
  headers: Buffer | null;
}

/** The time of the statement, not `clock_timestamp()`: what changes within a statement cannot bound an index. */
export const isClaimable = `d.state = 'pending' AND d.lease_until IS NULL AND d.next_attempt_at <= statement_timestamp()`;

/** Sub-selects, so that they are evaluated once for all that are claimed. */
const oldestAllowed = `(SELECT ${minIdAtSql("statement_timestamp() - interval '2 seconds'")})`;

/**
 * An id that was made longer ago when its claim begins gets a later time: so whoever counts the log knows from when on
 * there may be attempts that nobody sees yet, whatever the clocks of the workers say and however long they stood still.
 */
const attemptId = `CASE WHEN picked.attempt_id >= ${oldestAllowed} THEN picked.attempt_id
      ELSE (left(${oldestAllowed}::text, 14) || substr(picked.attempt_id::text, 15))::uuid END`;

/** Ends a WITH whose `picked` gives (id, attempt_id) of deliveries that are locked and may be claimed; $1 is the lease in ms. */
export const claimPickedSql = `
  UPDATE deliveries d SET attempt = d.attempt + 1, attempt_id = ${attemptId}, target_url = w.url,
    started_at = clock_timestamp(), lease_until = clock_timestamp() + $1 * interval '1 ms', next_attempt_at = NULL
  FROM picked, webhook_endpoints w, events e
  WHERE d.id = picked.id AND w.id = d.endpoint_id AND e.id = d.event_id
  RETURNING d.id AS "deliveryId", d.attempt_id AS "attemptId", d.attempt, d.urgency, d.endpoint_id AS "endpointId",
    (extract(epoch FROM clock_timestamp() - d.created_at) * 1000)::float8 AS "ageMs",
    d.project_id AS "projectId", e.id AS "eventId", e.type AS "eventType", e.body, w.url AS "targetUrl", w.secret,
    CASE WHEN w.previous_secret_until > clock_timestamp() THEN w.previous_secret END AS "previousSecret", w.headers`;
