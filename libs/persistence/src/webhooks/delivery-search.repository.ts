// Raw SQL: bounded searches that are limited by filters and access scope.
import type { AttemptError, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { cappedCount, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import { sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  nullable,
  smallint,
  statement,
  text,
  textOf,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { findAttemptScope, type OwnerScope } from './attempt-scope.js';
import { locateBatch } from './attempt-source.js';
import { deliveryColumns, deliveriesWithin, deliveryRow } from './deliveries.repository.js';
import {
  addDeliveryConditions,
  emptyDeliveryFilter,
  sampleDeliveryFilters,
  type DeliveryFilter,
} from './delivery-filter.js';
import {
  deliveryListSql,
  isQueueSort,
  queuePosition,
  scanOrder,
  type DeliveryListScan,
  type DeliverySort,
} from './delivery-list-scan.js';
import { detectLowVolumeCustomers } from './low-volume-customers.js';

const listedDeliveryRow = {
  ...deliveryRow,
  /** Number of the last attempt; 0 before the first. */
  attempt: smallint,
  /** The last finished attempt's HTTP status; 0 if there was no response, null before the first attempt. */
  lastHttpStatus: nullable(smallint),
  lastError: nullable(textOf<AttemptError>()),
  /** Event's customer; null if there is none or the customer was deleted. */
  customerId: nullable(uuid),
  customerEmail: nullable(text),
};

/** A delivery in a list, with its customer and its last attempt's result. */
export type ListedDelivery = RowOf<typeof listedDeliveryRow>;

/** Maximum number of deliveries that a page scans when few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 2_000;

const samples: [AccessScope, DeliveryFilter, DeliveryListScan][] = sampleAccessScopes.flatMap((accessScope) =>
  (['organization_id', 'project_id', 'endpoint_id', null] as const).flatMap((column) =>
    [
      ...sampleDeliveryFilters,
      { ...emptyDeliveryFilter, success: false },
      { ...emptyDeliveryFilter, batchId: NIL_UUID, isSmallBatch: true },
    ].flatMap((filter) =>
      (['-created_at', 'next_attempt_at'] as const).map(
        (sort): [AccessScope, DeliveryFilter, DeliveryListScan] => {
          const after = isQueueSort(sort) ? `0|${NIL_UUID}` : NIL_UUID;
          return [accessScope, filter, { scope: { column, ids: [NIL_UUID] }, sort, after, limit: 1 }];
        },
      ),
    ),
  ),
);

/** Returns the matches among a scan's deliveries, and the last scanned position if the scan reached its limit. */
const scanDeliveries = dynamicStatement(
  { scannedTo: nullable(text), ...listedDeliveryRow },
  (accessScope: AccessScope, filter: DeliveryFilter, scan: DeliveryListScan, limit: number) => {
    const where = addDeliveryConditions(deliveriesWithin(accessScope), filter);
    const order = scanOrder(scan.sort);
    const matches = `
      SELECT d.* FROM scanned d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} ORDER BY ${order.scanned} LIMIT ${where.bind(limit + 1)}`;
    const page = `
      SELECT ${deliveryColumns}, d.attempt, d.last_http_status AS "lastHttpStatus", d.last_error AS "lastError",
        c.id AS "customerId", c.email AS "customerEmail"
      FROM (${matches}) d LEFT JOIN events e ON e.id = d.event_id LEFT JOIN customers c ON c.id = e.customer_id`;
    const rows = deliveryListSql(where, filter, scan);
    return { text: boundedScanSql(where, rows, page, scan.limit, order), values: where.values };
  },
  samples.map((sample) => [...sample, 1] as const),
);

const countDeliveries = cappedCount(
  (_accessScope, _filter, { limit }) => limit,
  (accessScope: AccessScope, filter: DeliveryFilter, scan: DeliveryListScan) => {
    const where = addDeliveryConditions(deliveriesWithin(accessScope), filter);
    const isMatch = where.sql || 'true';
    const rows = `(${deliveryListSql(where, filter, { ...scan, isOrdered: false })}) d JOIN webhook_endpoints w ON w.id = d.endpoint_id`;
    return { where, rows, isMatch };
  },
  samples,
);

/**
 * Maximum number of pending deliveries for a page with two scans. Each scan reads all pending deliveries. If there
 * are more, a single large scan takes less time.
 */
const BACKLOG = 5_000;

const readBacklog = statement(
  { isLarge: boolean },
  `SELECT count(*) > ${BACKLOG} AS "isLarge" FROM (
     SELECT FROM deliveries d WHERE d.state = 'pending' ORDER BY d.endpoint_id, d.event_id LIMIT ${BACKLOG + 1}
   ) pending`,
);

/** The delivery list. Each page scans a bounded number of rows, regardless of the filter. */
export class DeliverySearchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` deliveries within an access scope, in `sort` order. `next_attempt_at` only includes
   * deliveries that wait for an attempt.
   * @param after the previous page's last position
   */
  async listPage(
    accessScope: AccessScope,
    requestedFilter: DeliveryFilter,
    { sort, after, limit }: { sort: DeliverySort; after: string | null; limit: number },
  ): Promise<ScannedPage<ListedDelivery>> {
    const { filter, scope } = await this.prepare(accessScope, requestedFilter);
    if (scope.ids.length === 0) return { items: [], next: null };
    // The window applies to each owner's scan, so it is smaller for several owners.
    const maxWindow = Math.max(limit + 1, Math.ceil(PAGE_SCAN_LIMIT / scope.ids.length));
    const isSingle = !scansOnlyMatches(filter) && (await this.hasBacklog());
    return scanPage(
      isSingle ? [maxWindow] : [limit + 1, maxWindow],
      after,
      limit,
      (position, window) =>
        this.database.execute(
          scanDeliveries(accessScope, filter, { scope, sort, after: position, limit: window }, limit),
        ),
      (delivery) => (isQueueSort(sort) ? queuePosition(delivery) : delivery.id),
    );
  }

  /** Returns whether so many deliveries are pending that a page should scan them only once. */
  private async hasBacklog(): Promise<boolean> {
    const [row] = await this.database.execute(readBacklog);
    return row!.isLarge;
  }

  /** Counts the matching deliveries within an access scope in a bounded scan. */
  async count(
    accessScope: AccessScope,
    requestedFilter: DeliveryFilter,
    sort: DeliverySort,
  ): Promise<CappedCount> {
    const { filter, scope } = await this.prepare(accessScope, requestedFilter);
    if (scope.ids.length === 0) return { count: 0, isMore: false };
    const limit = scansOnlyMatches(filter) ? COUNT_CAP + 1 : COUNT_SCAN_LIMIT;
    const scan = { scope, sort, after: null, limit };
    return countDeliveries(this.database, accessScope, filter, scan);
  }

  /** Narrows a filter by its customers and batch, and determines the owners to scan. */
  private async prepare(
    accessScope: AccessScope,
    requestedFilter: DeliveryFilter,
  ): Promise<{ filter: DeliveryFilter; scope: OwnerScope }> {
    let filter = await detectLowVolumeCustomers(this.database, requestedFilter);
    if (filter.batchId && !filter.areLowVolume) {
      const located = await locateBatch(this.database, filter, filter.batchId);
      filter = { ...located.filter, isSmallBatch: located.isSmall };
    }
    const { column, ids } = await findAttemptScope(this.database, accessScope, {
      ...filter,
      deliveryId: null,
      eventId: null,
    });
    return { filter, scope: { column: column === 'delivery_id' ? null : column, ids } };
  }
}

/** Filter fields that every scanned delivery matches. */
const SCANNED_FIELDS: ReadonlySet<string> = new Set([
  ...['projectId', 'organizationId', 'endpointId', 'endpointIds', 'createdAfter', 'createdBefore', 'state'],
]);

/** Returns whether every scanned delivery matches the filter, in which case a count can stop at the cap. */
const scansOnlyMatches = (filter: DeliveryFilter): boolean =>
  filter.state !== 'succeeded' &&
  Object.entries(filter).every(([name, value]) => (value ?? null) === null || SCANNED_FIELDS.has(name));
