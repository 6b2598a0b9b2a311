import type { Reach } from '@gatehouse/domain';
import { countMatches, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import type { Database } from '../database.js';
import { minIdAt, parseIdTime } from '../uuid-v7.js';
import { DAY_MS } from './attempt-partitions.js';
import { attemptColumns, type AttemptRecord } from './attempt-record.js';
import { findAttemptScope, attemptIdRange, type AttemptFilter, type AttemptScope } from './attempt-scope.js';
import { matchesOnlyFailed, attemptConditions, attemptScanSql } from './attempt-scan.js';
import {
  listAttemptsByDelivery,
  countAttemptsByDelivery,
  isDeliveryListSource,
} from './attempts-by-delivery.js';
import { boundedScanSql, matchingRows, type ScannedPage, type ScannedRow } from '../scanned-page.js';
import type { DeliverySummary } from './deliveries.repository.js';
import { findAttemptSource } from './attempt-source.js';

export type { AttemptRecord } from './attempt-record.js';
export type { AttemptFilter } from './attempt-scope.js';

interface ScanResult {
  matches: AttemptRecord[];
  scannedTo: string | null;
}

/** Attempts that a page looks at when few of the first ones match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 1_000;

/** So much of the log a page is looked for in at first, and then; each day is a partition, and costs planning. */
const SCAN_SPANS_MS = [2 * DAY_MS, 8 * DAY_MS];

/** The log of attempts, also of millions: however many there are, and whatever the filter, a page looks at few. */
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` closed attempts within a reach, newest first. @param before the last id of the page before */
  async listPage(
    reach: Reach,
    asked: AttemptFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<AttemptRecord>> {
    const source = await findAttemptSource(this.database, asked);
    if (isDeliveryListSource(source))
      return listAttemptsByDelivery(this.database, reach, source, before, limit);
    const { filter } = source;
    const scope = await findAttemptScope(this.database, reach, filter);
    const items: AttemptRecord[] = [];
    const windows = [limit + 1, Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / scope.ids.length))];
    const spans = [...SCAN_SPANS_MS, Infinity];
    let to = before !== null && before < scope.to ? before : scope.to;
    while (spans.length > 0 && scope.from < to) {
      const from = scanStart(scope, to, spans[0]!);
      const look = { window: windows[0]!, limit };
      const { matches, scannedTo } = await this.scan({ ...scope, from, to }, reach, filter, look);
      items.push(...matches);
      if (items.length > limit) {
        const page = items.slice(0, limit);
        return { items: page, next: page.at(-1)!.id };
      }
      to = scannedTo ?? from;
      if (scannedTo === null) spans.shift();
      else if (windows.length === 1) return { items, next: scannedTo };
      else windows.shift();
    }
    return { items, next: null };
  }

  /** How many attempts within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, asked: AttemptFilter): Promise<CappedCount> {
    const source = await findAttemptSource(this.database, asked);
    if (isDeliveryListSource(source)) return countAttemptsByDelivery(this.database, reach, source);
    const { filter } = source;
    const scope = await findAttemptScope(this.database, reach, filter);
    if (scope.ids.length === 0 || scope.from >= scope.to) return { count: 0, isMore: false };
    // By sub-selects, for a join could be made by reading all deliveries.
    const delivery = (column: string) => `(SELECT d.${column} FROM deliveries d WHERE d.id = a.delivery_id)`;
    const where = attemptConditions(scope, reach, filter, delivery);
    const window = where.values.length === 0 ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;
    const isMatch = `${where.sql} AND ${delivery('id')} IS NOT NULL`;
    const rows = `(${attemptScanSql(where, scope, matchesOnlyFailed(filter), window, false)}) a`;
    return countMatches(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** The attempts of a delivery whose reach has been checked, oldest first. */
  async listForDelivery(
    delivery: Pick<DeliverySummary, 'id' | 'createdAt' | 'finishedAt'>,
  ): Promise<AttemptRecord[]> {
    const { from, to } = attemptIdRange(delivery);
    return this.database.query<AttemptRecord>(
      `SELECT ${attemptColumns} FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE a.delivery_id = $1 AND a.id >= $2 AND a.id < $3 ORDER BY a.id`,
      [delivery.id, from, to],
    );
  }

  /** The matches among the next `window` attempts of a scope, and the last of these if there are so many. */
  private async scan(
    scope: AttemptScope,
    reach: Reach,
    filter: AttemptFilter,
    { window, limit }: { window: number; limit: number },
  ): Promise<ScanResult> {
    if (scope.ids.length === 0) return { matches: [], scannedTo: null };
    const where = attemptConditions(scope, reach, filter);
    const page = `
      SELECT ${attemptColumns} FROM walked a JOIN deliveries d ON d.id = a.delivery_id
      WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.bind(limit + 1)}`;
    const walk = attemptScanSql(where, scope, matchesOnlyFailed(filter), window);
    const rows = await this.database.query<ScannedRow<AttemptRecord>>(
      boundedScanSql(where, walk, page, window),
      where.values,
    );
    return {
      matches: matchingRows(rows),
      scannedTo: rows[0]!.walkedTo,
    };
  }
}

/** The first id of what is looked at in one go. */
function scanStart(scope: AttemptScope, to: string, span: number): string {
  const start = minIdAt(parseIdTime(to) - span);
  return start > scope.from ? start : scope.from;
}
