// Raw SQL: an upsert that increments counters, SKIP LOCKED, the database clock, and the deletion of all but the newest
// rows.
import type { AlertChannel, AlertCondition, AlertKind } from '@gatehouse/domain';
import { newId } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { statement, text, textOf, uuid, type RowOf } from '../sql/statements.js';
import { AlertLogEntryEntity } from './alert-log-entry.entity.js';

/** Maximum number of messages in the log. */
const MAX_ENTRIES = 500;

/** An alert message. It reports a resolution if `condition` is null. */
export interface LoggedAlert {
  /** Identifies the message across all attempts to send it. */
  messageId: string;
  kind: AlertKind;
  channel: AlertChannel;
  condition: AlertCondition | null;
}

const recordAttempt = statement(
  {},
  `INSERT INTO alert_log AS l (id, message_id, kind, channel, state, count, outcome, reason, attempts)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1)
   ON CONFLICT (message_id) DO UPDATE SET count = excluded.count, outcome = excluded.outcome, reason = excluded.reason,
     attempts = l.attempts + 1, attempted_at = clock_timestamp()`,
);

const recordResolution = statement(
  {},
  `UPDATE alert_log SET resolved_at = clock_timestamp()
   WHERE kind = $1 AND channel = $2 AND state = 'open' AND resolved_at IS NULL`,
);

const prune = statement(
  {},
  `DELETE FROM alert_log WHERE id <= (SELECT id FROM alert_log ORDER BY id DESC OFFSET ${MAX_ENTRIES} LIMIT 1)`,
);

const queuedTestRow = { id: uuid, messageId: text, channel: textOf<AlertChannel>() };

/** A queued test alert that only this worker may send. */
export type QueuedTestAlert = RowOf<typeof queuedTestRow>;

/** If a worker is killed before it records the outcome, another worker sends the test again after a minute. */
const claimTests = statement(
  queuedTestRow,
  `UPDATE alert_log SET attempts = attempts + 1, attempted_at = clock_timestamp()
   WHERE id IN (
     SELECT id FROM alert_log
     WHERE outcome = 'queued' AND (attempts = 0 OR attempted_at < clock_timestamp() - interval '1 minute')
     FOR UPDATE SKIP LOCKED)
   RETURNING id, message_id AS "messageId", channel`,
);

const recordTest = statement(
  {},
  `UPDATE alert_log SET outcome = CASE WHEN $2::text IS NULL THEN 'sent' ELSE 'failed' END, reason = $2
   WHERE id = $1 AND outcome = 'queued'`,
);

/** The alert log: the newest 500 messages, each with the outcome of the last attempt to send it. */
export class AlertLogRepository {
  constructor(private readonly database: Database) {}

  /** Records an attempt to send a message. @param reason null if it was sent */
  async recordAttempt(
    { messageId, kind, channel, condition }: LoggedAlert,
    reason: string | null,
  ): Promise<void> {
    const state = condition ? 'open' : 'over';
    const outcome = reason === null ? 'sent' : 'failed';
    const count = condition?.count ?? null;
    await this.database.execute(recordAttempt, [
      newId(),
      messageId,
      kind,
      channel,
      state,
      count,
      outcome,
      reason,
    ]);
    if (!condition && reason === null) await this.database.execute(recordResolution, [kind, channel]);
    await this.database.execute(prune);
  }

  /** Queues a test alert for a worker. @returns its id */
  async queueTest(tx: Tx, channel: AlertChannel): Promise<string> {
    const id = newId();
    await tx.manager.insert(AlertLogEntryEntity, {
      id,
      messageId: `alert_${id}`,
      kind: 'test',
      channel,
      state: 'test',
      outcome: 'queued',
      attempts: 0,
    });
    return id;
  }

  /** Claims the queued test alerts. */
  claimTests(): Promise<QueuedTestAlert[]> {
    return this.database.execute(claimTests);
  }

  /** Records a test alert's outcome. @param reason null if it was sent */
  async recordTest(id: string, reason: string | null): Promise<void> {
    await this.database.execute(recordTest, [id, reason]);
  }

  /** Returns the newest messages, newest first. */
  listNewest(limit: number): Promise<AlertLogEntryEntity[]> {
    return this.database.read((manager) =>
      manager.find(AlertLogEntryEntity, { order: { id: 'DESC' }, take: limit }),
    );
  }
}
