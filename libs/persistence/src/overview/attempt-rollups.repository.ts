// Raw SQL: SKIP LOCKED, and upserts of aggregates.
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

/** Number of attempts that one transaction counts, which takes a fraction of a second. */
const BATCH_SIZE = 5_000;

/** The log's counted ranges, and how far they can be extended. */
const progressRow = {
  firstId: uuid,
  /** The first id after the counted range. */
  nextId: uuid,
  endpointFirstId: uuid,
  endpointNextId: uuid,
  /** All attempts with a lower id are finished, and no more will start. */
  endId: uuid,
};

type Progress = RowOf<typeof progressRow>;

// These statements are not prepared, because the plans depend on the id ranges and the number of unfinished attempts.

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

/** Returns the id that follows a range's oldest batch, if the range contains more than a batch. */
const findOldestBatchEnd = dynamicStatement(
  { id: uuid },
  ({ from, to }: IdRange) => ({
    text: `SELECT a.id FROM attempts a WHERE a.id >= $1 AND a.id < $2 ORDER BY a.id OFFSET ${BATCH_SIZE} LIMIT 1`,
    values: [from, to],
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }]],
);

/** Returns the first id in a range's newest batch, if the range contains a whole batch. */
const findNewestBatchStart = dynamicStatement(
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

/**
 * Returns a WITH clause that assigns attempts to retained buckets of every length.
 * @param scopes VALUES for `scope_id`
 */
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
 * Adds attempts to the retained buckets of every length, for the installation and for their projects. Attempts by
 * endpoint are counted only for projects. For the installation, these rows are added up. Separate rows would be nearly
 * as many, because a project-level endpoint receives only its project's events.
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
    // Omits the longest buckets, which only the overview totals use.
    values: rangeValues(range, retained.slice(0, -1)),
  }),
  [[{ from: NIL_UUID, to: NIL_UUID }, []]],
);

/** Rollups with separate counted ranges, each with the range's columns and the statement that adds attempts. */
const rollups = [
  { first: 'firstId', next: 'nextId', add: addToRollups },
  { first: 'endpointFirstId', next: 'endpointNextId', add: addToEndpointRollups },
] as const;
type Rollup = (typeof rollups)[number];

/**
 * Rolls up each attempt in the log exactly once, in id order and up to the oldest unfinished attempt. Recording an
 * outcome does not depend on the rollup or wait for it.
 */
export class AttemptRollupsRepository {
  /**
   * Creates the repository.
   * @param settleMs maximum delay in ms, with a margin, between the timestamp in a new attempt's id and the time when
   * other transactions can see the unfinished attempt (see `claimPickedSql`)
   * @param retentionMs log retention in ms
   */
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
    private readonly settleMs: number,
    private readonly retentionMs: number,
  ) {}

  /**
   * Counts a batch of attempts in each rollup, newest attempts first.
   * @returns whether more attempts are left to count; false while another worker is counting
   */
  async rollUpNextBatch(): Promise<boolean> {
    let hasMore = false;
    for (const rollup of rollups) hasMore = (await this.rollUpBatch(rollup)) || hasMore;
    return hasMore;
  }

  /** Removes rollups after their retention. */
  prune(signal: AbortSignal): Promise<void> {
    return pruneRollups(this.database, this.retentionMs, signal);
  }

  private rollUpBatch(rollup: Rollup): Promise<boolean> {
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
    const [row] = await tx.execute(findOldestBatchEnd({ from, to: endId }));
    const to = row?.id ?? endId;
    await tx.execute(add({ from, to }, retainedSpans(this.retentionMs)));
    await tx.manager.update(RollupProgressEntity, { singleton: true }, { [next]: to });
    return row !== undefined;
  }

  /** Counts attempts that are older than the counted range, back to where the rollup retention starts. */
  private async rollUpOlder(tx: Tx, { first, add }: Rollup, progress: Progress): Promise<boolean> {
    const { [first]: to } = progress;
    const oldest = minIdAt(Math.min(...retainedSpans(this.retentionMs).map(({ since }) => since.getTime())));
    if (to <= oldest) return false;
    const [row] = await tx.execute(findNewestBatchStart({ from: oldest, to }));
    const from = row?.id ?? oldest;
    await tx.execute(add({ from, to }, retainedSpans(this.retentionMs)));
    await tx.manager.update(RollupProgressEntity, { singleton: true }, { [first]: from });
    return row !== undefined;
  }
}
