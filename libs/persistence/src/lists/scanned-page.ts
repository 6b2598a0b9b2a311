import type { Conditions } from '../sql/conditions.js';
import { nullable, uuid, type RowMap } from '../sql/statements.js';

/** A page in a list where each page scans a bounded number of rows. */
export interface ScannedPage<T> {
  /** May contain fewer items than requested, or zero, if the scanned rows contain no more matches. */
  items: T[];
  /** The position after which the list continues, the id unless `scanPage` has `positionOf`; null at its end. */
  next: string | null;
}

/** A scan's match, or a row without a match; with the last scanned position, null if the scan reached the list's end. */
export type ScannedRow<T> = { scannedTo: string | null } & (T | { id: null });

/**
 * Returns the row map for a statement with the text from `boundedScanSql`.
 * @param page columns in the page's rows
 */
export const boundedScanRow = <Page extends RowMap>(page: Page) => ({ scannedTo: nullable(uuid), ...page });

export const matchingRows = <T extends { id: string }>(rows: ScannedRow<T>[]): T[] =>
  rows.filter((row): row is { scannedTo: string | null } & T => row.id !== null);

/** A scan's order. */
export interface ScanOrder {
  /** The scanned rows' ORDER BY. */
  scanned: string;
  /** The page rows' ORDER BY. */
  page: string;
  /** SQL for a scanned row's position. */
  position: string;
}

const newestFirst: ScanOrder = { scanned: 'id DESC', page: 'page.id DESC', position: 'id' };

/**
 * Returns SQL for a bounded scan.
 * @param scan SQL for the next rows, at most `window`
 * @param page SELECT from `scanned` for the matching rows, in scan order
 */
export const boundedScanSql = (
  where: Conditions,
  scan: string,
  page: string,
  window: number,
  { scanned, page: pageOrder, position }: ScanOrder = newestFirst,
): string => `
  WITH scanned AS MATERIALIZED (${scan}), page AS (${page})
  SELECT last.position AS "scannedTo", page.*
  FROM (
      SELECT (SELECT ${position} FROM scanned ORDER BY ${scanned} OFFSET ${where.bind(window - 1)} LIMIT 1) AS position
    ) last
    LEFT JOIN page ON true
  ORDER BY ${pageOrder}`;

/**
 * Reads a page in scans that grow until the page is full.
 * @param scanSizes number of rows in each scan
 * @param after last position on the previous page
 * @param scan must return up to `limit` + 1 matches in list order, and at least one row
 */
export async function scanPage<T extends { id: string }>(
  scanSizes: number[],
  after: string | null,
  limit: number,
  scan: (after: string | null, window: number) => Promise<ScannedRow<T>[]>,
  positionOf: (item: T) => string = ({ id }) => id,
): Promise<ScannedPage<T>> {
  const found: T[] = [];
  let next = after;
  for (const window of scanSizes) {
    const rows = await scan(next, window);
    found.push(...matchingRows(rows));
    if (found.length > limit) break;
    next = rows[0]!.scannedTo;
    if (!next) return { items: found, next: null };
  }
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? positionOf(items.at(-1)!) : next };
}
