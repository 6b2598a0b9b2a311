// Raw SQL: a claim with SKIP LOCKED, and a check that workers run frequently.
import type { AttemptError } from '@gatehouse/domain';
import type { Tx } from '../database/transactions.js';
import {
  neverNull,
  nullable,
  smallint,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import type { DeadLetter } from './endpoint-events.js';

/** A dead letter that no event has reported yet. */
export type UnnotifiedDeadLetter = DeadLetter & { endpointId: string };

/** Condition that a delivery is a dead letter that no event has reported yet. */
export const isUnnotified = 'untold';

const claimUnnotifiedDeadLetters = statement(
  {
    id: uuid,
    eventId: uuid,
    eventType: text,
    endpointId: uuid,
    projectId: nullable(uuid),
    targetUrl: text,
    attempts: smallint,
    lastHttpStatus: neverNull(smallint),
    lastError: neverNull(textOf<AttemptError>()),
    createdAt: timestamptz,
    finishedAt: neverNull(timestamptz),
  },
  `WITH claimed AS (
     SELECT d.id FROM deliveries d WHERE d.${isUnnotified} ORDER BY d.id LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED
   )
   UPDATE deliveries d SET untold = NULL FROM claimed WHERE d.id = claimed.id
   RETURNING d.id, d.event_id AS "eventId", d.event_type AS "eventType", d.endpoint_id AS "endpointId",
     d.project_id AS "projectId", d.target_url AS "targetUrl", d.attempt AS attempts,
     d.last_http_status AS "lastHttpStatus", d.last_error AS "lastError", d.created_at AS "createdAt",
     d.finished_at AS "finishedAt"`,
);

/**
 * Dead letters that no event has reported yet. Recording an outcome only marks the dead letter, so that successful
 * attempts have no additional cost. The mark stays if the worker crashes.
 */
export class UnnotifiedDeadLettersRepository {
  /**
   * Claims up to `limit` dead letters, which count as notified once the transaction commits. Two workers never claim
   * the same dead letter.
   */
  claim(tx: Tx, limit: number): Promise<UnnotifiedDeadLetter[]> {
    return tx.execute(claimUnnotifiedDeadLetters, [limit]);
  }
}
