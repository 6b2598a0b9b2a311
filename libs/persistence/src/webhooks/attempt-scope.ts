import type { AttemptError, DeliveryState, Reach } from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import { Conditions, organizationsWithin } from '../conditions.js';
import type { Database } from '../database.js';
import { MAX_CLOCK_SKEW_MS, minIdAt, NIL_UUID, type IdRange } from '../uuid-v7.js';
import { DAY_MS } from './attempt-partitions.js';
import { deliveriesWithin } from './deliveries.repository.js';

export interface AttemptFilter {
  projectId: string | null;
  endpointId: string | null;
  eventType: string | null;
  eventId: string | null;
  deliveryId: string | null;
  deliveryState: DeliveryState | null;
  success: boolean | null;
  httpStatus: number | null;
  /** First and last HTTP status of a class; [0, 0] for attempts without a response. */
  httpStatusRange: [number, number] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  // Filters for operators only:
  /** Number of the attempt within its delivery. */
  attempt?: number | null;
  /** Error of the attempt. */
  error?: AttemptError | null;
  /** The bulk redelivery that created the delivery. */
  batchId?: string | null;
  attemptId?: string | null;
  /** Any of these endpoints, or all endpoints whose URL begins with a text. */
  endpointIds?: string[] | null;
  endpointUrl?: string | null;
  /** Events about any of these customers. */
  customerIds?: string[] | null;
  /** True if there are few events about them: see `detectLowVolumeCustomers`. */
  areLowVolume?: boolean;
}

/** The part of the log that a list scans: the first column of the index, and the range of ids. */
export interface AttemptScope extends IdRange {
  column: 'organization_id' | 'project_id' | 'endpoint_id' | 'delivery_id' | null;
  /**
   * Empty if the filter names nothing within the reach. One id with any value for the complete log (null).
   */
  ids: string[];
}

/**
 * Maximum time between the generation of an attempt's id by a worker and its `started_at` from the database.
 */
const MAX_CLAIM_MS = 10_000;

/**
 * Maximum time by which the clock of a worker may be ahead of the database's. Not longer, because a page
 * first scans all attempts that started in this time.
 */
const MAX_WORKER_CLOCK_LEAD_MS = 1_000;

/** Returns the range of ids that attempts of a delivery can have. */
export const attemptIdRange = (delivery: { createdAt: Date; finishedAt: Date | null }): IdRange => ({
  from: minIdAt(delivery.createdAt.getTime() - MAX_CLOCK_SKEW_MS),
  to: minIdAt((delivery.finishedAt ?? now()).getTime() + MAX_CLOCK_SKEW_MS),
});

/** Returns the smallest part of the log that contains every match within a reach. */
export async function findAttemptScope(
  database: Database,
  reach: Reach,
  filter: AttemptFilter,
): Promise<AttemptScope> {
  const { createdAfter, createdBefore } = filter;
  const range: IdRange = {
    from: createdAfter ? minIdAt(createdAfter.getTime() - MAX_CLAIM_MS) : NIL_UUID,
    to: minIdAt(
      createdBefore ? createdBefore.getTime() + MAX_WORKER_CLOCK_LEAD_MS : now().getTime() + DAY_MS,
    ),
  };
  if (filter.deliveryId !== null || filter.eventId !== null) {
    return findDeliveriesScope(database, reach, filter, range);
  }
  const rows = async (sql: string, values: unknown[]): Promise<string[]> =>
    (await database.query<{ id: string }>(sql, values)).map(({ id }) => id);
  const endpointIds = filter.endpointId === null ? filter.endpointIds : [filter.endpointId];
  if (endpointIds) {
    // Includes deleted endpoints: their attempts stay in the log.
    const where = new Conditions().addReach('w', 'w.project_id', reach);
    where.add(`w.id = ANY (${where.bind(endpointIds)}::uuid[])`);
    const ids = await rows(`SELECT w.id FROM webhook_endpoints w WHERE ${where.sql}`, where.values);
    return { ...range, column: 'endpoint_id', ids };
  }
  if (reach.projectId) {
    const isForeign = filter.projectId !== null && filter.projectId !== reach.projectId;
    return { ...range, column: 'project_id', ids: isForeign ? [] : [reach.projectId] };
  }
  if (!reach.organizationId && filter.projectId === null) return { ...range, column: null, ids: [NIL_UUID] };
  const own = `SELECT o.id FROM organizations o WHERE ${organizationsWithin('$1')}`;
  if (filter.projectId !== null) {
    const project = `SELECT p.id FROM projects p WHERE p.id = $2 AND p.organization_id IN (${own})`;
    const ids = await rows(project, [reach.organizationId, filter.projectId]);
    return { ...range, column: 'project_id', ids };
  }
  return { ...range, column: 'organization_id', ids: await rows(own, [reach.organizationId]) };
}

/** Returns the scope of the attempts of one delivery, or of all deliveries of one event. */
async function findDeliveriesScope(
  database: Database,
  reach: Reach,
  { deliveryId, eventId }: AttemptFilter,
  range: IdRange,
): Promise<AttemptScope> {
  const where = deliveriesWithin(reach)
    .addIf(deliveryId, (value) => `d.id = ${value}`)
    .addIf(eventId, (value) => `d.event_id = ${value}`);
  const deliveries = await database.query<{ id: string; createdAt: Date; finishedAt: Date | null }>(
    `SELECT d.id, d.created_at AS "createdAt", d.finished_at AS "finishedAt"
     FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE ${where.sql}`,
    where.values,
  );
  const ranges = deliveries.map(attemptIdRange);
  const first = ranges.map(({ from }) => from).sort()[0] ?? range.from;
  const last =
    ranges
      .map(({ to }) => to)
      .sort()
      .at(-1) ?? range.to;
  return {
    column: 'delivery_id',
    ids: deliveries.map(({ id }) => id),
    from: first > range.from ? first : range.from,
    to: last < range.to ? last : range.to,
  };
}
