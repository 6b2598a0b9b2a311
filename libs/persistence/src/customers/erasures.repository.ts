import { NIL_UUID } from '../uuid-v7.js';
import type { Tx } from '../transactions.js';
import { erasedBody } from './erasure-sql.js';

/** Events that one transaction erases: few enough for its time-out. */
const BATCH_SIZE = 500;

/** What events, attempts and kept answers tell of deleted customers is erased, at once or bit by bit. */
export class ErasuresRepository {
  /**
   * Begins to erase what is kept about a customer whom this transaction has deleted. Of most it is all; of one with
   * very many events the worker erases the rest.
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

  /** Erases the next events of a customer. @returns whether there was one to be erased */
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

/** @returns the last event that was erased, or null when there is none after it */
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
  // Planned for these ids, so that it locks their days alone: it waits for retention only where that moves one of them.
  await tx.query(`UPDATE attempts SET response_body = '' WHERE id = ANY ($1)`, [
    attempts.map(({ id }) => id),
  ]);
  return ids.length === BATCH_SIZE ? ids.at(-1)! : null;
}
