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

/** Number of attempts that one transaction counts, in a fraction of a second. */
const BATCH_SIZE = 5_000;

/** The counted range of the log, and its possible end. */
interface Progress {
  /** The first counted id, and the first id after the counted range. */
  first: string;
  next: string;
  /** No attempt with a lower id is unfinished, now or in the future. */
  closed: string;
}

const TABLES = ['attempt_figures', 'attempt_figures_by_event', 'attempt_figures_by_endpoint'];

/**
 * Rolls up the log of attempts, each attempt once: in the order of their ids, up to the oldest unfinished
 * one. Recording an outcome never waits for the rollup and does not depend on it.
 */
export class AttemptRollupsRepository {
  /**
   * Creates the repository.
   * @param settleMs maximum time between the time in a new attempt's id and the moment when other
   *   transactions see that the attempt is unfinished, with a margin: see `claimPickedSql`
   * @param retentionMs retention of the log
   */
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly settleMs: number,
    private readonly retentionMs: number,
  ) {}

  /**
   * Counts a batch of attempts, the newest first.
   * @returns whether there are more; false while another worker counts
   */
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

  /** Removes rollups whose retention has ended. */
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

  /** Counts attempts that are older than the rollups, back to the retention of the rollups. */
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

  /** Adds attempts to the retained buckets of every length, for the installation and for their projects. */
  private async addToRollups(tx: Tx, { from, to }: IdRange): Promise<void> {
    const retained = this.retainedSpans();
    await tx.query(
      `WITH attempts AS MATERIALIZED (SELECT ${attemptCountColumns} FROM attempts a WHERE a.id >= $1 AND a.id < $2),
       bucketed AS MATERIALIZED (
         SELECT a.*, scope_id, span, ${bucketStartSql('span')} AS at
         FROM attempts a CROSS JOIN LATERAL (VALUES ('${SYSTEM_SCOPE_ID}'::uuid), (project_id)) scope (scope_id)
           JOIN unnest($3::int[], $4::timestamptz[]) AS retained (span, since) ON started_at >= since
         WHERE scope_id IS NOT NULL
       ), rollups AS (
         INSERT INTO attempt_figures AS f (span, at, scope_id, counts) ${metricsSql('bucketed', 'span, at, scope_id')}
         ON CONFLICT (span, at, scope_id) DO UPDATE SET counts = ARRAY(
           SELECT coalesce(a, 0) + coalesce(b, 0)
           FROM unnest(f.counts, excluded.counts) WITH ORDINALITY AS each (a, b, nth) ORDER BY nth)
       ), by_event AS (${addBreakdownSql('attempt_figures_by_event', 'event_type', 'bucketed')})
       -- Once: an endpoint of a project receives events of that project only, so the metrics of the
       -- installation are the sum, with few more rows.
       ${addBreakdownSql('attempt_figures_by_endpoint', 'endpoint_id', `(SELECT * FROM bucketed WHERE scope_id = coalesce(project_id, '${SYSTEM_SCOPE_ID}')) once`)}`,
      [from, to, retained.map(({ span }) => span), retained.map(({ since }) => since)],
    );
  }

  /** Returns the start of the retained buckets of each length. */
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
