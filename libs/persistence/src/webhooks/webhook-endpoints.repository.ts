import { notFound, type Reach } from '#domain';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';
import { IN_LOCK_ORDER } from './lock-order.js';
import { WebhookEndpointEntity, type WebhookEndpoint } from './webhook-endpoint.entity.js';

export type NewWebhookEndpoint = Pick<
  WebhookEndpointEntity,
  'id' | 'organizationId' | 'projectId' | 'level' | 'url' | 'description' | 'events' | 'secret'
>;

export type WebhookEndpointChanges = Partial<Pick<WebhookEndpointEntity, 'url' | 'description' | 'events'>>;

const columns = `
  w.id, w.organization_id AS "organizationId", w.project_id AS "projectId", w.level, w.url, w.description, w.events,
  w.status, w.disabled_reason AS "disabledReason", w.created_at AS "createdAt", w.updated_at AS "updatedAt"`;

/** Endpoints within a reach. A project key sees its project's; an organization key also those of organization level. */
const within = (reach: Reach): Conditions =>
  new Conditions().add(`w.status <> 'deleted'`).reach('w', 'w.project_id', reach);

export class WebhookEndpointsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint> {
    const entity = tx.manager.create(WebhookEndpointEntity, {
      ...endpoint,
      status: 'enabled',
      disabledReason: null,
    });
    await tx.manager.insert(WebhookEndpointEntity, entity);
    return entity;
  }

  async list(
    reach: Reach,
    filter: { projectId: string | null; before: string | null },
    limit: number,
  ): Promise<WebhookEndpoint[]> {
    const where = within(reach)
      .addIf(filter.projectId, (value) => `w.project_id = ${value}`)
      .addIf(filter.before, (value) => `w.id < ${value}`);
    return this.database.query<WebhookEndpoint>(
      `SELECT ${columns} FROM webhook_endpoints w WHERE ${where.sql} ORDER BY w.id DESC LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<WebhookEndpoint> {
    const where = within(reach);
    const [row] = await this.database.query<WebhookEndpoint>(
      `SELECT ${columns} FROM webhook_endpoints w WHERE ${where.sql} AND w.id = ${where.value(id)}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /** @throws GatehouseError `not_found` */
  async update(tx: Tx, reach: Reach, id: string, changes: WebhookEndpointChanges): Promise<WebhookEndpoint> {
    const where = within(reach);
    const set = Object.entries(changes).map(([column, value]) => `${column} = ${where.value(value)}`);
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints w SET ${[...set, 'updated_at = now()'].join(', ')}
       WHERE ${where.sql} AND w.id = ${where.value(id)} RETURNING ${columns}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Deletes an endpoint and cancels what is pending. The row stays, because the log of deliveries names it.
   * A delivery in flight is left to its outcome: it cannot be called back.
   * @returns whose it was
   * @throws GatehouseError `not_found`
   */
  async delete(
    tx: Tx,
    reach: Reach,
    id: string,
  ): Promise<Pick<WebhookEndpoint, 'organizationId' | 'projectId'>> {
    const where = within(reach);
    const [owner] = await tx.query<Pick<WebhookEndpoint, 'organizationId' | 'projectId'>>(
      `UPDATE webhook_endpoints w SET status = 'deleted', updated_at = now()
       WHERE ${where.sql} AND w.id = ${where.value(id)}
       RETURNING w.organization_id AS "organizationId", w.project_id AS "projectId"`,
      where.values,
    );
    if (!owner) throw notFound();
    await tx.query(
      `WITH waiting AS (
         SELECT d.id FROM deliveries d
         WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.lease_until IS NULL ${IN_LOCK_ORDER}
       )
       UPDATE deliveries d SET state = 'cancelled', next_attempt_at = NULL, finished_at = now()
       FROM waiting WHERE d.id = waiting.id`,
      [id],
    );
    return owner;
  }
}
