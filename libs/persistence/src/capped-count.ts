import type { Sql } from './database.js';
import { integer } from './statements.js';

/** Nobody reads more than "10,000 or more" off a list. */
export const COUNT_CAP = 10_000;

/** Rows that counting looks at: within its time, however few of them match. */
export const COUNT_SCAN_LIMIT = 20_000;

/** How many match, as far as it was counted. */
export interface CappedCount {
  count: number;
  /** Whether there may be more: those that were looked at were not all. */
  isMore: boolean;
}

/** What a bounded look has found. */
export interface ScanCount {
  /** Rows that were looked at. */
  looked: number;
  /** Those of them that match. */
  matching: number;
}

/** Of rows that were all looked at, or as many as make it more than anybody reads. */
export const capCount = (matching: number): CappedCount => ({
  count: Math.min(matching, COUNT_CAP),
  isMore: matching > COUNT_CAP,
});

/** @param window the most rows that the look could have looked at */
export const capScanCount = ({ looked, matching }: ScanCount, window: number): CappedCount => ({
  count: capCount(matching).count,
  isMore: capCount(matching).isMore || looked >= window,
});

/** The row of a statement with the text of `countedSql`; `cappedCount` evaluates it. */
export const countedRow = { looked: integer, matching: integer };

/**
 * Returns SQL that counts rows and those of them that match.
 * @param rows SQL for a bounded number of rows, with an alias
 * @param isMatch SQL for the condition of a match
 */
export const countedSql = (rows: string, isMatch: string): string =>
  `SELECT count(*)::int AS looked, (count(*) FILTER (WHERE ${isMatch}))::int AS matching FROM ${rows}`;

/**
 * Counts what a bounded look finds.
 * @param rows SQL for the rows that are looked at, at most `window` of them, with an alias
 * @param isMatch SQL for what makes one of them a match
 */
export async function countMatches(
  sql: Sql,
  { rows, isMatch, values }: { rows: string; isMatch: string; values: unknown[] },
  window: number,
): Promise<CappedCount> {
  const [counted] = await sql.query<ScanCount>(countedSql(rows, isMatch), values);
  return capScanCount(counted!, window);
}
