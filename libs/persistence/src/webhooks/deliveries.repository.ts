import type { DeliveryResolution, DeliveryState, EndpointStatus, Reach } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import { isErased, visibleBody } from '../customers/erasure-sql.js';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';

/** A delivery of one event to one endpoint. */
export interface DeliverySummary {
  id: string;
  organizationId: string;
  projectId: string | null;
  eventId: string;
  eventType: string;
  endpointId: string;
  targetUrl: string;
  state: DeliveryState;
  resolution: DeliveryResolution | null;
  reason: string | null;
  resolvedBy: string | null;
  redeliveryOf: string | null;
  redeliveredAs: string | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** A delivery with the body and the endpoint. */
export interface Delivery extends DeliverySummary {
  endpointStatus: EndpointStatus;
  /** Names of the endpoint's current custom headers. */
  headerNames: string[];
  body: string;
  /** True if the event is about a deleted customer. */
  isErased: boolean;
}

export const deliveryColumns = `
  d.id, d.organization_id AS "organizationId", d.project_id AS "projectId", d.event_id AS "eventId", d.event_type AS "eventType",
  d.endpoint_id AS "endpointId", d.target_url AS "targetUrl", d.state, d.resolution,
  d.reason, d.resolved_by AS "resolvedBy", d.redelivery_of AS "redeliveryOf", d.redelivered_as AS "redeliveredAs",
  d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt", d.finished_at AS "finishedAt"`;

const columns = `${deliveryColumns},
  w.status AS "endpointStatus",
  w.header_names AS "headerNames", ${visibleBody('e')} AS body, ${isErased('e')} AS "isErased"`;

const from = `deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id`;

/**
 * Returns the conditions for deliveries within a reach. A project key sees those to the endpoints of its own
 * project, not those to endpoints of the organization.
 */
export const deliveriesWithin = (reach: Reach): Conditions =>
  new Conditions()
    .addReach('d', 'd.project_id', reach)
    .addIf(reach.projectId, (value) => `w.project_id = ${value}`);

/** Deliveries for the API and the console. */
export class DeliveriesRepository {
  /** Creates the repository. @param firstDelayMs delay before the first attempt */
  constructor(
    private readonly database: Database,
    private readonly firstDelayMs: number,
  ) {}

  /** Returns a delivery within a reach, by its id or by the id of one of its attempts. */
  async find(reach: Reach, id: { deliveryId: string } | { attemptId: string }): Promise<Delivery | null> {
    const where = deliveriesWithin(reach);
    if ('deliveryId' in id) where.add(`d.id = ${where.bind(id.deliveryId)}`);
    else where.add(`d.id = (SELECT delivery_id FROM attempts WHERE id = ${where.bind(id.attemptId)})`);
    return this.findOne(this.database, where, '');
  }

  /** Returns a delivery within a reach and locks it until the transaction ends. */
  async lock(tx: Tx, reach: Reach, deliveryId: string): Promise<Delivery | null> {
    // Locks the customer first, like the deletion of a customer: the customer cannot be deleted until this
    // transaction ends.
    await tx.query(
      `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id JOIN customers c ON c.id = e.customer_id
       WHERE d.id = $1 FOR KEY SHARE OF c`,
      [deliveryId],
    );
    const where = deliveriesWithin(reach);
    where.add(`d.id = ${where.bind(deliveryId)}`);
    return this.findOne(tx, where, 'FOR UPDATE OF d');
  }

  /**
   * Creates a new delivery of the same event to the endpoint's current URL and resolves the old one. The
   * caller has locked the old delivery.
   * @returns false if another delivery of this event to this endpoint is pending
   */
  async redeliver(
    tx: Tx,
    old: Delivery,
    change: { newId: string; reason: string | null; by: string },
  ): Promise<boolean> {
    const created = await tx.query(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
         next_attempt_at, redelivery_of)
       SELECT $2, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, w.url,
         now() + $3 * interval '1 ms', d.id
       FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1
       ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING RETURNING id`,
      [old.id, change.newId, this.firstDelayMs],
    );
    if (created.length === 0) return false;
    await tx.query(
      `UPDATE deliveries SET redelivered_as = $2, reason = $3, resolved_by = $4,
         resolution = CASE WHEN state = 'failed' THEN 'redelivered' END
       WHERE id = $1`,
      [old.id, change.newId, change.reason, change.by],
    );
    tx.newDeliveries.push({ deliveryId: change.newId, endpointId: old.endpointId, projectId: old.projectId });
    return true;
  }

  /** Discards a dead letter. The caller has locked it. */
  async discard(tx: Tx, { id }: Delivery, reason: string, by: string): Promise<void> {
    await tx.query(
      `UPDATE deliveries SET resolution = 'discarded', reason = $2, resolved_by = $3 WHERE id = $1`,
      [id, reason, by],
    );
  }

  /**
   * Returns up to `limit` deliveries of an event, newest first.
   * @param before last id of the previous page
   */
  async listForEvent(
    reach: Reach,
    eventId: string,
    before: string | null,
    limit: number,
  ): Promise<DeliverySummary[]> {
    const where = deliveriesWithin(reach).addIf(before, (value) => `d.id < ${value}`);
    where.add(`d.event_id = ${where.bind(eventId)}`);
    return this.database.query<DeliverySummary>(
      `SELECT ${deliveryColumns} FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
       WHERE ${where.sql} ORDER BY d.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** Returns the number of these deliveries that are within a reach. */
  async count(reach: Reach, ids: string[]): Promise<number> {
    const where = deliveriesWithin(reach);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
       WHERE ${where.sql} AND d.id = ANY (${where.bind(ids)}::uuid[])`,
      where.values,
    );
    return row!.count;
  }

  private async findOne(sql: Sql, where: Conditions, suffix: string): Promise<Delivery | null> {
    const [row] = await sql.query<Delivery>(
      `SELECT ${columns} FROM ${from} WHERE ${where.sql} ${suffix}`,
      where.values,
    );
    return row ?? null;
  }
}
