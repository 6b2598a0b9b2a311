import type { AlertChannel, AlertCondition, AlertKind } from '@gatehouse/domain';
import { newId } from '@gatehouse/platform';
import type { Database } from '../database.js';

/** A message that this worker, and no other, is to send. */
export interface ClaimedAlert {
  /** Of the row, not of the message. */
  id: string;
  /** Messages that went before; also the fence. */
  told: number;
}

/** In ms. */
export interface AlertIntervals {
  /** Between two messages of one kind. */
  pause: number;
  /** Between two messages that tell nothing new. */
  reminder: number;
  /** Until a message that could not be sent is tried again. */
  retry: number;
}

/** What operators have been told, per kind and channel, over all workers and restarts. */
export class AlertsRepository {
  constructor(private readonly database: Database) {}

  /** Takes the message about a trouble, unless it has been told, was told too recently, or is being told. */
  async claim(
    channel: AlertChannel,
    { kind, newest }: AlertCondition,
    { pause, reminder, retry }: AlertIntervals,
  ): Promise<ClaimedAlert | null> {
    const [row] = await this.database.queryPrepared<ClaimedAlert>(
      `INSERT INTO alerts AS a (id, kind, channel, claimed_until)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
       ON CONFLICT (kind, channel) DO UPDATE SET claimed_until = excluded.claimed_until
       WHERE (a.claimed_until IS NULL OR a.claimed_until <= clock_timestamp())
         AND (a.told_at IS NULL OR a.told_at <= clock_timestamp() - $5 * interval '1 ms')
         AND (NOT a.is_open OR a.newest < $6 OR a.told_at <= clock_timestamp() - $7 * interval '1 ms')
       RETURNING a.id, a.told`,
      [newId(), kind, channel, retry, pause, newest, reminder],
    );
    return row ?? null;
  }

  /** What has been told and not taken back. */
  async listOpen(): Promise<{ kind: AlertKind; channel: AlertChannel }[]> {
    return this.database.queryPrepared(`SELECT kind, channel FROM alerts WHERE is_open`);
  }

  /** Takes the message that a trouble is over. */
  async claimResolution(
    channel: AlertChannel,
    kind: AlertKind,
    { retry }: AlertIntervals,
  ): Promise<ClaimedAlert | null> {
    const [row] = await this.database.queryPrepared<ClaimedAlert>(
      `UPDATE alerts SET claimed_until = clock_timestamp() + $3 * interval '1 ms'
       WHERE kind = $1 AND channel = $2 AND is_open
         AND (claimed_until IS NULL OR claimed_until <= clock_timestamp())
       RETURNING id, told`,
      [kind, channel, retry],
    );
    return row ?? null;
  }

  /** The message was sent. @param trouble null when it told that it is over */
  async recordSent({ id, told }: ClaimedAlert, trouble: AlertCondition | null): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE alerts SET told = told + 1, is_open = $3, newest = coalesce($4, newest), claimed_until = NULL,
         told_at = CASE WHEN $3 THEN clock_timestamp() ELSE told_at END
       WHERE id = $1 AND told = $2`,
      [id, told, trouble !== null, trouble?.newest ?? null],
    );
  }
}
