import type { DeliveryResolution, DeliveryState, EndpointStatus, Reach } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import { isErased, visibleBody } from '../customers/erasure-sql.js';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';

/** One event on its way to one endpoint. */
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

/** The same with what is sent, and where to. */
export interface Delivery extends DeliverySummary {
  endpointStatus: EndpointStatus;
  /** Names of the headers that the endpoint has of its own now. */
  headerNames: string[];
  body: string;
  /** The event was about a customer who has been deleted. */
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

/** A project key sees what goes to its project's own endpoints, not what an organization endpoint hears of it. */
export const deliveriesWithin = (reach: Reach): Conditions =>
  new Conditions()
    .addReach('d', 'd.project_id', reach)
    .addIf(reach.projectId, (value) => `w.project_id = ${value}`);

/** The readers' and operators' side of deliveries. */
export class DeliveriesRepository {
  /** @param firstDelayMs delay before the first attempt */
  constructor(
    private readonly database: Database,
    private readonly firstDelayMs: number,
  ) {}

  /** A delivery within a reach, by its own id or by that of one of its attempts. */
  async find(reach: Reach, id: { deliveryId: string } | { attemptId: string }): Promise<Delivery | null> {
    const where = deliveriesWithin(reach);
    if ('deliveryId' in id) where.add(`d.id = ${where.bind(id.deliveryId)}`);
    else where.add(`d.id = (SELECT delivery_id FROM attempts WHERE id = ${where.bind(id.attemptId)})`);
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
    const where = deliveriesWithin(reach);
    where.add(`d.id = ${where.bind(deliveryId)}`);
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
       SELECT $2, d.organization_id, d.project_id, d.event_id, d.event_type, d.endpoint_id, w.url,
         now() + $3 * interval '1 ms', d.id
       FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE d.id = $1
       ON CONFLICT (endpoint_id, event_id) WHERE state = 'pending' DO NOTHING RETURNING id`,
      [old.id, change.newId, this.firstDelayMs],
    );
    if (made.length === 0) return false;
    await tx.query(
      `UPDATE deliveries SET redelivered_as = $2, reason = $3, resolved_by = $4,
         resolution = CASE WHEN state = 'failed' THEN 'redelivered' END
       WHERE id = $1`,
      [old.id, change.newId, change.reason, change.by],
    );
    tx.newDeliveries.push({ deliveryId: change.newId, endpointId: old.endpointId, projectId: old.projectId });
    return true;
  }

  /** Sets a dead letter aside. The caller holds the lock on it. */
  async discard(tx: Tx, { id }: Delivery, reason: string, by: string): Promise<void> {
    await tx.query(
      `UPDATE deliveries SET resolution = 'discarded', reason = $2, resolved_by = $3 WHERE id = $1`,
      [id, reason, by],
    );
  }

  /** Up to `limit` deliveries of an event, newest first. @param before the last id of the page before */
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

  /** How many of these deliveries are within a reach. */
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
