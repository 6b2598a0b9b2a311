// Raw SQL: bounded scans that are limited by filters and access scope.
import type { AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { cappedCount, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { boundedScanRow, boundedScanSql, matchingRows, type ScannedPage } from '../lists/scanned-page.js';
import { sampleAccessScopes, type Conditions } from '../sql/conditions.js';
import { dynamicStatement } from '../sql/statements.js';
import { minIdAt, NIL_UUID, parseIdTime } from '../sql/uuid-v7.js';
import { DAY_MS } from './attempt-partitions.js';
import { attemptColumns, attemptRow, type AttemptRecord } from './attempt-record.js';
import { matchesOnlyFailed, attemptConditions, attemptScanSql } from './attempt-scan.js';
import {
  findAttemptScope,
  attemptIdRange,
  sampleAttemptFilters,
  type AttemptFilter,
  type AttemptScope,
} from './attempt-scope.js';
import { findAttemptSource } from './attempt-source.js';
import {
  listAttemptsByDelivery,
  countAttemptsByDelivery,
  isDeliveryListSource,
} from './attempts-by-delivery.js';
import type { DeliverySummary } from './deliveries.repository.js';

export type { AttemptRecord } from './attempt-record.js';
export type { AttemptFilter } from './attempt-scope.js';

interface ScanSize {
  /** Maximum number of scanned attempts. */
  window: number;
  limit: number;
}

interface ScanResult {
  matches: AttemptRecord[];
  /** Last scanned id; null if the scan reached the end of the scope. */
  scannedTo: string | null;
}

/** Maximum number of attempts that a page scans when few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 1_000;

/** Time spans in ms that a page scans first, one after the other. Each day is a partition and adds planning time. */
const SCAN_SPANS_MS = [2 * DAY_MS, 8 * DAY_MS];

const sampleScopes = (['organization_id', 'project_id', 'endpoint_id', 'delivery_id', null] as const).map(
  (column): AttemptScope => ({ column, ids: [NIL_UUID], from: NIL_UUID, to: minIdAt(DAY_MS) }),
);
const sampleCalls = sampleScopes.flatMap((scope) =>
  sampleAccessScopes.flatMap((accessScope) =>
    sampleAttemptFilters.map((filter) => [scope, accessScope, filter] as const),
  ),
);

/**
 * Returns the matches among the next `window` attempts in a scope, and the last scanned id if the scan read that
 * many.
 */
const scanAttempts = dynamicStatement(
  boundedScanRow(attemptRow),
  (scope: AttemptScope, accessScope: AccessScope, filter: AttemptFilter, { window, limit }: ScanSize) => {
    const where = attemptConditions(scope, accessScope, filter);
    const page = `
      SELECT ${attemptColumns} FROM scanned a JOIN deliveries d ON d.id = a.delivery_id
      WHERE ${where.sql} ORDER BY a.id DESC LIMIT ${where.bind(limit + 1)}`;
    const scan = attemptScanSql(where, scope, matchesOnlyFailed(filter), window);
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, { window: 1, limit: 1 }] as const),
);

/** Returns SQL for a column in an attempt's delivery. Uses a subquery, because a join might read all deliveries. */
const deliveryColumn = (name: string): string =>
  `(SELECT d.${name} FROM deliveries d WHERE d.id = a.delivery_id)`;

const countConditions = (scope: AttemptScope, accessScope: AccessScope, filter: AttemptFilter): Conditions =>
  attemptConditions(scope, accessScope, filter, deliveryColumn);

/** Returns the maximum number of attempts that a count scans. */
const countWindow = (scope: AttemptScope, accessScope: AccessScope, filter: AttemptFilter): number =>
  countConditions(scope, accessScope, filter).values.length === 0 ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;

const countAttempts = cappedCount(
  countWindow,
  (scope: AttemptScope, accessScope: AccessScope, filter: AttemptFilter) => {
    const where = countConditions(scope, accessScope, filter);
    const isMatch = `${where.sql} AND ${deliveryColumn('id')} IS NOT NULL`;
    const window = countWindow(scope, accessScope, filter);
    const rows = `(${attemptScanSql(where, scope, matchesOnlyFailed(filter), window, false)}) a`;
    return { where, rows, isMatch };
  },
  sampleCalls,
);

/** The statement is not prepared, because the partitions to scan depend on the id range. */
const listDeliveryAttempts = dynamicStatement(
  attemptRow,
  (delivery: Pick<DeliverySummary, 'id' | 'createdAt' | 'finishedAt'>) => {
    const { from, to } = attemptIdRange(delivery);
    const sql = `
      SELECT ${attemptColumns} FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
      WHERE a.delivery_id = $1 AND a.id >= $2 AND a.id < $3 ORDER BY a.id`;
    return { text: sql, values: [delivery.id, from, to] };
  },
  [[{ id: NIL_UUID, createdAt: new Date(0), finishedAt: new Date(0) }]],
);

/**
 * The attempt log, which can contain millions of attempts. Each page scans a bounded number, regardless of the
 * filter.
 */
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` finished attempts within an access scope, newest first.
   * @param before the previous page's last id
   */
  async listPage(
    accessScope: AccessScope,
    requestedFilter: AttemptFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<AttemptRecord>> {
    const source = await findAttemptSource(this.database, requestedFilter);
    if (isDeliveryListSource(source))
      return listAttemptsByDelivery(this.database, accessScope, source, before, limit);
    const { filter } = source;
    const scope = await findAttemptScope(this.database, accessScope, filter);
    const items: AttemptRecord[] = [];
    const windows = [limit + 1, Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / scope.ids.length))];
    const spans = [...SCAN_SPANS_MS, Infinity];
    let to = before !== null && before < scope.to ? before : scope.to;
    while (spans.length > 0 && scope.from < to) {
      const from = scanStart(scope, to, spans[0]!);
      const scanSize = { window: windows[0]!, limit };
      const { matches, scannedTo } = await this.scan({ ...scope, from, to }, accessScope, filter, scanSize);
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

  /** Counts the matching attempts within an access scope in a bounded scan. */
  async count(accessScope: AccessScope, requestedFilter: AttemptFilter): Promise<CappedCount> {
    const source = await findAttemptSource(this.database, requestedFilter);
    if (isDeliveryListSource(source)) return countAttemptsByDelivery(this.database, accessScope, source);
    const { filter } = source;
    const scope = await findAttemptScope(this.database, accessScope, filter);
    if (scope.ids.length === 0 || scope.from >= scope.to) return { count: 0, isMore: false };
    return countAttempts(this.database, scope, accessScope, filter);
  }

  /** Returns a delivery's attempts, oldest first. The caller must have checked the access scope. */
  listForDelivery(
    delivery: Pick<DeliverySummary, 'id' | 'createdAt' | 'finishedAt'>,
  ): Promise<AttemptRecord[]> {
    return this.database.execute(listDeliveryAttempts(delivery));
  }

  private async scan(
    scope: AttemptScope,
    accessScope: AccessScope,
    filter: AttemptFilter,
    size: ScanSize,
  ): Promise<ScanResult> {
    if (scope.ids.length === 0) return { matches: [], scannedTo: null };
    const rows = await this.database.execute(scanAttempts(scope, accessScope, filter, size));
    return { matches: matchingRows(rows), scannedTo: rows[0]!.scannedTo };
  }
}

/** Returns the lowest id of a scan that spans at most `span` ms. */
function scanStart(scope: AttemptScope, to: string, span: number): string {
  const start = minIdAt(parseIdTime(to) - span);
  return start > scope.from ? start : scope.from;
}
