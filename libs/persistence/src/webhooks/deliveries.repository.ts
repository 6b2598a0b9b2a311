// Raw SQL: access scope conditions, locks on joined rows, and INSERT … SELECT.
import type {
  DeliveryCancelReason,
  DeliveryResolution,
  DeliveryState,
  EndpointStatus,
  AccessScope,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { isErased, visibleBody } from '../events/erasure-sql.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import {
  arrayOf,
  boolean,
  dynamicStatement,
  integer,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type Query,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { endpointNameByIdSql } from './endpoint-name-sql.js';

/** Row map for `deliveryColumns`. */
export const deliveryRow = {
  id: uuid,
  organizationId: uuid,
  projectId: nullable(uuid),
  eventId: uuid,
  eventType: text,
  endpointId: uuid,
  endpointName: text,
  targetUrl: text,
  state: textOf<DeliveryState>(),
  cancelReason: nullable(textOf<DeliveryCancelReason>()),
  resolution: nullable(textOf<DeliveryResolution>()),
  reason: nullable(text),
  resolvedBy: nullable(text),
  redeliveryOf: nullable(uuid),
  redeliveredAs: nullable(uuid),
  nextAttemptAt: nullable(timestamptz),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

export const deliveryColumns = `
  d.id, d.organization_id AS "organizationId", d.project_id AS "projectId", d.event_id AS "eventId", d.event_type AS "eventType",
  d.endpoint_id AS "endpointId", ${endpointNameByIdSql('d.endpoint_id')} AS "endpointName",
  d.target_url AS "targetUrl", d.state, d.resolution,
  CASE WHEN d.state = 'cancelled' THEN CASE WHEN d.withdrawn THEN 'customer_deleted' ELSE 'endpoint_inactive' END END AS "cancelReason",
  d.reason, d.resolved_by AS "resolvedBy", d.redelivery_of AS "redeliveryOf", d.redelivered_as AS "redeliveredAs",
  d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt", d.finished_at AS "finishedAt"`;

const detailedRow = {
  ...deliveryRow,
  endpointStatus: textOf<EndpointStatus>(),
  /** The endpoint's current custom header names. */
  headerNames: arrayOf(text),
  body: text,
  /** True if the event is about a deleted customer. */
  isErased: boolean,
};

/** A delivery of one event to one endpoint. */
export type DeliverySummary = RowOf<typeof deliveryRow>;

/** A delivery with its body and details of its endpoint. */
export type Delivery = RowOf<typeof detailedRow>;

/** Identifies a delivery by its own id or by an attempt's id. */
type DeliveryKey = { deliveryId: string } | { attemptId: string };

/**
 * Returns the conditions for deliveries within an access scope. A project key has access to deliveries to
 * project-level endpoints, but not to organization-level ones.
 */
export const deliveriesWithin = (accessScope: AccessScope): Conditions =>
  new Conditions()
    .addAccessScope('d', 'd.project_id', accessScope)
    .addIf(accessScope.projectId, (value) => `w.project_id = ${value}`);

const deliveryQuery = (accessScope: AccessScope, key: DeliveryKey, lock = ''): Query => {
  const where = deliveriesWithin(accessScope);
  if ('deliveryId' in key) where.add(`d.id = ${where.bind(key.deliveryId)}`);
  else where.add(`d.id = (SELECT delivery_id FROM attempts WHERE id = ${where.bind(key.attemptId)})`);
  const sql = `
    SELECT ${deliveryColumns}, w.status AS "endpointStatus", w.header_names AS "headerNames",
      ${visibleBody('e')} AS body, ${isErased('e')} AS "isErased"
    FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id
    WHERE ${where.sql} ${lock}`;
  return { text: sql, values: where.values };
};

const findDelivery = dynamicStatement(
  detailedRow,
  (accessScope: AccessScope, key: DeliveryKey) => deliveryQuery(accessScope, key),
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, { deliveryId: NIL_UUID }] as const,
    [accessScope, { attemptId: NIL_UUID }] as const,
  ]),
);

const lockDelivery = dynamicStatement(
  detailedRow,
  (accessScope: AccessScope, deliveryId: string) =>
    deliveryQuery(accessScope, { deliveryId }, 'FOR UPDATE OF d'),
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

const lockCustomer = statement(
  {},
  `SELECT FROM deliveries d JOIN events e ON e.id = d.event_id JOIN customers c ON c.id = e.customer_id
   WHERE d.id = $1 FOR KEY SHARE OF c`,
);

const insertRedelivery = statement(
  { id: uuid },
  `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
     next_attempt_at, redelivery_of)
   SELECT $2, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, w.url,
     now() + $3 * interval '1 ms', d.id
   FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1
   ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING RETURNING id`,
);

const resolveAsRedelivered = statement(
  {},
  `UPDATE deliveries SET redelivered_as = $2, reason = $3, resolved_by = $4,
     resolution = CASE WHEN state = 'failed' THEN 'redelivered' END
   WHERE id = $1`,
);

const discardDelivery = statement(
  {},
  `UPDATE deliveries SET resolution = 'discarded', reason = $2, resolved_by = $3 WHERE id = $1`,
);

const listEventDeliveries = dynamicStatement(
  deliveryRow,
  (accessScope: AccessScope, eventId: string, before: string | null, limit: number) => {
    const where = deliveriesWithin(accessScope).addIf(before, (value) => `d.id < ${value}`);
    where.add(`d.event_id = ${where.bind(eventId)}`);
    const sql = `
      SELECT ${deliveryColumns} FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID, NIL_UUID, 1] as const),
);

const countDeliveries = dynamicStatement(
  { count: integer },
  (accessScope: AccessScope, ids: string[]) => {
    const where = deliveriesWithin(accessScope);
    const sql = `
      SELECT count(*)::int AS count FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
      WHERE ${where.sql} AND d.id = ANY (${where.bind(ids)}::uuid[])`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, [NIL_UUID]] as const),
);

/** Delivery operations for the API and the console. */
export class DeliveriesRepository {
  /** Creates the repository. @param firstDelayMs delay before the first attempt in ms */
  constructor(
    private readonly database: Database,
    private readonly firstDelayMs: number,
  ) {}

  /** Returns a delivery within an access scope, or null. */
  async find(accessScope: AccessScope, key: DeliveryKey): Promise<Delivery | null> {
    const [delivery] = await this.database.execute(findDelivery(accessScope, key));
    return delivery ?? null;
  }

  /** Returns a delivery within an access scope, or null, and locks it until the transaction ends. */
  async lock(tx: Tx, accessScope: AccessScope, deliveryId: string): Promise<Delivery | null> {
    // Prevents deletion of the customer until this transaction ends. Locks the customer before the delivery, in the
    // same order as a deletion.
    await tx.execute(lockCustomer, [deliveryId]);
    const [delivery] = await tx.execute(lockDelivery(accessScope, deliveryId));
    return delivery ?? null;
  }

  /**
   * Creates a new delivery of the same event to the endpoint's current URL, and resolves the old one. The caller must
   * have locked the old delivery.
   * @returns false if another delivery of this event to this endpoint is pending
   */
  async redeliver(
    tx: Tx,
    old: Delivery,
    { newId, reason, by }: { newId: string; reason: string | null; by: string },
  ): Promise<boolean> {
    const created = await tx.execute(insertRedelivery, [old.id, newId, this.firstDelayMs]);
    if (created.length === 0) return false;
    await tx.execute(resolveAsRedelivered, [old.id, newId, reason, by]);
    tx.newDeliveries.push({ deliveryId: newId, endpointId: old.endpointId, projectId: old.projectId });
    return true;
  }

  /** Discards a dead letter. The caller must have locked it. */
  async discard(tx: Tx, { id }: Delivery, reason: string, by: string): Promise<void> {
    await tx.execute(discardDelivery, [id, reason, by]);
  }

  /**
   * Returns up to `limit` of an event's deliveries, newest first.
   * @param before the previous page's last id
   */
  listForEvent(
    accessScope: AccessScope,
    eventId: string,
    before: string | null,
    limit: number,
  ): Promise<DeliverySummary[]> {
    return this.database.execute(listEventDeliveries(accessScope, eventId, before, limit));
  }

  /** Counts the given deliveries that are within an access scope. */
  async count(accessScope: AccessScope, ids: string[]): Promise<number> {
    const [row] = await this.database.execute(countDeliveries(accessScope, ids));
    return row!.count;
  }
}
