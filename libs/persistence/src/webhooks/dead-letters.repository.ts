// Raw SQL: bounded searches that are limited by filters and access scope.
import type { AttemptError, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { cappedCount, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import { sampleAccessScopes, type Conditions } from '../sql/conditions.js';
import { dynamicStatement, integer, nullable, smallint, textOf, type RowOf } from '../sql/statements.js';
import { deliveryColumns, deliveriesWithin, deliveryRow } from './deliveries.repository.js';
import {
  addDeliveryConditions,
  baseConditions,
  deadLetterStates,
  deliveryScanSql,
  emptyDeliveryFilter,
  sampleDeliveryFilters,
  type DeliveryFilter,
} from './delivery-filter.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';

const deadLetterRow = {
  ...deliveryRow,
  attempt: smallint,
  /** 0 if there was no response. */
  lastHttpStatus: integer,
  lastError: nullable(textOf<AttemptError>()),
};

/** A permanently failed delivery with its last attempt's result. */
export type DeadLetterRecord = RowOf<typeof deadLetterRow>;

/** Maximum number of dead letters that a page scans when few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 200;

const sampleFilters = [
  ...sampleDeliveryFilters,
  ...deadLetterStates.map((resolution) => ({ ...emptyDeliveryFilter, resolution })),
];
const sampleCalls = sampleAccessScopes.flatMap((accessScope) =>
  sampleFilters.map((filter) => [accessScope, filter] as const),
);

/** Returns the matches among the next `window` dead letters, and the last scanned id if the scan read that many. */
const scanDeadLetters = dynamicStatement(
  boundedScanRow(deadLetterRow),
  (
    accessScope: AccessScope,
    filter: DeliveryFilter,
    before: string | null,
    window: number,
    limit: number,
  ) => {
    const where = addDeliveryConditions(deliveriesWithin(accessScope), filter);
    const page = `
      SELECT ${deliveryColumns}, d.attempt, coalesce(d.last_http_status, 0) AS "lastHttpStatus",
        d.last_error AS "lastError"
      FROM scanned d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.bind(limit + 1)}`;
    const scan = deadLetterScanSql(where, accessScope, filter, { before, limit: window });
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, null, 1, 1] as const),
);

const countDeadLetters = cappedCount(
  COUNT_SCAN_LIMIT,
  (accessScope: AccessScope, filter: DeliveryFilter) => {
    const where = addDeliveryConditions(deliveriesWithin(accessScope), filter);
    const range = { before: null, limit: COUNT_SCAN_LIMIT, isOrdered: false };
    const rows = `(${deadLetterScanSql(where, accessScope, filter, range)}) d JOIN webhook_endpoints w ON w.id = d.endpoint_id`;
    return { where, rows };
  },
  sampleCalls,
);

/** The dead letter list. Each page scans a bounded number of rows, regardless of the filter. */
export class DeadLettersRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` dead letters within an access scope, newest first.
   * @param before the previous page's last id
   */
  async listPage(
    accessScope: AccessScope,
    requestedFilter: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<DeadLetterRecord>> {
    const filter = await detectLowVolumeCustomers(this.database, requestedFilter);
    // The window applies to each endpoint's scan, so it is smaller for several endpoints.
    const maxWindow = Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / (filter.endpointIds?.length || 1)));
    const windows = [limit + 1, 4 * (limit + 1), PAGE_SCAN_LIMIT].map((size) => Math.min(size, maxWindow));
    return scanPage(windows, before, limit, (after, window) =>
      this.database.execute(scanDeadLetters(accessScope, filter, after, window, limit)),
    );
  }

  /** Counts the matching dead letters within an access scope in a bounded scan. */
  async count(accessScope: AccessScope, requestedFilter: DeliveryFilter): Promise<CappedCount> {
    const filter = await detectLowVolumeCustomers(this.database, requestedFilter);
    return countDeadLetters(this.database, accessScope, filter);
  }
}

/** Returns SQL for the next dead letters in the filtered state. If that requires several scans, they are merged. */
function deadLetterScanSql(
  where: Conditions,
  accessScope: AccessScope,
  filter: DeliveryFilter,
  range: { before: string | null; limit: number; isOrdered?: boolean },
): string {
  const scans = baseConditions[filter.resolution ?? 'waiting'].map(
    (base) => `(${deliveryScanSql(where, accessScope, filter, { base, ...range })})`,
  );
  if (scans.length === 1) return scans[0]!;
  const order = range.isOrdered === false ? '' : 'ORDER BY d.id DESC';
  return `SELECT d.* FROM (${scans.join(' UNION ALL ')}) d ${order} LIMIT ${where.bind(range.limit)}`;
}
