// Raw SQL: batches of events, deliveries and attempts, SKIP LOCKED, and the deletion of idempotency keys.
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { erasedBody, isErased } from '../events/erasure-sql.js';
import { dynamicStatement, statement, uuid } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { isDeadLetter } from '../webhooks/delivery-filter.js';
import { IN_LOCK_ORDER } from '../webhooks/lock-order.js';
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

const eraseReplayResponses = statement(
  {},
  `UPDATE webhook_replays r SET response_body = '' FROM deliveries d
   WHERE d.event_id = ANY ($1) AND r.delivery_id = d.id AND r.response_body <> ''`,
);

/** Resolves a dead letter whose event is erased: it can no longer be redelivered and needs no notification. */
const resolveAsErased = `UPDATE deliveries d SET resolution = 'erased', untold = NULL`;

/** Maximum number of dead letters that one statement reads, to stay within its timeout. */
const DEAD_LETTER_LIMIT = 5_000;

const resolveCustomerDeadLetters = statement(
  {},
  `WITH locked AS (
     SELECT d.id FROM deliveries d WHERE d.id = ANY (ARRAY(
       SELECT d.id FROM events e JOIN deliveries d ON d.event_id = e.id
       WHERE e.customer_id = $1 AND ${isDeadLetter} LIMIT ${DEAD_LETTER_LIMIT}
     )) AND ${isDeadLetter} ${IN_LOCK_ORDER}
   )
   ${resolveAsErased} FROM locked WHERE d.id = locked.id`,
);

/** Returns the last scanned id if the batch is full. Skips locked deliveries, which the next run resolves. */
const resolveErasedDeadLetters = statement(
  { id: uuid },
  `WITH scanned AS MATERIALIZED (
     SELECT d.id, d.event_id FROM deliveries d
     WHERE ${isDeadLetter} AND d.id > $1 ORDER BY d.id LIMIT ${DEAD_LETTER_LIMIT}
   ), locked AS (
     SELECT d.id FROM deliveries d
     WHERE d.id IN (SELECT s.id FROM scanned s JOIN events e ON e.id = s.event_id WHERE ${isErased('e')})
       AND ${isDeadLetter} ${IN_LOCK_ORDER} SKIP LOCKED
   ), resolved AS (
     ${resolveAsErased} FROM locked WHERE d.id = locked.id
   )
   SELECT id FROM scanned ORDER BY id OFFSET ${DEAD_LETTER_LIMIT - 1}`,
);

/**
 * The statement is not prepared, so that it locks only the partitions for the days in these ids. It waits for the
 * retention job only if that job is changing one of these partitions.
 */
const eraseResponseBodies = dynamicStatement(
  {},
  (attemptIds: string[]) => ({
    text: `UPDATE attempts SET response_body = '' WHERE id = ANY ($1)`,
    values: [attemptIds],
  }),
  [[[NIL_UUID]]],
);

/**
 * Erases the data about deleted customers in events, attempts and stored responses, and resolves their dead letters.
 * Works in batches if there are many events.
 */
export class ErasuresRepository {
  constructor(private readonly database: Database) {}

  /**
   * Starts to erase the data about a customer that this transaction has deleted. For most customers, this erases all
   * events and resolves all dead letters. If there are too many, the worker erases the rest.
   */
  async start(tx: Tx, customerId: string): Promise<void> {
    await tx.execute(deleteIdempotencyKeys, [customerId]);
    await tx.execute(resolveCustomerDeadLetters, [customerId]);
    const lastEventId = await eraseBatch(tx, customerId, NIL_UUID);
    if (lastEventId) await tx.manager.insert(ErasureEntity, { customerId, lastEventId });
  }

  /** Erases a customer's next events. @returns false if no erasure was pending */
  async eraseNextBatch(tx: Tx): Promise<boolean> {
    const [erasure] = await tx.execute(lockNextErasure);
    if (!erasure) return false;
    const { customerId } = erasure;
    const lastEventId = await eraseBatch(tx, customerId, erasure.lastEventId);
    if (lastEventId) await tx.manager.update(ErasureEntity, { customerId }, { lastEventId });
    else await tx.manager.delete(ErasureEntity, { customerId });
    return true;
  }

  /**
   * Resolves the dead letters of deleted customers, including customers that version 0.1.0 deleted. Ends early once
   * `signal` is aborted.
   */
  async resolveDeadLetters(signal: AbortSignal): Promise<void> {
    let last: string | undefined = NIL_UUID;
    while (last !== undefined && !signal.aborted) {
      const [row]: { id: string }[] = await this.database.execute(resolveErasedDeadLetters, [last]);
      last = row?.id;
    }
  }
}

/** Erases a batch of events. @returns the last erased event's id, or null if no more events remain */
async function eraseBatch(tx: Tx, customerId: string, after: string): Promise<string | null> {
  const events = await tx.execute(listEvents, [customerId, after, BATCH_SIZE]);
  const ids = events.map(({ id }) => id);
  if (ids.length === 0) return null;
  await tx.execute(eraseEventBodies, [ids]);
  await tx.execute(eraseReplayResponses, [ids]);
  const attempts = await tx.execute(listAttemptsWithResponse, [ids]);
  await tx.execute(eraseResponseBodies(attempts.map(({ id }) => id)));
  return ids.length === BATCH_SIZE ? ids.at(-1)! : null;
}
