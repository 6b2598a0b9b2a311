import type { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import type { AttemptFilter } from './attempt-scope.js';
import {
  customerDeliveriesSql,
  detectLowVolumeCustomers,
  MAX_LISTED_DELIVERIES,
} from './low-volume-customers.js';

/** A batch of so many is looked at delivery by delivery; of more, its attempts stand close together in the log. */
const MAX_LISTED_BATCH_SIZE = 1_000;

/** Endpoints of a batch that are walked one by one; of more, the whole log is. */
const MAX_ENDPOINTS = 20;

/** Of the times of a batch, which are rounded to ms, and of the attempts in it. */
const ROUNDING_MS = 1_000;

/** SQL for the deliveries of a batch; in the order of their index, so that it is walked. */
const batchDeliveriesSql = (batchId: string): string =>
  `SELECT d.* FROM deliveries d WHERE d.batch_id = ${batchId} ORDER BY d.state LIMIT ${MAX_LISTED_DELIVERIES + 1}`;

/** How the matches of a filter are best looked for. */
export interface AttemptSource {
  filter: AttemptFilter;
  /** SQL for the few deliveries that have them; null: they are looked for in the log itself. */
  deliveries: ((where: Conditions) => string) | null;
}

/** Finds out whether few deliveries have what a filter matches, and else when and where it can be in the log. */
export async function findAttemptSource(database: Database, asked: AttemptFilter): Promise<AttemptSource> {
  if (asked.deliveryId !== null || asked.eventId !== null) return { filter: asked, deliveries: null };
  const filter = await detectLowVolumeCustomers(database, asked);
  const { customerIds, areLowVolume, batchId } = filter;
  if (customerIds && areLowVolume) {
    const rest = { ...filter, customerIds: null };
    return { filter: rest, deliveries: (where) => customerDeliveriesSql(where.bind(customerIds)) };
  }
  if (!batchId) return { filter, deliveries: null };
  const [batch] = await database.query<BatchSpan>(
    `SELECT made, endpoint_ids AS "endpointIds", started_at AS "startedAt", finished_at AS "finishedAt"
     FROM redelivery_batches WHERE id = $1`,
    [batchId],
  );
  if (batch && batch.made > MAX_LISTED_BATCH_SIZE)
    return { filter: narrowToBatch(filter, batch), deliveries: null };
  // Of one that is forgotten only dead letters are left.
  if (!batch && (await hasTooManyDeliveries(database, batchId))) return { filter, deliveries: null };
  return { filter, deliveries: (where) => batchDeliveriesSql(where.bind(batchId)) };
}

/** Whether more deliveries of a batch are left than are looked at one by one. */
async function hasTooManyDeliveries(database: Database, batchId: string): Promise<boolean> {
  const [left] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${batchDeliveriesSql('$1')}) d`,
    [batchId],
  );
  return left!.count > MAX_LISTED_DELIVERIES;
}

interface BatchSpan {
  made: number;
  endpointIds: string[];
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** The same filter, with when the attempts of a batch were, and if these are few at which endpoints. */
function narrowToBatch(
  filter: AttemptFilter,
  { startedAt, finishedAt, endpointIds }: BatchSpan,
): AttemptFilter {
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
