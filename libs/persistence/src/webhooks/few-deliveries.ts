import type { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import type { AttemptFilter } from './attempt-scope.js';
import { deliveriesAbout, knowingCustomers, MOST_DELIVERIES } from './quiet-customers.js';

/** A batch of so many is looked at delivery by delivery; of more, its attempts stand close together in the log. */
const MOST_OF_BATCH = 1_000;

/** Endpoints of a batch that are walked one by one; of more, the whole log is. */
const MOST_ENDPOINTS = 20;

/** Of the times of a batch, which are rounded to ms, and of the attempts in it. */
const ROUNDING_MS = 1_000;

/** SQL for the deliveries of a batch; in the order of their index, so that it is walked. */
const deliveriesOfBatch = (batchId: string): string =>
  `SELECT d.* FROM deliveries d WHERE d.batch_id = ${batchId} ORDER BY d.state LIMIT ${MOST_DELIVERIES + 1}`;

/** How the matches of a filter are best looked for. */
export interface Source {
  filter: AttemptFilter;
  /** SQL for the few deliveries that have them; null: they are looked for in the log itself. */
  deliveries: ((where: Conditions) => string) | null;
}

/** Finds out whether few deliveries have what a filter matches, and else when and where it can be in the log. */
export async function sourceOf(database: Database, asked: AttemptFilter): Promise<Source> {
  if (asked.deliveryId !== null || asked.eventId !== null) return { filter: asked, deliveries: null };
  const filter = await knowingCustomers(database, asked);
  const { customerIds, areQuiet, batchId } = filter;
  if (customerIds && areQuiet) {
    const rest = { ...filter, customerIds: null };
    return { filter: rest, deliveries: (where) => deliveriesAbout(where.value(customerIds)) };
  }
  if (!batchId) return { filter, deliveries: null };
  const [batch] = await database.query<BatchSpan>(
    `SELECT made, endpoint_ids AS "endpointIds", started_at AS "startedAt", finished_at AS "finishedAt"
     FROM redelivery_batches WHERE id = $1`,
    [batchId],
  );
  if (batch && batch.made > MOST_OF_BATCH) return { filter: withinSpan(filter, batch), deliveries: null };
  // Of one that is forgotten only dead letters are left.
  if (!batch && (await hasMany(database, batchId))) return { filter, deliveries: null };
  return { filter, deliveries: (where) => deliveriesOfBatch(where.value(batchId)) };
}

/** Whether more deliveries of a batch are left than are looked at one by one. */
async function hasMany(database: Database, batchId: string): Promise<boolean> {
  const [left] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${deliveriesOfBatch('$1')}) d`,
    [batchId],
  );
  return left!.count > MOST_DELIVERIES;
}

interface BatchSpan {
  made: number;
  endpointIds: string[];
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** The same filter, with when the attempts of a batch were, and if these are few at which endpoints. */
function withinSpan(filter: AttemptFilter, { startedAt, finishedAt, endpointIds }: BatchSpan): AttemptFilter {
  const from = startedAt && new Date(startedAt.getTime() - ROUNDING_MS);
  const to = finishedAt && new Date(finishedAt.getTime() + ROUNDING_MS);
  const { createdAfter, createdBefore } = filter;
  return {
    ...filter,
    createdAfter: from && createdAfter && createdAfter > from ? createdAfter : (from ?? createdAfter),
    createdBefore: to && createdBefore && createdBefore < to ? createdBefore : (to ?? createdBefore),
    endpointIds: filter.endpointIds ?? (endpointIds.length <= MOST_ENDPOINTS ? endpointIds : null),
  };
}
