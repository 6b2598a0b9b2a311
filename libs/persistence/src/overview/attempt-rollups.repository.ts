// This file contains SQL: SKIP LOCKED, aggregate upserts, and deletion in batches.
import type { Database } from '../database/database.js';
import type { Transactions, Tx } from '../database/transactions.js';
import { dynamicStatement, uuid, type RowOf } from '../sql/statements.js';
import { minIdAt, minIdAtSql, NIL_UUID, type IdRange } from '../sql/uuid-v7.js';
import {
  attemptCountColumns,
  breakdownSql,
  bucketStartSql,
  metricsSql,
  SYSTEM_SCOPE_ID,
  useIndexScans,
} from './attempt-count-sql.js';
import { pruneRollups, retainedSpans, type RetainedSpan } from './retained-rollups.js';
import { RollupProgressEntity } from './rollup-progress.entity.js';

/** Number of attempts that one transaction counts, in a fraction of a second. */
const BATCH_SIZE = 5_000;

/** The log's counted ranges, and their possible end. */
const progressRow = {
  firstId: uuid,
  /** The first id after the counted range. */
  nextId: uuid,
  endpointFirstId: uuid,
  endpointNextId: uuid,
  /** No attempt with a lower id is unfinished, now or in the future. */
  endId: uuid,
};

type Progress = RowOf<typeof progressRow>;

// Not prepared: the plans depend on the id ranges and on the number of unfinished attempts.

const lockProgress = dynamicStatement(
  progressRow,
  (settleMs: number) => ({
    text: `
      SELECT first_id AS "firstId", next_id AS "nextId", endpoint_first_id AS "endpointFirstId",
        endpoint_next_id AS "endpointNextId", least(
        (SELECT d.attempt_id FROM deliveries d WHERE d.lease_until IS NOT NULL ORDER BY d.attempt_id LIMIT 1),
        ${minIdAtSql("statement_timestamp() - $1 * interval '1 ms'")}
      ) AS "endId"
      FROM attempts_counted FOR UPDATE SKIP LOCKED`,
    values: [settleMs],
  }),
  [[0]],
);

/** Returns the id of the first attempt after a range's oldest batch, if there are more attempts. */
const findEndOfOldestBatch = dynamicStatement(
  { id: uuid },
  ({ from, to }: IdRange) => ({
    text: `SELECT a.id FROM attempts a WHERE a.id >= $1 AND a.id < $2 ORDER BY a.id OFFSET ${BATCH_SIZE} LIMIT 1`,
    values: [from, to],
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }]],
);

/** Returns the id of the oldest attempt in a range's newest batch, if there are as many attempts. */
const findStartOfNewestBatch = dynamicStatement(
  { id: uuid },
  ({ from, to }: IdRange) => ({
    text: `SELECT a.id FROM attempts a WHERE a.id >= $1 AND a.id < $2 ORDER BY a.id DESC OFFSET ${BATCH_SIZE - 1} LIMIT 1`,
    values: [from, to],
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }]],
);

const addBreakdownSql = (table: string, column: string, attempts: string): string => `
  INSERT INTO ${table} AS stored (span, at, scope_id, ${column}, attempts, failed)
  ${breakdownSql(attempts, `span, at, scope_id, ${column}`)}
  ON CONFLICT (span, at, scope_id, ${column})
  DO UPDATE SET attempts = stored.attempts + excluded.attempts, failed = stored.failed + excluded.failed`;

/** Returns SQL for an attempt range in each retained bucket. @param scopes VALUES for `scope_id` */
const bucketedSql = (scopes: string): string => `
      WITH attempts AS MATERIALIZED (SELECT ${attemptCountColumns} FROM attempts a WHERE a.id >= $1 AND a.id < $2),
      bucketed AS MATERIALIZED (
        SELECT a.*, scope_id, span, ${bucketStartSql('span')} AS at
        FROM attempts a CROSS JOIN LATERAL (VALUES ${scopes}) scope (scope_id)
          JOIN unnest($3::int[], $4::timestamptz[]) AS retained (span, since) ON started_at >= since
        WHERE scope_id IS NOT NULL
      )`;

const addCountsSql = `
        INSERT INTO attempt_figures AS stored (span, at, scope_id, counts)
        ${metricsSql('bucketed', 'span, at, scope_id')}
        ON CONFLICT (span, at, scope_id) DO UPDATE SET counts = ARRAY(
          SELECT coalesce(existing, 0) + coalesce(added, 0)
          FROM unnest(stored.counts, excluded.counts) WITH ORDINALITY AS each (existing, added, nth)
          ORDER BY nth)`;

const rangeValues = ({ from, to }: IdRange, retained: RetainedSpan[]): unknown[] => [
  from,
  to,
  retained.map(({ span }) => span),
  retained.map(({ since }) => since),
];

/**
 * Adds attempts to the retained buckets of every length, for the installation and for their projects. Counts an
 * endpoint's attempts in one scope only: a project's endpoint receives only that project's events, so the
 * installation's metrics are the sum, with few more rows.
 */
const addToRollups = dynamicStatement(
  {},
  (range: IdRange, retained: RetainedSpan[]) => ({
    text: `${bucketedSql(`('${SYSTEM_SCOPE_ID}'::uuid), (project_id)`)}, rollups AS (${addCountsSql}),
      by_event AS (${addBreakdownSql('attempt_figures_by_event', 'event_type', 'bucketed')})
      ${addBreakdownSql('attempt_figures_by_endpoint', 'endpoint_id', `(SELECT * FROM bucketed WHERE scope_id = coalesce(project_id, '${SYSTEM_SCOPE_ID}')) one_scope`)}`,
    values: rangeValues(range, retained),
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }, []]],
);

/** Adds attempts to their endpoints' retained buckets. */
const addToEndpointRollups = dynamicStatement(
  {},
  (range: IdRange, retained: RetainedSpan[]) => ({
    text: `${bucketedSql('(endpoint_id)')} ${addCountsSql}`,
    // Only the overview totals use the longest buckets.
    values: rangeValues(range, retained.slice(0, -1)),
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }, []]],
);

/** The rollups that have a counted range: its columns, and the statement that adds attempts. */
const rollups = [
  { first: 'firstId', next: 'nextId', add: addToRollups },
  { first: 'endpointFirstId', next: 'endpointNextId', add: addToEndpointRollups },
] as const;
type Rollup = (typeof rollups)[number];

/**
 * Rolls up the attempt log, each attempt once: sorted by id, up to the oldest unfinished one. Recording an outcome
 * never waits for the rollup and does not depend on it.
 */
export class AttemptRollupsRepository {
  /**
   * Creates the repository.
   * @param settleMs maximum time between the time in a new attempt's id and the moment when other
   * transactions see that the attempt is unfinished, with a margin: see `claimPickedSql`
   * @param retentionMs log retention
   */
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly settleMs: number,
    private readonly retentionMs: number,
  ) {}

  /**
   * Counts a batch of attempts in each rollup, the newest first.
   * @returns whether there are more; false while another worker counts
   */
  async rollUpNextBatch(): Promise<boolean> {
    let hasMore = false;
    for (const rollup of rollups) hasMore = (await this.rollUpNextBatchOf(rollup)) || hasMore;
    return hasMore;
  }

  /** Removes all rollups whose retention has ended. */
  prune(signal: AbortSignal): Promise<void> {
    return pruneRollups(this.database, this.retentionMs, signal);
  }

  private rollUpNextBatchOf(rollup: Rollup): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      await tx.execute(useIndexScans);
      const [progress] = await tx.execute(lockProgress(this.settleMs));
      return (
        progress !== undefined &&
        ((await this.rollUpNewer(tx, rollup, progress)) || (await this.rollUpOlder(tx, rollup, progress)))
      );
    });
  }

  private async rollUpNewer(tx: Tx, { next, add }: Rollup, progress: Progress): Promise<boolean> {
    const { [next]: from, endId } = progress;
    if (from >= endId) return false;
    const [row] = await tx.execute(findEndOfOldestBatch({ from, to: endId }));
    const to = row?.id ?? endId;
    await tx.execute(add({ from, to }, retainedSpans(this.retentionMs)));
    await tx.manager.update(RollupProgressEntity, { singleton: true }, { [next]: to });
    return row !== undefined;
  }

  /** Counts attempts that are older than the rollups, back to the rollups' retention. */
  private async rollUpOlder(tx: Tx, { first, add }: Rollup, progress: Progress): Promise<boolean> {
    const { [first]: to } = progress;
    const oldest = minIdAt(Math.min(...retainedSpans(this.retentionMs).map(({ since }) => since.getTime())));
    if (to <= oldest) return false;
    const [row] = await tx.execute(findStartOfNewestBatch({ from: oldest, to }));
    const from = row?.id ?? oldest;
    await tx.execute(add({ from, to }, retainedSpans(this.retentionMs)));
    await tx.manager.update(RollupProgressEntity, { singleton: true }, { [first]: from });
    return row !== undefined;
  }
}
