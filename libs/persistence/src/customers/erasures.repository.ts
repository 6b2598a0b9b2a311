import { NIL_UUID } from '../uuid-v7.js';
import type { Tx } from '../transactions.js';
import { erasedBody } from './erasure-sql.js';

/** Maximum number of events that one transaction erases, to stay within its timeout. */
const BATCH_SIZE = 500;

/** Erases the data about deleted customers in events, attempts and stored responses, at once or gradually. */
export class ErasuresRepository {
  /**
   * Starts to erase the data about a customer that this transaction has deleted. For most customers this
   * erases everything; if there are very many events, the worker erases the rest.
   */
  async start(tx: Tx, customerId: string): Promise<void> {
    await tx.queryPrepared('DELETE FROM idempotency_keys WHERE customer_id = $1', [customerId]);
    const last = await eraseBatch(tx, customerId, NIL_UUID);
    if (!last) return;
    await tx.queryPrepared('INSERT INTO erasures (customer_id, last_event_id) VALUES ($1, $2)', [
      customerId,
      last,
    ]);
  }

  /** Erases the next events of a customer. @returns false if no erasure was pending */
  async eraseNextBatch(tx: Tx): Promise<boolean> {
    const [erasure] = await tx.queryPrepared<{ customerId: string; lastEventId: string }>(
      `SELECT customer_id AS "customerId", last_event_id AS "lastEventId" FROM erasures
       ORDER BY customer_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    if (!erasure) return false;
    const { customerId, lastEventId } = erasure;
    const last = await eraseBatch(tx, customerId, lastEventId);
    if (last) {
      await tx.queryPrepared('UPDATE erasures SET last_event_id = $2 WHERE customer_id = $1', [
        customerId,
        last,
      ]);
    } else {
      await tx.queryPrepared('DELETE FROM erasures WHERE customer_id = $1', [customerId]);
    }
    return true;
  }
}

/** Erases a batch of events. @returns the last erased event, or null if there are no more */
async function eraseBatch(tx: Tx, customerId: string, after: string): Promise<string | null> {
  const events = await tx.queryPrepared<{ id: string }>(
    'SELECT id FROM events WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3',
    [customerId, after, BATCH_SIZE],
  );
  const ids = events.map(({ id }) => id);
  if (ids.length === 0) return null;
  await tx.queryPrepared(`UPDATE events e SET body = ${erasedBody('e')} WHERE e.id = ANY ($1)`, [ids]);
  const attempts = await tx.queryPrepared<{ id: string }>(
    `SELECT a.id FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
     WHERE d.event_id = ANY ($1) AND a.response_body <> ''`,
    [ids],
  );
  // Planned for these ids, so that it locks only the partitions of their days: it waits for retention only
  // where retention moves one of them.
  await tx.query(`UPDATE attempts SET response_body = '' WHERE id = ANY ($1)`, [
    attempts.map(({ id }) => id),
  ]);
  return ids.length === BATCH_SIZE ? ids.at(-1)! : null;
}
