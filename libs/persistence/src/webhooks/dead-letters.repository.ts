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

/** A delivery that has failed for good, with how its last attempt ended. */
export interface DeadLetterRecord extends DeliverySummary {
  attempt: number;
  /** 0 when nothing answered. */
  lastHttpStatus: number;
  lastError: AttemptError | null;
}

/** Dead letters that a page looks at when few of the first ones match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 200;

/** The list of dead letters: however many there are, and whatever the filter, a page looks at a bounded number. */
export class DeadLettersRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` dead letters within a reach, newest first. @param before the last id of the page before */
  async listPage(
    reach: Reach,
    asked: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<DeadLetterRecord>> {
    const filter = await detectLowVolumeCustomers(this.database, asked);
    // Of many endpoints each has as large a window.
    const widest = Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / (filter.endpointIds?.length || 1)));
    const windows = [limit + 1, 4 * (limit + 1), PAGE_SCAN_LIMIT].map((size) => Math.min(size, widest));
    return scanPage(windows, before, limit, (after, window) =>
      this.scan(reach, filter, after, window, limit),
    );
  }

  /** How many dead letters within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, asked: DeliveryFilter): Promise<CappedCount> {
    const filter = await detectLowVolumeCustomers(this.database, asked);
    const where = addDeliveryConditions(deliveriesWithin(reach), filter);
    const isMatch = where.sql;
    const walk = deadLetterScanSql(where, reach, filter, {
      before: null,
      limit: COUNT_SCAN_LIMIT,
      isOrdered: false,
    });
    const rows = `(${walk}) d JOIN webhook_endpoints w ON w.id = d.endpoint_id`;
    return countMatches(this.database, { rows, isMatch, values: where.values }, COUNT_SCAN_LIMIT);
  }

  /** The matches among the next `window` dead letters, and the last of these if there are so many. */
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
      FROM walked d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.bind(limit + 1)}`;
    const walk = deadLetterScanSql(where, reach, filter, { before, limit: window });
    return this.database.query<ScannedRow<DeadLetterRecord>>(
      boundedScanSql(where, walk, page, window),
      where.values,
    );
  }
}

/** SQL for the next dead letters of the filter's kind; of several kinds the walks are merged. */
function deadLetterScanSql(
  where: Conditions,
  reach: Reach,
  filter: DeliveryFilter,
  range: { before: string | null; limit: number; isOrdered?: boolean },
): string {
  const walks = baseConditions[filter.resolution ?? 'waiting'].map(
    (base) => `(${deliveryScanSql(where, reach, filter, { base, ...range })})`,
  );
  if (walks.length === 1) return walks[0]!;
  const order = range.isOrdered === false ? '' : 'ORDER BY d.id DESC';
  return `SELECT d.* FROM (${walks.join(' UNION ALL ')}) d ${order} LIMIT ${where.bind(range.limit)}`;
}
