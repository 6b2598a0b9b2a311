import type { Conditions } from './conditions.js';
import { nullable, uuid, type RowMap } from './statements.js';

/** A page of a list of which each page looks at a bounded number of rows. */
export interface ScannedPage<T> {
  /** Fewer than were asked for, even none, where the rows that were looked at held no more. */
  items: T[];
  /** The id after which the list goes on, or null at its end. */
  next: string | null;
}

/** A match of a look, or none; with the last row that was looked at, null where the look came to the end. */
export type ScannedRow<T> = { walkedTo: string | null } & (T | { id: null });

/** Returns the row map of a statement with the text of `lookAlong`. @param page columns of the rows of the page */
export const walkedRow = <Page extends RowMap>(page: Page) => ({ walkedTo: nullable(uuid), ...page });

export const matchingRows = <T extends { id: string }>(rows: ScannedRow<T>[]): T[] =>
  rows.filter((row): row is { walkedTo: string | null } & T => row.id !== null);

/**
 * SQL of a look.
 * @param scan SQL for the next rows, at most `window` of them
 * @param page SELECT from `walked` for those of them that match, newest first
 */
export const boundedScanSql = (where: Conditions, scan: string, page: string, window: number): string => `
  WITH walked AS MATERIALIZED (${scan}), page AS (${page})
  SELECT last.id AS "walkedTo", page.*
  FROM (SELECT (SELECT id FROM walked ORDER BY id DESC OFFSET ${where.bind(window - 1)} LIMIT 1) AS id) last
    LEFT JOIN page ON true
  ORDER BY page.id DESC`;

/**
 * Reads such a page, newest first, in looks that grow wider as long as it is not full.
 * @param scanSizes how many rows each look takes in
 * @param before the last id of the page before
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
    next = rows[0]!.walkedTo;
    if (!next) return { items: found, next: null };
  }
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? items.at(-1)!.id : next };
}
