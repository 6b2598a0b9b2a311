// Raw SQL: a count that stops at a limit.
import type { Database } from '../database/database.js';
import type { Conditions } from '../sql/conditions.js';
import { dynamicStatement, integer } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { sampleAttemptFilters, type AttemptFilter } from './attempt-scope.js';
import {
  customerDeliveriesSql,
  detectLowVolumeCustomers,
  MAX_LISTED_DELIVERIES,
} from './low-volume-customers.js';
import { RedeliveryBatchEntity } from './redelivery-batch.entity.js';

/**
 * Maximum size of a batch whose attempts are read by delivery. A larger batch's attempts are close together in the
 * log.
 */
const MAX_LISTED_BATCH_SIZE = 1_000;

/** Maximum number of endpoints in a batch that are scanned one at a time. With more, the whole log is scanned. */
const MAX_ENDPOINTS = 20;

/** Margin in ms for the times of a batch and its attempts, which are rounded. */
const ROUNDING_MS = 1_000;

/** The source of a filter's matches. */
export interface AttemptSource {
  filter: AttemptFilter;
  /** SQL for the deliveries that the matches belong to, if there are few; null to search the log itself. */
  deliveries: ((where: Conditions) => string) | null;
}

/** Returns SQL for a small batch's deliveries, in index order, so that PostgreSQL uses the index. */
export const batchDeliveriesSql = (batchId: string): string =>
  `SELECT d.* FROM deliveries d WHERE d.batch_id = ${batchId} ORDER BY d.state LIMIT ${MAX_LISTED_DELIVERIES + 1}`;

const createCustomerSource = (filter: AttemptFilter, customerIds: string[]) => ({
  filter: { ...filter, customerIds: null },
  deliveries: (where: Conditions): string => customerDeliveriesSql(where.bind(customerIds)),
});

const createBatchSource = (filter: AttemptFilter, batchId: string) => ({
  filter,
  deliveries: (where: Conditions): string => batchDeliveriesSql(where.bind(batchId)),
});

/** Sources with few deliveries, one of each kind, for use as samples in dynamic statements. */
export const sampleDeliverySources = sampleAttemptFilters.flatMap((filter) => [
  createCustomerSource(filter, [NIL_UUID]),
  createBatchSource(filter, NIL_UUID),
]);

/** The statement is not prepared, because the plan depends on the batch size. */
const countBatchDeliveries = dynamicStatement(
  { count: integer },
  (batchId: string) => ({
    text: `SELECT count(*)::int AS count FROM (${batchDeliveriesSql('$1')}) d`,
    values: [batchId],
  }),
  [[NIL_UUID]],
);

/** Filter fields that can be narrowed to a batch. */
interface BatchConditions {
  createdAfter: Date | null;
  createdBefore: Date | null;
  batchId?: string | null;
  endpointIds?: string[] | null;
}

/**
 * Returns whether the batch in a filter has few deliveries. Otherwise, narrows the filter to the batch's times and,
 * if there are few, its endpoints.
 */
export async function locateBatch<Filter extends BatchConditions>(
  database: Database,
  filter: Filter,
  batchId: string,
): Promise<{ filter: Filter; isSmall: boolean }> {
  const batch = await database.read((manager) => manager.findOneBy(RedeliveryBatchEntity, { id: batchId }));
  if (batch && batch.created > MAX_LISTED_BATCH_SIZE)
    return { filter: narrowToBatch(filter, batch), isSmall: false };
  // If retention has removed the batch, only its dead letters are left.
  return { filter, isSmall: batch !== null || !(await hasTooManyDeliveries(database, batchId)) };
}

/**
 * Finds the deliveries that contain all of a filter's matches, if there are few. Otherwise, narrows the filter by
 * time and endpoints.
 */
export async function findAttemptSource(
  database: Database,
  requestedFilter: AttemptFilter,
): Promise<AttemptSource> {
  if (requestedFilter.deliveryId !== null || requestedFilter.eventId !== null)
    return { filter: requestedFilter, deliveries: null };
  const filter = await detectLowVolumeCustomers(database, requestedFilter);
  const { customerIds, areLowVolume, batchId } = filter;
  if (customerIds && areLowVolume) return createCustomerSource(filter, customerIds);
  if (!batchId) return { filter, deliveries: null };
  const located = await locateBatch(database, filter, batchId);
  return located.isSmall ? createBatchSource(filter, batchId) : { filter: located.filter, deliveries: null };
}

/** Returns whether a batch has more deliveries left than can be read one at a time. */
async function hasTooManyDeliveries(database: Database, batchId: string): Promise<boolean> {
  const [row] = await database.execute(countBatchDeliveries(batchId));
  return row!.count > MAX_LISTED_DELIVERIES;
}

/** Narrows a filter to a batch's times and, if there are few, its endpoints. */
function narrowToBatch<Filter extends BatchConditions>(
  filter: Filter,
  { startedAt, finishedAt, endpointIds }: RedeliveryBatchEntity,
): Filter {
  const from = startedAt && new Date(startedAt.getTime() - ROUNDING_MS);
  const to = finishedAt && new Date(finishedAt.getTime() + ROUNDING_MS);
  const { createdAfter, createdBefore } = filter;
  return {
    ...filter,
    createdAfter: from && createdAfter && createdAfter > from ? createdAfter : (from ?? createdAfter),
    createdBefore: to && createdBefore && createdBefore < to ? createdBefore : (to ?? createdBefore),
    endpointIds: filter.endpointIds ?? (endpointIds.length <= MAX_ENDPOINTS ? endpointIds : null),
  };
}
