import { notFound, type EndpointDisabledReason, type Reach, type WebhookEndpoint } from '@gatehouse/domain';
import { countMatches, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { urlPrefixCondition } from '../search/lookups.repository.js';
import type { Tx } from '../transactions.js';
import { cancelPendingSql } from './cancel-pending-sql.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';

export type NewWebhookEndpoint = Pick<
  WebhookEndpointEntity,
  | 'id'
  | 'organizationId'
  | 'projectId'
  | 'level'
  | 'url'
  | 'description'
  | 'events'
  | 'secret'
  | 'headers'
  | 'headerNames'
>;

export type WebhookEndpointChanges = Partial<
  Pick<WebhookEndpointEntity, 'url' | 'description' | 'events' | 'headers' | 'headerNames'>
>;

const columnNames: Record<keyof WebhookEndpointChanges, string> = {
  url: 'url',
  description: 'description',
  events: 'events',
  headers: 'headers',
  headerNames: 'header_names',
};

const columns = `
  w.id, w.organization_id AS "organizationId", w.project_id AS "projectId", w.level, w.url, w.description, w.events,
  w.status, w.disabled_reason AS "disabledReason", w.header_names AS "headerNames", w.created_at AS "createdAt", w.updated_at AS "updatedAt"`;

/** Identifies the lock. Any number that is the same in every process. */
const COUNT_LOCK = 7_120_916;

/**
 * Returns the conditions for endpoints within a reach. A project key sees those of its project; an
 * organization key also those of organization level.
 */
const within = (reach: Reach): Conditions =>
  new Conditions().add(`w.status <> 'deleted'`).addReach('w', 'w.project_id', reach);

/** An endpoint that a transaction has locked, with its encrypted headers. */
export type LockedEndpoint = WebhookEndpoint & { headers: Buffer | null };

export interface EndpointFilter {
  projectId: string | null;
  status: string | null;
  id: string | null;
  /** Prefix of the URL. */
  url: string | null;
}

export class WebhookEndpointsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts an endpoint.
   * @returns null if the project, or the organization level, already has `limit` endpoints
   */
  async insert(tx: Tx, endpoint: NewWebhookEndpoint, limit: number): Promise<WebhookEndpoint | null> {
    const owner = endpoint.projectId ?? endpoint.organizationId;
    // Concurrent inserts wait, because both could count one less than the limit otherwise.
    await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [COUNT_LOCK, owner]);
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_endpoints
       WHERE organization_id = $1 AND project_id IS NOT DISTINCT FROM $2 AND status <> 'deleted'`,
      [endpoint.organizationId, endpoint.projectId],
    );
    if (row!.count >= limit) return null;
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
    filter: EndpointFilter & { before: string | null },
    limit: number,
  ): Promise<WebhookEndpoint[]> {
    const where = within(reach);
    if (filter.url) where.add(urlPrefixCondition(where, filter.url));
    where
      .addIf(filter.projectId, (value) => `w.project_id = ${value}`)
      .addIf(filter.status, (value) => `w.status = ${value}`)
      .addIf(filter.id, (value) => `w.id = ${value}`)
      .addIf(filter.before, (value) => `w.id < ${value}`);
    return this.database.query<WebhookEndpoint>(
      `SELECT ${columns} FROM webhook_endpoints w WHERE ${where.sql} ORDER BY w.id DESC LIMIT ${where.bind(limit)}`,
      where.values,
    );
  }

  /** Counts the matching endpoints within a reach in a bounded scan. */
  async count(reach: Reach, { projectId, status, id, url }: EndpointFilter): Promise<CappedCount> {
    const where = new Conditions().add('true').addIf(id, (value) => `w.id = ${value}`);
    if (url) where.add(urlPrefixCondition(where, url));
    // There is an index by organization, but none by project.
    const owner = (value: string) => `(SELECT p.organization_id FROM projects p WHERE p.id = ${value})`;
    where.addIf(projectId, (value) => `w.organization_id = ${owner(value)}`);
    const scan = `SELECT w.* FROM webhook_endpoints w WHERE ${where.sql} LIMIT ${COUNT_SCAN_LIMIT}`;
    where
      .add(`w.status <> 'deleted'`)
      .addReach('w', 'w.project_id', reach)
      .addIf(projectId, (value) => `w.project_id = ${value}`)
      .addIf(status, (value) => `w.status = ${value}`);
    const counted = { rows: `(${scan}) w`, isMatch: where.sql, values: where.values };
    return countMatches(this.database, counted, COUNT_SCAN_LIMIT);
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<WebhookEndpoint> {
    const where = within(reach);
    const [row] = await this.database.query<WebhookEndpoint>(
      `SELECT ${columns} FROM webhook_endpoints w WHERE ${where.sql} AND w.id = ${where.bind(id)}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns an endpoint with its encrypted headers and locks it until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  async lock(tx: Tx, reach: Reach, id: string): Promise<LockedEndpoint> {
    const where = within(reach);
    const [row] = await tx.query<LockedEndpoint>(
      `SELECT ${columns}, w.headers FROM webhook_endpoints w
       WHERE ${where.sql} AND w.id = ${where.bind(id)} FOR NO KEY UPDATE OF w`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /** Returns the endpoints with these ids, without a reach: for the worker. */
  async findByIds(tx: Tx, ids: string[]): Promise<WebhookEndpoint[]> {
    return tx.query<WebhookEndpoint>(`SELECT ${columns} FROM webhook_endpoints w WHERE w.id = ANY ($1)`, [
      ids,
    ]);
  }

  /** Disables an enabled endpoint and cancels its pending deliveries. The caller has locked it. */
  async disable(tx: Tx, { id }: LockedEndpoint, reason: EndpointDisabledReason): Promise<WebhookEndpoint> {
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints w SET status = 'disabled', disabled_reason = $2, disabled_at = now(), updated_at = now()
       WHERE w.id = $1 RETURNING ${columns}`,
      [id, reason],
    );
    await tx.query(CANCEL_ALL, [id]);
    return row!;
  }

  /**
   * Disables an endpoint that is still enabled and has had no success since, and cancels its pending
   * deliveries.
   * @param failingSince start of its failures
   * @returns null if this is no longer the case
   */
  async disableFailing(tx: Tx, id: string, failingSince: Date): Promise<WebhookEndpoint | null> {
    const [row] = await tx.query<LockedEndpoint>(
      `SELECT ${columns}, w.headers FROM webhook_endpoints w JOIN endpoint_health h ON h.endpoint_id = w.id
       WHERE w.id = $1 AND w.status = 'enabled' AND h.failing_since = $2 FOR NO KEY UPDATE OF w`,
      [id, failingSince],
    );
    return row ? this.disable(tx, row, 'failing') : null;
  }

  /** Enables a disabled endpoint and resets its failures. The caller has locked it. */
  async enable(tx: Tx, { id }: LockedEndpoint): Promise<WebhookEndpoint> {
    await tx.query('UPDATE endpoint_health SET failing_since = NULL WHERE endpoint_id = $1', [id]);
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints w SET status = 'enabled', disabled_reason = NULL, disabled_at = NULL, updated_at = now()
       WHERE w.id = $1 RETURNING ${columns}`,
      [id],
    );
    return row!;
  }

  /**
   * Sets a new secret. The previous one signs too for `overlapMs`; older ones no longer sign.
   * @throws GatehouseError `not_found`
   */
  async rotateSecret(
    tx: Tx,
    reach: Reach,
    id: string,
    secret: Buffer,
    overlapMs: number,
  ): Promise<WebhookEndpoint> {
    const where = within(reach);
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints w SET previous_secret = w.secret, secret = ${where.bind(secret)},
         previous_secret_until = now() + ${where.bind(overlapMs)} * interval '1 ms', updated_at = now()
       WHERE ${where.sql} AND w.id = ${where.bind(id)} RETURNING ${columns}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /** Clears the previous secrets whose overlap has ended. */
  async clearExpiredSecrets(): Promise<void> {
    await this.database.query(
      `UPDATE webhook_endpoints SET previous_secret = NULL, previous_secret_until = NULL
       WHERE previous_secret_until <= now()`,
    );
  }

  /** @throws GatehouseError `not_found` */
  async update(tx: Tx, reach: Reach, id: string, changes: WebhookEndpointChanges): Promise<WebhookEndpoint> {
    const where = within(reach);
    const names = Object.keys(changes) as (keyof WebhookEndpointChanges)[];
    const set = names.map((name) => `${columnNames[name]} = ${where.bind(changes[name])}`);
    const [row] = await tx.query<WebhookEndpoint>(
      `UPDATE webhook_endpoints w SET ${[...set, 'updated_at = now()'].join(', ')}
       WHERE ${where.sql} AND w.id = ${where.bind(id)} RETURNING ${columns}`,
      where.values,
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Deletes an endpoint and cancels its pending deliveries. The row stays, because the log of deliveries
   * refers to it.
   * @returns its organization and project
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
       WHERE ${where.sql} AND w.id = ${where.bind(id)}
       RETURNING w.organization_id AS "organizationId", w.project_id AS "projectId"`,
      where.values,
    );
    if (!owner) throw notFound();
    await tx.query(CANCEL_ALL, [id]);
    return owner;
  }
}

/**
 * Cancels the pending deliveries of an endpoint that is no longer enabled. If there are many, the sweeper
 * cancels the rest: none of them is claimed.
 */
const CANCEL_ALL = cancelPendingSql('deliveries p WHERE p.endpoint_id = $1');
