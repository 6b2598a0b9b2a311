// Raw SQL: counts that stop at a limit.
import type { Sql } from '../database/database.js';
import type { Conditions } from '../sql/conditions.js';
import { dynamicStatement, integer, type RowOf } from '../sql/statements.js';

/** Maximum count. Lists show larger numbers as "10,000 or more". */
export const COUNT_CAP = 10_000;

/** Maximum number of rows that a count scans, even if few of them match, so that it stays within the timeout. */
export const COUNT_SCAN_LIMIT = 20_000;

/** A count with an upper limit. */
export interface CappedCount {
  count: number;
  /** True if the actual number may be larger, because the scan did not cover all rows. */
  isMore: boolean;
}

/** Row map for statements built with `countedSql`. Pass the row to `capScanCount`. */
export const countedRow = {
  /** Number of scanned rows. */
  scanned: integer,
  /** Number of scanned rows that match. */
  matching: integer,
};

type ScanCount = RowOf<typeof countedRow>;

/** Caps a count. Below the cap, it must include all matches. */
export const capCount = (matching: number): CappedCount => ({
  count: Math.min(matching, COUNT_CAP),
  isMore: matching > COUNT_CAP,
});

/** Caps a bounded scan's count. @param window maximum number of rows that the scan could read */
export const capScanCount = ({ scanned, matching }: ScanCount, window: number): CappedCount => ({
  count: capCount(matching).count,
  isMore: capCount(matching).isMore || scanned >= window,
});

/**
 * Returns SQL that counts the given rows and how many of them match.
 * @param rows FROM item with a bounded number of rows, including its alias
 * @param isMatch SQL for the match condition
 */
export const countedSql = (rows: string, isMatch: string): string =>
  `SELECT count(*)::int AS scanned, (count(*) FILTER (WHERE ${isMatch}))::int AS matching FROM ${rows}`;

/** The rows that a count scans. */
interface CountedRows {
  /** Holds the bound values. Its conditions define a match, unless `isMatch` is set. */
  where: Conditions;
  /** FROM item with a bounded number of rows, including its alias. */
  rows: string;
  isMatch?: string;
}

/**
 * Declares a statement that counts matches in a bounded scan.
 * @param window maximum number of rows that the scan reads
 * @param samples arguments that together produce every SQL variant
 */
export function cappedCount<Args extends unknown[]>(
  window: number | ((...args: NoInfer<Args>) => number),
  build: (...args: Args) => CountedRows,
  samples: readonly Readonly<NoInfer<Args>>[],
): (sql: Sql, ...args: Args) => Promise<CappedCount> {
  const countRows = dynamicStatement(
    countedRow,
    (...args: Args) => {
      const { where, rows, isMatch = where.sql } = build(...args);
      return { text: countedSql(rows, isMatch), values: where.values };
    },
    samples,
  );
  return async (sql, ...args) => {
    const [counted] = await sql.execute(countRows(...args));
    return capScanCount(counted!, typeof window === 'number' ? window : window(...args));
  };
}
