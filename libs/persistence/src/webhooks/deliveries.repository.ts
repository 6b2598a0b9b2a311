import type { DeliveryResolution, DeliveryState, Reach } from '#domain';
import { Conditions } from '../conditions.js';
import { isErased, shownBody } from '../customers/erased.js';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';
import type { EndpointStatus } from './webhook-endpoint.entity.js';

/** One event on its way to one endpoint. */
export interface Delivery {
  id: string;
  organizationId: string;
  projectId: string | null;
  eventId: string;
  eventType: string;
  endpointId: string;
  endpointStatus: EndpointStatus;
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
  body: string;
  /** The event was about a customer who has been deleted. */
  isErased: boolean;
}

const columns = `
  d.id, d.organization_id AS "organizationId", d.project_id AS "projectId", d.event_id AS "eventId", d.event_type AS "eventType",
  d.endpoint_id AS "endpointId", w.status AS "endpointStatus", d.target_url AS "targetUrl", d.state, d.resolution,
  d.reason, d.resolved_by AS "resolvedBy", d.redelivery_of AS "redeliveryOf", d.redelivered_as AS "redeliveredAs",
  d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt", d.finished_at AS "finishedAt",
  ${shownBody('e')} AS body, ${isErased('e')} AS "isErased"`;

const from = `deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id JOIN events e ON e.id = d.event_id`;

/** A project key sees what goes to its project's own endpoints, not what an organization endpoint hears of it. */
const within = (reach: Reach): Conditions =>
  new Conditions()
    .reach('d', 'd.project_id', reach)
    .addIf(reach.projectId, (value) => `w.project_id = ${value}`);

/** The readers' and operators' side of deliveries. */
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** A delivery within a reach, by its own id or by that of one of its attempts. */
  async find(reach: Reach, id: { deliveryId: string } | { attemptId: string }): Promise<Delivery | null> {
    const where = within(reach);
    if ('deliveryId' in id) where.add(`d.id = ${where.value(id.deliveryId)}`);
    else where.add(`d.id = (SELECT delivery_id FROM attempts WHERE id = ${where.value(id.attemptId)})`);
    return this.findOne(this.database, where, '');
  }

  /** The same, locked until the transaction ends. */
  async lock(tx: Tx, reach: Reach, deliveryId: string): Promise<Delivery | null> {
    // The customer first, as their deletion does: until this transaction ends they cannot go.
    await tx.query(
      `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id JOIN customers c ON c.id = e.customer_id
       WHERE d.id = $1 FOR KEY SHARE OF c`,
      [deliveryId],
    );
    const where = within(reach);
    where.add(`d.id = ${where.value(deliveryId)}`);
    return this.findOne(tx, where, 'FOR UPDATE OF d');
  }

  /**
   * Makes a new delivery of the same event to the endpoint's current URL and closes the old one's chapter.
   * The caller holds the lock on the old one.
   * @returns false when another delivery of this event to this endpoint is pending
   */
  async redeliver(
    tx: Tx,
    old: Delivery,
    change: { newId: string; reason: string | null; by: string },
  ): Promise<boolean> {
    const made = await tx.query(
      `INSERT INTO deliveries (id, organization_id, project_id, event_id, event_type, endpoint_id, target_url,
         next_attempt_at, redelivery_of)
       SELECT $2, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, w.url, now(), d.id
       FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1
       ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING RETURNING id`,
      [old.id, change.newId],
    );
    if (made.length === 0) return false;
    await tx.query(
      `UPDATE deliveries SET redelivered_as = $2, reason = $3, resolved_by = $4,
         resolution = CASE WHEN state = 'failed' THEN 'redelivered' END
       WHERE id = $1`,
      [old.id, change.newId, change.reason, change.by],
    );
    tx.newDeliveryIds.push(change.newId);
    return true;
  }

  private async findOne(sql: Sql, where: Conditions, suffix: string): Promise<Delivery | null> {
    const [row] = await sql.query<Delivery>(
      `SELECT ${columns} FROM ${from} WHERE ${where.sql} ${suffix}`,
      where.values,
    );
    return row ?? null;
  }
}
