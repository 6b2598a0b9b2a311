// This file contains SQL: batches of events and attempts, SKIP LOCKED, and idempotency keys.
import { dynamicStatement, statement, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';
import { NIL_UUID } from '../uuid-v7.js';
import { erasedBody } from './erasure-sql.js';
import { ErasureEntity } from './erasure.entity.js';

/** Maximum number of events that one transaction erases, to stay within its timeout. */
const BATCH_SIZE = 500;

const deleteIdempotencyKeys = statement({}, 'DELETE FROM idempotency_keys WHERE customer_id = $1');

const lockNextErasure = statement(
  { customerId: uuid, lastEventId: uuid },
  `SELECT customer_id AS "customerId", last_event_id AS "lastEventId" FROM erasures
   ORDER BY customer_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

const listEvents = statement(
  { id: uuid },
  'SELECT id FROM events WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3',
);

const eraseEventBodies = statement({}, `UPDATE events e SET body = ${erasedBody('e')} WHERE e.id = ANY ($1)`);

const listAttemptsWithResponse = statement(
  { id: uuid },
  `SELECT a.id FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
   WHERE d.event_id = ANY ($1) AND a.response_body <> ''`,
);

/**
 * Not prepared, so that it locks only the partitions of these ids' days: it waits for retention only where
 * retention moves one of them.
 */
const eraseResponseBodies = dynamicStatement(
  {},
  (attemptIds: string[]) => ({
    text: `UPDATE attempts SET response_body = '' WHERE id = ANY ($1)`,
    values: [attemptIds],
  }),
  [[[NIL_UUID]]],
);

/** Erases the data about deleted customers in events, attempts and stored responses, at once or gradually. */
export class ErasuresRepository {
  /**
   * Starts to erase the data about a customer that this transaction has deleted. For most customers this
   * erases everything; if there are very many events, the worker erases the rest.
   */
  async start(tx: Tx, customerId: string): Promise<void> {
    await tx.execute(deleteIdempotencyKeys, [customerId]);
    const lastEventId = await eraseBatch(tx, customerId, NIL_UUID);
    if (lastEventId) await tx.manager.insert(ErasureEntity, { customerId, lastEventId });
  }

  /** Erases the next events of a customer. @returns false if no erasure was pending */
  async eraseNextBatch(tx: Tx): Promise<boolean> {
    const [erasure] = await tx.execute(lockNextErasure);
    if (!erasure) return false;
    const { customerId } = erasure;
    const lastEventId = await eraseBatch(tx, customerId, erasure.lastEventId);
    if (lastEventId) await tx.manager.update(ErasureEntity, { customerId }, { lastEventId });
    else await tx.manager.delete(ErasureEntity, { customerId });
    return true;
  }
}

/** Erases a batch of events. @returns the last erased event, or null if there are no more */
async function eraseBatch(tx: Tx, customerId: string, after: string): Promise<string | null> {
  const events = await tx.execute(listEvents, [customerId, after, BATCH_SIZE]);
  const ids = events.map(({ id }) => id);
  if (ids.length === 0) return null;
  await tx.execute(eraseEventBodies, [ids]);
  const attempts = await tx.execute(listAttemptsWithResponse, [ids]);
  await tx.execute(eraseResponseBodies(attempts.map(({ id }) => id)));
  return ids.length === BATCH_SIZE ? ids.at(-1)! : null;
}
