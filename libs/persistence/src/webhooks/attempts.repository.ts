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

/** Maximum number of attempts that a page scans if few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 1_000;

/** Time spans of the log that a page scans first. Each day is a partition and adds planning time. */
const SCAN_SPANS_MS = [2 * DAY_MS, 8 * DAY_MS];

/**
 * The log of attempts, for millions of attempts: each page scans a bounded number, whatever the filter is.
 */
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` finished attempts within a reach, newest first.
   * @param before last id of the previous page
   */
  async listPage(
    reach: Reach,
    requestedFilter: AttemptFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<AttemptRecord>> {
    const source = await findAttemptSource(this.database, requestedFilter);
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
      const scanSize = { window: windows[0]!, limit };
      const { matches, scannedTo } = await this.scan({ ...scope, from, to }, reach, filter, scanSize);
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

  /** Counts the matching attempts within a reach in a bounded scan. */
  async count(reach: Reach, requestedFilter: AttemptFilter): Promise<CappedCount> {
    const source = await findAttemptSource(this.database, requestedFilter);
    if (isDeliveryListSource(source)) return countAttemptsByDelivery(this.database, reach, source);
    const { filter } = source;
    const scope = await findAttemptScope(this.database, reach, filter);
    if (scope.ids.length === 0 || scope.from >= scope.to) return { count: 0, isMore: false };
    // Uses subselects, because a join might read all deliveries.
    const delivery = (column: string) => `(SELECT d.${column} FROM deliveries d WHERE d.id = a.delivery_id)`;
    const where = attemptConditions(scope, reach, filter, delivery);
    const window = where.values.length === 0 ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;
    const isMatch = `${where.sql} AND ${delivery('id')} IS NOT NULL`;
    const rows = `(${attemptScanSql(where, scope, matchesOnlyFailed(filter), window, false)}) a`;
    return countMatches(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** Returns the attempts of a delivery, oldest first. The caller has checked the reach. */
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

  /**
   * Returns the matches among the next `window` attempts of a scope, and the last scanned id if there are at
   * least that many.
   */
  private async scan(
    scope: AttemptScope,
    reach: Reach,
    filter: AttemptFilter,
    { window, limit }: { window: number; limit: number },
  ): Promise<ScanResult> {
    if (scope.ids.length === 0) return { matches: [], scannedTo: null };
    const where = attemptConditions(scope, reach, filter);
    const page = `
      SELECT ${attemptColumns} FROM scanned a JOIN deliveries d ON d.id = a.delivery_id
      WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.bind(limit + 1)}`;
    const scan = attemptScanSql(where, scope, matchesOnlyFailed(filter), window);
    const rows = await this.database.query<ScannedRow<AttemptRecord>>(
      boundedScanSql(where, scan, page, window),
      where.values,
    );
    return {
      matches: matchingRows(rows),
      scannedTo: rows[0]!.walkedTo,
    };
  }
}

/** Returns the first id of one scan. */
function scanStart(scope: AttemptScope, to: string, span: number): string {
  const start = minIdAt(parseIdTime(to) - span);
  return start > scope.from ? start : scope.from;
}
