import { bucketSpans } from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type { Database } from '../database.js';
import { minIdAt, minIdAtSql, type IdRange } from '../uuid-v7.js';
import { prune } from '../prune.js';
import type { Transactions, Tx } from '../transactions.js';
import {
  USE_INDEX_SCANS,
  logStartTime,
  bucketStartSql,
  attemptCountColumns,
  metricsSql,
  SYSTEM_SCOPE_ID,
  breakdownSql,
} from './attempt-count-sql.js';

/** Attempts that one transaction counts: a fraction of a second. */
const BATCH_SIZE = 5_000;

/** How far the log has been counted, and could be. */
interface Progress {
  /** The first id that is counted, and the first that is not. */
  first: string;
  next: string;
  /** Nothing before it is open, or will ever be. */
  closed: string;
}

const TABLES = ['attempt_figures', 'attempt_figures_by_event', 'attempt_figures_by_endpoint'];

/**
 * Counts the log of attempts, each attempt once: in the order of their ids, up to the oldest that is still open. Who
 * closes attempts never waits for it, nor knows of it.
 */
export class AttemptRollupsRepository {
  /**
   * @param settleMs longest time from the moment that a new attempt's id tells until others see that it is open, with
   *   room to spare: see `claimPicked`
   * @param retentionMs how long the log is kept
   */
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly settleMs: number,
    private readonly retentionMs: number,
  ) {}

  /** Counts some more, the newest first. @returns whether there is more; not while another worker counts */
  rollUpNextBatch(): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      await tx.query(USE_INDEX_SCANS);
      const [progress] = await tx.query<Progress>(
        `SELECT first_id AS first, next_id AS next, least(
           (SELECT d.attempt_id FROM deliveries d WHERE d.lease_until IS NOT NULL ORDER BY d.attempt_id LIMIT 1),
           ${minIdAtSql("statement_timestamp() - $1 * interval '1 ms'")}
         ) AS closed
         FROM attempts_counted FOR UPDATE SKIP LOCKED`,
        [this.settleMs],
      );
      return (
        progress !== undefined &&
        ((await this.rollUpNewer(tx, progress)) || (await this.rollUpOlder(tx, progress)))
      );
    });
  }

  /** Removes what is kept no longer. */
  async prune(signal: AbortSignal): Promise<void> {
    for (const { span, since } of this.retainedSpans())
      for (const table of TABLES)
        await prune(this.database, signal, table, 'span = $1 AND at < $2', [span, since]);
  }

  private async rollUpNewer(tx: Tx, { next, closed }: Progress): Promise<boolean> {
    if (next >= closed) return false;
    const [row] = await tx.query<{ id: string }>(
      `SELECT a.id FROM attempts a WHERE a.id >= $1 AND a.id < $2 ORDER BY a.id OFFSET ${BATCH_SIZE} LIMIT 1`,
      [next, closed],
    );
    const to = row?.id ?? closed;
    await this.addToRollups(tx, { from: next, to });
    await tx.query('UPDATE attempts_counted SET next_id = $1', [to]);
    return row !== undefined;
  }

  /** A log that was there before its figures were: back as far as they are kept. */
  private async rollUpOlder(tx: Tx, { first }: Progress): Promise<boolean> {
    const oldest = minIdAt(Math.min(...this.retainedSpans().map(({ since }) => since.getTime())));
    if (first <= oldest) return false;
    const [row] = await tx.query<{ id: string }>(
      `SELECT a.id FROM attempts a WHERE a.id >= $1 AND a.id < $2 ORDER BY a.id DESC OFFSET ${BATCH_SIZE - 1} LIMIT 1`,
      [oldest, first],
    );
    const from = row?.id ?? oldest;
    await this.addToRollups(tx, { from, to: first });
    await tx.query('UPDATE attempts_counted SET first_id = $1', [from]);
    return row !== undefined;
  }

  /** Adds attempts to the buckets of every length that are still kept, of the house and of their projects. */
  private async addToRollups(tx: Tx, { from, to }: IdRange): Promise<void> {
    const kept = this.retainedSpans();
    await tx.query(
      `WITH attempts AS MATERIALIZED (SELECT ${attemptCountColumns} FROM attempts a WHERE a.id >= $1 AND a.id < $2),
       placed AS MATERIALIZED (
         SELECT a.*, scope_id, span, ${bucketStartSql('span')} AS at
         FROM attempts a CROSS JOIN LATERAL (VALUES ('${SYSTEM_SCOPE_ID}'::uuid), (project_id)) scope (scope_id)
           JOIN unnest($3::int[], $4::timestamptz[]) AS kept (span, since) ON started_at >= since
         WHERE scope_id IS NOT NULL
       ), figures AS (
         INSERT INTO attempt_figures AS f (span, at, scope_id, counts) ${metricsSql('placed', 'span, at, scope_id')}
         ON CONFLICT (span, at, scope_id) DO UPDATE SET counts = ARRAY(
           SELECT coalesce(a, 0) + coalesce(b, 0)
           FROM unnest(f.counts, excluded.counts) WITH ORDINALITY AS each (a, b, nth) ORDER BY nth)
       ), by_event AS (${addBreakdownSql('attempt_figures_by_event', 'event_type', 'placed')})
       -- Once: an endpoint of a project hears of that project alone, so those of the house are the sum with few more rows.
       ${addBreakdownSql('attempt_figures_by_endpoint', 'endpoint_id', `(SELECT * FROM placed WHERE scope_id = coalesce(project_id, '${SYSTEM_SCOPE_ID}')) once`)}`,
      [from, to, kept.map(({ span }) => span), kept.map(({ since }) => since)],
    );
  }

  /** From when on attempts are counted in buckets of a length. */
  private retainedSpans(): { span: number; since: Date }[] {
    const begin = logStartTime(this.retentionMs);
    return bucketSpans.map(({ span, retention }) => ({
      span,
      since: new Date(Math.max(begin, now().getTime() - retention * 1_000)),
    }));
  }
}

const addBreakdownSql = (table: string, column: string, attempts: string): string => `
  INSERT INTO ${table} AS f (span, at, scope_id, ${column}, attempts, failed)
  ${breakdownSql(attempts, `span, at, scope_id, ${column}`)}
  ON CONFLICT (span, at, scope_id, ${column})
  DO UPDATE SET attempts = f.attempts + excluded.attempts, failed = f.failed + excluded.failed`;
