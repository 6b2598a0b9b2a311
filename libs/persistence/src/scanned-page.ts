import type { Conditions } from './conditions.js';
import { nullable, uuid, type RowMap } from './statements.js';

/** A page of a list of which each page scans a bounded number of rows. */
export interface ScannedPage<T> {
  /** May contain fewer items than requested, even none, if the scanned rows contain no more matches. */
  items: T[];
  /** The id after which the list continues, or null at its end. */
  next: string | null;
}

/**
 * A match of a scan, or a row without a match; with the last scanned id, null if the scan reached the end of
 * the list.
 */
export type ScannedRow<T> = { scannedTo: string | null } & (T | { id: null });

/**
 * Returns the row map of a statement with the text of `boundedScanSql`.
 * @param page columns of the rows of the page
 */
export const boundedScanRow = <Page extends RowMap>(page: Page) => ({ scannedTo: nullable(uuid), ...page });

export const matchingRows = <T extends { id: string }>(rows: ScannedRow<T>[]): T[] =>
  rows.filter((row): row is { scannedTo: string | null } & T => row.id !== null);

/**
 * Returns SQL of a bounded scan.
 * @param scan SQL for the next rows, at most `window`
 * @param page SELECT from `scanned` for the matching rows, newest first
 */
export const boundedScanSql = (where: Conditions, scan: string, page: string, window: number): string => `
  WITH scanned AS MATERIALIZED (${scan}), page AS (${page})
  SELECT last.id AS "scannedTo", page.*
  FROM (SELECT (SELECT id FROM scanned ORDER BY id DESC OFFSET ${where.bind(window - 1)} LIMIT 1) AS id) last
    LEFT JOIN page ON true
  ORDER BY page.id DESC`;

/**
 * Reads a page, newest first, in scans that grow until the page is full.
 * @param scanSizes number of rows of each scan
 * @param before last id of the previous page
 * @param scan must return up to `limit` + 1 matches, newest first, and at least one row
 */
export async function scanPage<T extends { id: string }>(
  scanSizes: number[],
  before: string | null,
  limit: number,
  scan: (before: string | null, window: number) => Promise<ScannedRow<T>[]>,
): Promise<ScannedPage<T>> {
  const found: T[] = [];
  let next = before;
  for (const window of scanSizes) {
    const rows = await scan(next, window);
    found.push(...matchingRows(rows));
    if (found.length > limit) break;
    next = rows[0]!.scannedTo;
    if (!next) return { items: found, next: null };
  }
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1)!.id : next };
}
