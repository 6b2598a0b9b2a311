// Raw SQL: a conditional upsert, conditional updates that return rows, and times computed from the database clock.
import type { AlertCondition, AlertDestination, AlertKind } from '@gatehouse/domain';
import { newId } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { integer, statement, uuid, type RowOf } from '../sql/statements.js';
import { AlertEntity } from './alert.entity.js';

const claimRow = {
  /** The row id, not the message id. */
  id: uuid,
  /** Number of messages sent so far. Also the fencing token. */
  notifications: integer,
};

/** A message that only this worker may send. */
export type ClaimedAlert = RowOf<typeof claimRow>;

/** Intervals in ms. */
export interface AlertIntervals {
  /** Minimum time between two messages of the same kind. */
  pause: number;
  /** How long to wait before a message is repeated if the problem is still open and has not changed. */
  reminder: number;
  /** Delay before a failed message is retried. */
  retry: number;
}

const claimAlert = statement(
  claimRow,
  `INSERT INTO alerts AS a (id, kind, channel, claimed_until)
   VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
   ON CONFLICT (kind, channel) DO UPDATE SET claimed_until = excluded.claimed_until
   WHERE (a.claimed_until IS NULL OR a.claimed_until <= clock_timestamp())
     AND (a.told_at IS NULL OR a.told_at <= clock_timestamp() - $5 * interval '1 ms')
     AND (NOT a.is_open OR a.newest < $6 OR a.told_at <= clock_timestamp() - $7 * interval '1 ms')
   RETURNING a.id, a.told AS notifications`,
);

const claimResolution = statement(
  claimRow,
  `UPDATE alerts SET claimed_until = clock_timestamp() + $3 * interval '1 ms'
   WHERE kind = $1 AND channel = $2 AND is_open
     AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
   RETURNING id, told AS notifications`,
);

const recordNotification = statement(
  {},
  `UPDATE alerts SET told = told + 1, is_open = $3, newest = coalesce($4, newest), claimed_until = NULL,
     told_at = CASE WHEN $3 THEN clock_timestamp() ELSE told_at END
   WHERE id = $1 AND told = $2`,
);

/**
 * Tracks which alerts were sent to operators, for each kind and channel. The state is shared by all workers and
 * survives restarts.
 */
export class AlertsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims the message about a problem. Returns null if there is nothing new to report, if the last message is too
   * recent, or if another worker has claimed the message.
   */
  async claim(
    channel: AlertDestination,
    { kind, newest }: AlertCondition,
    { pause, reminder, retry }: AlertIntervals,
  ): Promise<ClaimedAlert | null> {
    const values = [newId(), kind, channel, retry, pause, newest, reminder];
    const [row] = await this.database.execute(claimAlert, values);
    return row ?? null;
  }

  /** Returns the alerts that were sent and have not been resolved. */
  listOpen(): Promise<Pick<AlertEntity, 'kind' | 'channel'>[]> {
    return this.database.read((manager) => manager.findBy(AlertEntity, { isOpen: true }));
  }

  /**
   * Claims the message that reports a resolution. Returns null if no problem is open or another worker has claimed
   * it.
   */
  async claimResolution(
    channel: AlertDestination,
    kind: AlertKind,
    { retry }: AlertIntervals,
  ): Promise<ClaimedAlert | null> {
    const [row] = await this.database.execute(claimResolution, [kind, channel, retry]);
    return row ?? null;
  }

  /** Records that the message was sent. @param problem null if the message reported the resolution */
  async recordSent({ id, notifications }: ClaimedAlert, problem: AlertCondition | null): Promise<void> {
    const values = [id, notifications, problem !== null, problem?.newest ?? null];
    await this.database.execute(recordNotification, values);
  }
}
