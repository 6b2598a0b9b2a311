import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';
import type { DeadLetter } from './endpoint-events.js';

/** A dead letter that no event has reported yet. */
export type UnnotifiedDeadLetter = DeadLetter & { endpointId: string };

/**
 * Dead letters between the recorded outcome and the event that reports them. Recording the outcome only marks
 * them, so that it adds no cost to a success; the mark stays if the worker that set it dies.
 */
export class UnnotifiedDeadLettersRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there are any. */
  async hasAny(): Promise<boolean> {
    const rows = await this.database.queryPrepared('SELECT FROM deliveries WHERE untold LIMIT 1');
    return rows.length > 0;
  }

  /**
   * Claims up to `limit` of them; they count as notified once the transaction has committed. Two workers
   * share them.
   */
  claim(tx: Tx, limit: number): Promise<UnnotifiedDeadLetter[]> {
    return tx.queryPrepared<UnnotifiedDeadLetter>(
      `WITH claimed AS (
         SELECT d.id FROM deliveries d WHERE d.untold ORDER BY d.id LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED
       )
       UPDATE deliveries d SET untold = NULL FROM claimed WHERE d.id = claimed.id
       RETURNING d.id, d.event_id AS "eventId", d.event_type AS "eventType", d.endpoint_id AS "endpointId",
         d.project_id AS "projectId", d.target_url AS "targetUrl", d.attempt AS attempts,
         d.last_http_status AS "lastHttpStatus", d.last_error AS "lastError", d.created_at AS "createdAt",
         d.finished_at AS "finishedAt"`,
      [limit],
    );
  }
}
