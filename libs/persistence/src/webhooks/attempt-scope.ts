// Raw SQL: access scope conditions.
import {
  ALL_CUSTOM_EVENTS,
  statusRanges,
  type AttemptError,
  type DeliveryState,
  type AccessScope,
} from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import {
  Conditions,
  organizationIdsSql,
  organizationWithinSql,
  sampleAccessScopes,
} from '../sql/conditions.js';
import { dynamicStatement, nullable, timestamptz, uuid } from '../sql/statements.js';
import { MAX_CLOCK_SKEW_MS, minIdAt, NIL_UUID, type IdRange } from '../sql/uuid-v7.js';
import { DAY_MS } from './attempt-partitions.js';
import { deliveriesWithin } from './deliveries.repository.js';
import type { HttpStatusFilter } from './http-status-condition.js';

export interface AttemptFilter extends HttpStatusFilter {
  projectId: string | null;
  endpointId: string | null;
  /** `app.*` matches all custom types. */
  eventType: string | null;
  eventId: string | null;
  deliveryId: string | null;
  deliveryState: DeliveryState | null;
  success: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  // Filters for operators only:
  organizationId?: string | null;
  /** Number of the attempt within its delivery. */
  attempt?: number | null;
  error?: AttemptError | null;
  /** Bulk redelivery that created the delivery. */
  batchId?: string | null;
  attemptId?: string | null;
  /**
   * Matches any endpoint in this list. `endpointUrl` matches the start of the URL, `endpointName` part of the name.
   */
  endpointIds?: string[] | null;
  endpointUrl?: string | null;
  endpointName?: string | null;
  /** Matches events about any customer in this list. */
  customerIds?: string[] | null;
  /** True if there are few events about these customers: see `detectLowVolumeCustomers`. */
  areLowVolume?: boolean;
}

const noFilter: AttemptFilter = {
  projectId: null,
  endpointId: null,
  eventType: null,
  eventId: null,
  deliveryId: null,
  deliveryState: null,
  success: null,
  httpStatus: null,
  httpStatusRanges: null,
  createdAfter: null,
  createdBefore: null,
};

/** Filters that together produce every variant of the statements on the log. */
export const sampleAttemptFilters: AttemptFilter[] = [
  noFilter,
  { ...noFilter, success: false, eventType: ALL_CUSTOM_EVENTS },
  {
    projectId: NIL_UUID,
    organizationId: NIL_UUID,
    endpointId: NIL_UUID,
    eventType: 'customer.created',
    eventId: NIL_UUID,
    deliveryId: NIL_UUID,
    deliveryState: 'succeeded',
    success: true,
    httpStatus: 200,
    httpStatusRanges: statusRanges.other,
    createdAfter: new Date(0),
    createdBefore: new Date(0),
    attempt: 1,
    error: 'timeout',
    batchId: NIL_UUID,
    attemptId: NIL_UUID,
    endpointIds: [NIL_UUID],
    endpointUrl: 'https://',
    endpointName: 'a',
    customerIds: [NIL_UUID],
  },
];

/** Owners whose attempts or deliveries a list scans: an index's first column with its values. */
export interface OwnerScope {
  column: 'organization_id' | 'project_id' | 'endpoint_id' | null;
  /** Empty if nothing in the filter is within the access scope. A single arbitrary id if `column` is null. */
  ids: string[];
}

/** The part of the log that a list scans: an index's first column with its values, and an id range. */
export interface AttemptScope extends IdRange {
  column: OwnerScope['column'] | 'delivery_id';
  ids: string[];
}

/** Filter fields that determine the scope. */
type ScopeFilter = Pick<
  AttemptFilter,
  | 'projectId'
  | 'organizationId'
  | 'endpointId'
  | 'endpointIds'
  | 'eventId'
  | 'deliveryId'
  | 'createdAfter'
  | 'createdBefore'
>;

/** Maximum time in ms from when a worker generates an attempt id to `started_at`, which the database sets. */
const MAX_CLAIM_MS = 10_000;

/**
 * Maximum time in ms by which a worker's clock may be ahead of the database clock. It is short, because a page first
 * scans all attempts that started within this time.
 */
const MAX_WORKER_CLOCK_LEAD_MS = 1_000;

/** Returns the range that contains a delivery's attempt ids. */
export const attemptIdRange = (delivery: { createdAt: Date; finishedAt: Date | null }): IdRange => ({
  from: minIdAt(delivery.createdAt.getTime() - MAX_CLOCK_SKEW_MS),
  to: minIdAt((delivery.finishedAt ?? now()).getTime() + MAX_CLOCK_SKEW_MS),
});

/** Includes deleted endpoints, because their attempts stay in the log. */
const findEndpoints = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, ids: string[]) => {
    const where = new Conditions().addAccessScope('w', 'w.project_id', accessScope);
    where.add(`w.id = ANY (${where.bind(ids)}::uuid[])`);
    return { text: `SELECT w.id FROM webhook_endpoints w WHERE ${where.sql}`, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, [NIL_UUID]] as const),
);

/**
 * Like `findProject`, this statement is not prepared, because a generic plan cannot use an index for
 * `organizationsWithin`.
 */
const findOrganizations = dynamicStatement(
  { id: uuid },
  (organizationIds: AccessScope['organizationIds']) => ({
    text: organizationIdsSql('$1'),
    values: [organizationIds],
  }),
  [[[NIL_UUID]]],
);

const findOrganization = dynamicStatement(
  { id: uuid },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions();
    return { text: organizationWithinSql(where, accessScope, id), values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

const findProject = dynamicStatement(
  { id: uuid },
  (organizationIds: AccessScope['organizationIds'], projectId: string) => ({
    text: `SELECT p.id FROM projects p WHERE p.id = $2 AND p.organization_id IN (${organizationIdsSql('$1')})`,
    values: [organizationIds, projectId],
  }),
  [[[NIL_UUID], NIL_UUID]],
);

const findDeliveries = dynamicStatement(
  { id: uuid, createdAt: timestamptz, finishedAt: nullable(timestamptz) },
  (accessScope: AccessScope, { deliveryId, eventId }: Pick<AttemptFilter, 'deliveryId' | 'eventId'>) => {
    const where = deliveriesWithin(accessScope)
      .addIf(deliveryId, (value) => `d.id = ${value}`)
      .addIf(eventId, (value) => `d.event_id = ${value}`);
    const sql = `
      SELECT d.id, d.created_at AS "createdAt", d.finished_at AS "finishedAt"
      FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE ${where.sql}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map(
    (accessScope) => [accessScope, { deliveryId: NIL_UUID, eventId: NIL_UUID }] as const,
  ),
);

/** Returns the smallest part of the log that contains all matches within an access scope. */
export async function findAttemptScope(
  database: Database,
  accessScope: AccessScope,
  filter: ScopeFilter,
): Promise<AttemptScope> {
  const { createdAfter, createdBefore } = filter;
  const range: IdRange = {
    from: createdAfter ? minIdAt(createdAfter.getTime() - MAX_CLAIM_MS) : NIL_UUID,
    to: minIdAt(
      createdBefore ? createdBefore.getTime() + MAX_WORKER_CLOCK_LEAD_MS : now().getTime() + DAY_MS,
    ),
  };
  if (filter.deliveryId !== null || filter.eventId !== null) {
    return findDeliveriesScope(database, accessScope, filter, range);
  }
  const readIds = async (rows: Promise<{ id: string }[]>): Promise<string[]> =>
    (await rows).map(({ id }) => id);
  const endpointIds = filter.endpointId === null ? filter.endpointIds : [filter.endpointId];
  if (endpointIds) {
    const ids = await readIds(database.execute(findEndpoints(accessScope, endpointIds)));
    return { ...range, column: 'endpoint_id', ids };
  }
  if (accessScope.projectId) {
    const isForeign = filter.projectId !== null && filter.projectId !== accessScope.projectId;
    return { ...range, column: 'project_id', ids: isForeign ? [] : [accessScope.projectId] };
  }
  if (filter.organizationId && filter.projectId === null) {
    const ids = await readIds(database.execute(findOrganization(accessScope, filter.organizationId)));
    return { ...range, column: 'organization_id', ids };
  }
  const { organizationIds } = accessScope;
  if (!organizationIds && filter.projectId === null) return { ...range, column: null, ids: [NIL_UUID] };
  if (filter.projectId !== null) {
    const ids = await readIds(database.execute(findProject(organizationIds, filter.projectId)));
    return { ...range, column: 'project_id', ids };
  }
  const ids = await readIds(database.execute(findOrganizations(organizationIds)));
  return { ...range, column: 'organization_id', ids };
}

/** Returns the scope for a delivery's attempts, or for all attempts to deliver an event. */
async function findDeliveriesScope(
  database: Database,
  accessScope: AccessScope,
  filter: ScopeFilter,
  range: IdRange,
): Promise<AttemptScope> {
  const deliveries = await database.execute(findDeliveries(accessScope, filter));
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
