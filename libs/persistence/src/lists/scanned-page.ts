import type { Conditions } from '../sql/conditions.js';
import { nullable, uuid, type RowMap } from '../sql/statements.js';

/** A list page. Each page scans a bounded number of rows. */
export interface ScannedPage<T> {
  /** Can contain fewer items than requested, or none, if few of the scanned rows match. */
  items: T[];
  /**
   * Position after which the next page starts: an id, unless `scanPage` was called with `positionOf`. Null at the end
   * of the list.
   */
  next: string | null;
}

/**
 * A match, or a row with a null id if the scan found none. Each row contains the last scanned position, which is null
 * if the scan reached the end of the list.
 */
export type ScannedRow<T> = { scannedTo: string | null } & (T | { id: null });

/**
 * Returns the row map for a statement built with `boundedScanSql`.
 * @param page columns of the page query
 */
export const boundedScanRow = <Page extends RowMap>(page: Page) => ({ scannedTo: nullable(uuid), ...page });

export const matchingRows = <T extends { id: string }>(rows: ScannedRow<T>[]): T[] =>
  rows.filter((row): row is { scannedTo: string | null } & T => row.id !== null);

export interface ScanOrder {
  /** ORDER BY of the scanned rows. */
  scanned: string;
  /** ORDER BY of the rows on the page. */
  page: string;
  /** SQL for a scanned row's position. */
  position: string;
}

const newestFirst: ScanOrder = { scanned: 'id DESC', page: 'page.id DESC', position: 'id' };

/**
 * Returns SQL for a bounded scan.
 * @param scan SELECT of at most the next `window` rows
 * @param page SELECT of the matching rows from `scanned`, in scan order
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
 * Reads a page with successive scans until the page is full.
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
