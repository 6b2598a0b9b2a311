import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';
import type { DeadLetter } from './endpoint-events.js';

/** A dead letter of which no event has told yet. */
export type UnnotifiedDeadLetter = DeadLetter & { endpointId: string };

/**
 * Dead letters between the close that made them and the event that tells of them. The close only marks them, so that
 * it costs a success nothing; a mark outlives the worker that made it.
 */
export class UnnotifiedDeadLettersRepository {
  constructor(private readonly database: Database) {}

  /** Whether there are any. */
  async hasAny(): Promise<boolean> {
    const rows = await this.database.queryPrepared('SELECT FROM deliveries WHERE untold LIMIT 1');
    return rows.length > 0;
  }

  /** Takes up to `limit` of them; they count as told once the transaction has committed. Two workers share them. */
  claim(tx: Tx, limit: number): Promise<UnnotifiedDeadLetter[]> {
    return tx.queryPrepared<UnnotifiedDeadLetter>(
      `WITH taken AS (
         SELECT d.id FROM deliveries d WHERE d.untold ORDER BY d.id LIMIT $1 FOR NO KEY UPDATE OF d SKIP LOCKED
       )
       UPDATE deliveries d SET untold = NULL FROM taken WHERE d.id = taken.id
       RETURNING d.id, d.event_id AS "eventId", d.event_type AS "eventType", d.endpoint_id AS "endpointId",
         d.project_id AS "projectId", d.target_url AS "targetUrl", d.attempt AS attempts,
         d.last_http_status AS "lastHttpStatus", d.last_error AS "lastError", d.created_at AS "createdAt",
         d.finished_at AS "finishedAt"`,
      [limit],
    );
  }
}
