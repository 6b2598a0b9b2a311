import type { AttemptError, Reach } from '@gatehouse/domain';
import { countMatches, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import type { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { boundedScanSql, scanPage, type ScannedPage, type ScannedRow } from '../scanned-page.js';
import { deliveryColumns, deliveriesWithin, type DeliverySummary } from './deliveries.repository.js';
import {
  baseConditions,
  addDeliveryConditions,
  deliveryScanSql,
  type DeliveryFilter,
} from './delivery-filter.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';

/** A permanently failed delivery, with the result of its last attempt. */
export interface DeadLetterRecord extends DeliverySummary {
  attempt: number;
  /** 0 without a response. */
  lastHttpStatus: number;
  lastError: AttemptError | null;
}

/**
 * Maximum number of dead letters that a page scans if few of them match. The next page continues from there.
 */
const PAGE_SCAN_LIMIT = 200;

/** The list of dead letters: each page scans a bounded number, whatever the filter is. */
export class DeadLettersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` dead letters within a reach, newest first.
   * @param before last id of the previous page
   */
  async listPage(
    reach: Reach,
    requestedFilter: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<DeadLetterRecord>> {
    const filter = await detectLowVolumeCustomers(this.database, requestedFilter);
    // With many endpoints, each is scanned with the same window.
    const maxWindow = Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / (filter.endpointIds?.length || 1)));
    const windows = [limit + 1, 4 * (limit + 1), PAGE_SCAN_LIMIT].map((size) => Math.min(size, maxWindow));
    return scanPage(windows, before, limit, (after, window) =>
      this.scan(reach, filter, after, window, limit),
    );
  }

  /** Counts the matching dead letters within a reach in a bounded scan. */
  async count(reach: Reach, requestedFilter: DeliveryFilter): Promise<CappedCount> {
    const filter = await detectLowVolumeCustomers(this.database, requestedFilter);
    const where = addDeliveryConditions(deliveriesWithin(reach), filter);
    const isMatch = where.sql;
    const scan = deadLetterScanSql(where, reach, filter, {
      before: null,
      limit: COUNT_SCAN_LIMIT,
      isOrdered: false,
    });
    const rows = `(${scan}) d JOIN webhook_endpoints w ON w.id = d.endpoint_id`;
    return countMatches(this.database, { rows, isMatch, values: where.values }, COUNT_SCAN_LIMIT);
  }

  /**
   * Returns the matches among the next `window` dead letters, and the last scanned id if there are at least
   * that many.
   */
  private scan(
    reach: Reach,
    filter: DeliveryFilter,
    before: string | null,
    window: number,
    limit: number,
  ): Promise<ScannedRow<DeadLetterRecord>[]> {
    const where = addDeliveryConditions(deliveriesWithin(reach), filter);
    const page = `
      SELECT ${deliveryColumns}, d.attempt, coalesce(d.last_http_status, 0) AS "lastHttpStatus",
        d.last_error AS "lastError"
      FROM scanned d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.bind(limit + 1)}`;
    const scan = deadLetterScanSql(where, reach, filter, { before, limit: window });
    return this.database.query<ScannedRow<DeadLetterRecord>>(
      boundedScanSql(where, scan, page, window),
      where.values,
    );
  }
}

/** Returns SQL for the next dead letters of the filter's kind. The scans of several kinds are merged. */
function deadLetterScanSql(
  where: Conditions,
  reach: Reach,
  filter: DeliveryFilter,
  range: { before: string | null; limit: number; isOrdered?: boolean },
): string {
  const scans = baseConditions[filter.resolution ?? 'waiting'].map(
    (base) => `(${deliveryScanSql(where, reach, filter, { base, ...range })})`,
  );
  if (scans.length === 1) return scans[0]!;
  const order = range.isOrdered === false ? '' : 'ORDER BY d.id DESC';
  return `SELECT d.* FROM (${scans.join(' UNION ALL ')}) d ${order} LIMIT ${where.bind(range.limit)}`;
}
