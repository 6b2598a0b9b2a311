// Raw SQL: access scope conditions, updates that return rows, locks, and the cancellation of many deliveries at once.
import { IsNull, Not } from 'typeorm';
import {
  notFound,
  type EndpointDisabledReason,
  type AccessScope,
  type WebhookEndpoint,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { cappedCount, COUNT_SCAN_LIMIT, type CappedCount } from '../lists/capped-count.js';
import { containsCondition, searchedText } from '../lists/contains-condition.js';
import { Conditions, sampleAccessScopes } from '../sql/conditions.js';
import { columnList } from '../sql/entity-columns.js';
import {
  bytea,
  dynamicStatement,
  integer,
  nullable,
  statement,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { cancelPendingSql } from './cancel-pending-sql.js';
import { endpointColumns, endpointRow } from './endpoint-record.js';
import { endpointStatusSql, type EndpointStatusFilter } from './endpoint-status-sql.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';

export type NewWebhookEndpoint = Pick<
  WebhookEndpointEntity,
  | 'id'
  | 'organizationId'
  | 'projectId'
  | 'level'
  | 'name'
  | 'url'
  | 'description'
  | 'events'
  | 'secret'
  | 'headers'
  | 'headerNames'
>;

export type WebhookEndpointChanges = Partial<
  Pick<WebhookEndpointEntity, 'name' | 'url' | 'description' | 'events' | 'headers' | 'headerNames'>
>;

export interface EndpointFilter {
  projectId: string | null;
  status: EndpointStatusFilter | null;
  id: string | null;
  /** Name or URL substring, case-insensitive. */
  contains: string | null;
}

/**
 * Returns the conditions for endpoints within an access scope. A project key has access to its project's endpoints,
 * and an organization key also has access to organization-level endpoints.
 */
const endpointsWithin = (accessScope: AccessScope): Conditions =>
  new Conditions().add(`w.status <> 'deleted'`).addAccessScope('w', 'w.project_id', accessScope);

const addContains = (where: Conditions, { contains }: EndpointFilter): Conditions =>
  contains === null ? where : where.add(containsCondition(where, searchedText.endpoint('w'), contains));

const addStatus = (where: Conditions, { status }: EndpointFilter): Conditions =>
  status === null ? where : where.add(endpointStatusSql[status]);

const noFilter: EndpointFilter = { projectId: null, status: null, id: null, contains: null };

const sampleFilters: EndpointFilter[] = [
  noFilter,
  { projectId: NIL_UUID, status: 'enabled', id: NIL_UUID, contains: 'example' },
  { ...noFilter, status: 'failing' },
  { ...noFilter, status: 'disabled_failing' },
];

/**
 * First of the two advisory lock keys. A lock with two keys never conflicts with a lock with one key, such as
 * `RETENTION_LOCK`.
 */
const COUNT_LOCK = 7_120_916;

const lockEndpointCount = statement({}, 'SELECT FROM pg_advisory_xact_lock($1, hashtext($2))');

const listEndpoints = dynamicStatement(
  endpointRow,
  (accessScope: AccessScope, filter: EndpointFilter, before: string | null, limit: number) => {
    const where = addStatus(addContains(endpointsWithin(accessScope), filter), filter);
    where
      .addIf(filter.projectId, (value) => `w.project_id = ${value}`)
      .addIf(filter.id, (value) => `w.id = ${value}`)
      .addIf(before, (value) => `w.id < ${value}`);
    const sql = `
      SELECT ${endpointColumns} FROM webhook_endpoints w
      WHERE ${where.sql} ORDER BY w.id DESC LIMIT ${where.bind(limit)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) =>
    sampleFilters.flatMap((filter) => [
      [accessScope, filter, null, 1] as const,
      [accessScope, filter, NIL_UUID, 1] as const,
    ]),
  ),
);

const countEndpoints = cappedCount(
  COUNT_SCAN_LIMIT,
  (accessScope: AccessScope, filter: EndpointFilter) => {
    const { projectId, id } = filter;
    const where = addContains(new Conditions().add('true'), filter).addIf(id, (value) => `w.id = ${value}`);
    // Searches by organization, because there is no index by project.
    const owner = (value: string) => `(SELECT p.organization_id FROM projects p WHERE p.id = ${value})`;
    where.addIf(projectId, (value) => `w.organization_id = ${owner(value)}`);
    const scan = `SELECT w.* FROM webhook_endpoints w WHERE ${where.sql} LIMIT ${COUNT_SCAN_LIMIT}`;
    where
      .add(`w.status <> 'deleted'`)
      .addAccessScope('w', 'w.project_id', accessScope)
      .addIf(projectId, (value) => `w.project_id = ${value}`);
    addStatus(where, filter);
    return { where, rows: `(${scan}) w` };
  },
  sampleAccessScopes.flatMap((accessScope) => sampleFilters.map((filter) => [accessScope, filter] as const)),
);

const sampleIds = sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const);

const findEndpoint = dynamicStatement(
  endpointRow,
  (accessScope: AccessScope, id: string) => {
    const where = endpointsWithin(accessScope);
    const sql = `
      SELECT ${endpointColumns} FROM webhook_endpoints w WHERE ${where.sql} AND w.id = ${where.bind(id)}`;
    return { text: sql, values: where.values };
  },
  sampleIds,
);

/** Applies no access scope. Used by the worker, and for endpoints that the same transaction has inserted. */
const readEndpoints = statement(
  endpointRow,
  `SELECT ${endpointColumns} FROM webhook_endpoints w WHERE w.id = ANY ($1)`,
);

const lockedEndpointRow = { ...endpointRow, headers: nullable(bytea) };

/** An endpoint that a transaction has locked, with its encrypted headers. */
export type LockedEndpoint = RowOf<typeof lockedEndpointRow>;

const lockEndpoint = dynamicStatement(
  lockedEndpointRow,
  (accessScope: AccessScope, id: string) => {
    const where = endpointsWithin(accessScope);
    const sql = `
      SELECT ${endpointColumns}, w.headers FROM webhook_endpoints w
      WHERE ${where.sql} AND w.id = ${where.bind(id)} FOR NO KEY UPDATE OF w`;
    return { text: sql, values: where.values };
  },
  sampleIds,
);

const lockFailingEndpoint = statement(
  lockedEndpointRow,
  `SELECT ${endpointColumns}, w.headers FROM webhook_endpoints w JOIN endpoint_health h ON h.endpoint_id = w.id
   WHERE w.id = $1 AND w.status = 'enabled' AND h.failing_since = $2 FOR NO KEY UPDATE OF w`,
);

const disableEndpoint = statement(
  endpointRow,
  `UPDATE webhook_endpoints w SET status = 'disabled', disabled_reason = $2, disabled_at = now(), updated_at = now()
   WHERE w.id = $1 RETURNING ${endpointColumns}`,
);

/**
 * Cancels pending deliveries to an endpoint that is no longer enabled. If there are too many, the sweeper cancels the
 * rest. No worker claims them in the meantime. The statement is not prepared, because the best plan depends on the
 * endpoint.
 */
const cancelPendingDeliveries = dynamicStatement(
  { count: integer },
  (id: string) => ({ text: cancelPendingSql('deliveries d WHERE d.endpoint_id = $1'), values: [id] }),
  [[NIL_UUID]],
);

/** Locks endpoints in id order, so that two transactions that enable several cannot deadlock. */
const enableEndpoints = statement(
  endpointRow,
  `WITH locked AS (
     SELECT w.id FROM webhook_endpoints w WHERE w.id = ANY ($1) AND w.status = 'disabled'
     ORDER BY w.id FOR NO KEY UPDATE OF w
   ), reset AS (UPDATE endpoint_health h SET failing_since = NULL FROM locked WHERE h.endpoint_id = locked.id)
   UPDATE webhook_endpoints w SET status = 'enabled', disabled_reason = NULL, disabled_at = NULL, updated_at = now()
   FROM locked WHERE w.id = locked.id RETURNING ${endpointColumns}`,
);

const rotateSecret = dynamicStatement(
  endpointRow,
  (accessScope: AccessScope, id: string, secret: Buffer, overlapMs: number) => {
    const where = endpointsWithin(accessScope);
    const sql = `
      UPDATE webhook_endpoints w SET previous_secret = w.secret, secret = ${where.bind(secret)},
        previous_secret_until = now() + ${where.bind(overlapMs)} * interval '1 ms', updated_at = now()
      WHERE ${where.sql} AND w.id = ${where.bind(id)} RETURNING ${endpointColumns}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID, Buffer.alloc(0), 0] as const),
);

const clearExpiredSecrets = statement(
  {},
  `UPDATE webhook_endpoints SET previous_secret = NULL, previous_secret_until = NULL
   WHERE previous_secret_until <= now()`,
);

/** Always changes `updated_at`, because the entity tag is derived from it and header values are never returned. */
const updateEndpoint = dynamicStatement(
  endpointRow,
  (accessScope: AccessScope, id: string, changes: WebhookEndpointChanges) => {
    const where = endpointsWithin(accessScope);
    const names = Object.keys(changes) as (keyof WebhookEndpointChanges)[];
    const set = names.map(
      (name) => `${columnList(WebhookEndpointEntity, [name])} = ${where.bind(changes[name])}`,
    );
    const sql = `
      UPDATE webhook_endpoints w
      SET ${[...set, `updated_at = greatest(now(), w.updated_at + interval '1 ms')`].join(', ')}
      WHERE ${where.sql} AND w.id = ${where.bind(id)} RETURNING ${endpointColumns}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) => [
    [accessScope, NIL_UUID, {}] as const,
    [
      accessScope,
      NIL_UUID,
      { name: null, url: '', description: null, events: [], headers: null, headerNames: [] },
    ] as const,
  ]),
);

const deleteEndpoint = dynamicStatement(
  { organizationId: uuid, projectId: nullable(uuid) },
  (accessScope: AccessScope, id: string) => {
    const where = endpointsWithin(accessScope);
    const sql = `
      UPDATE webhook_endpoints w SET status = 'deleted', updated_at = now()
      WHERE ${where.sql} AND w.id = ${where.bind(id)}
      RETURNING w.organization_id AS "organizationId", w.project_id AS "projectId"`;
    return { text: sql, values: where.values };
  },
  sampleIds,
);

export class WebhookEndpointsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts an endpoint.
   * @returns null if the project or, for an organization-level endpoint, the organization already has `limit`
   * endpoints
   */
  async insert(tx: Tx, endpoint: NewWebhookEndpoint, limit: number): Promise<WebhookEndpoint | null> {
    const { organizationId, projectId } = endpoint;
    // Serializes concurrent inserts. Otherwise, two of them could each count one less than the limit.
    await tx.execute(lockEndpointCount, [COUNT_LOCK, projectId ?? organizationId]);
    const count = await tx.manager.countBy(WebhookEndpointEntity, {
      organizationId,
      projectId: projectId ?? IsNull(),
      status: Not('deleted'),
    });
    if (count >= limit) return null;
    await tx.manager.insert(WebhookEndpointEntity, { ...endpoint, status: 'enabled', disabledReason: null });
    const [inserted] = await tx.execute(readEndpoints, [[endpoint.id]]);
    return inserted!;
  }

  list(
    accessScope: AccessScope,
    filter: EndpointFilter,
    before: string | null,
    limit: number,
  ): Promise<WebhookEndpoint[]> {
    return this.database.execute(listEndpoints(accessScope, filter, before, limit));
  }

  /** Counts the matching endpoints within an access scope in a bounded scan. */
  count(accessScope: AccessScope, filter: EndpointFilter): Promise<CappedCount> {
    return countEndpoints(this.database, accessScope, filter);
  }

  /** @throws GatehouseError `not_found` */
  async get(accessScope: AccessScope, id: string): Promise<WebhookEndpoint> {
    const [row] = await this.database.execute(findEndpoint(accessScope, id));
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns an endpoint with its encrypted headers, and locks it until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  async lock(tx: Tx, accessScope: AccessScope, id: string): Promise<LockedEndpoint> {
    const [row] = await tx.execute(lockEndpoint(accessScope, id));
    if (!row) throw notFound();
    return row;
  }

  /** Returns the endpoints with these ids, regardless of access scopes. */
  findByIds(tx: Tx, ids: string[]): Promise<WebhookEndpoint[]> {
    return tx.execute(readEndpoints, [ids]);
  }

  /** Disables an enabled endpoint and cancels its pending deliveries. The caller must have locked the endpoint. */
  async disable(tx: Tx, { id }: LockedEndpoint, reason: EndpointDisabledReason): Promise<WebhookEndpoint> {
    const [row] = await tx.execute(disableEndpoint, [id, reason]);
    await tx.execute(cancelPendingDeliveries(id));
    return row!;
  }

  /**
   * Disables an endpoint and cancels its pending deliveries, if it is still enabled and still failing.
   * @param failingSince time of the first failure since the last success
   * @returns null if the endpoint is no longer enabled, or has succeeded in the meantime
   */
  async disableFailing(tx: Tx, id: string, failingSince: Date): Promise<WebhookEndpoint | null> {
    const [row] = await tx.execute(lockFailingEndpoint, [id, failingSince]);
    return row ? this.disable(tx, row, 'failing') : null;
  }

  /** Enables the given endpoints that are disabled, resets their failures, and returns them. */
  enable(tx: Tx, ids: string[]): Promise<WebhookEndpoint[]> {
    return tx.execute(enableEndpoints, [ids]);
  }

  /**
   * Sets a new secret. The previous one is also used for signing for `overlapMs` ms; older ones are not.
   * @throws GatehouseError `not_found`
   */
  async rotateSecret(
    tx: Tx,
    accessScope: AccessScope,
    id: string,
    secret: Buffer,
    overlapMs: number,
  ): Promise<WebhookEndpoint> {
    const [row] = await tx.execute(rotateSecret(accessScope, id, secret, overlapMs));
    if (!row) throw notFound();
    return row;
  }

  /** Clears previous secrets after their overlap. */
  async clearExpiredSecrets(): Promise<void> {
    await this.database.execute(clearExpiredSecrets);
  }

  /** @throws GatehouseError `not_found` */
  async update(
    tx: Tx,
    accessScope: AccessScope,
    id: string,
    changes: WebhookEndpointChanges,
  ): Promise<WebhookEndpoint> {
    const [row] = await tx.execute(updateEndpoint(accessScope, id, changes));
    if (!row) throw notFound();
    return row;
  }

  /**
   * Deletes an endpoint and cancels its pending deliveries. The row remains, because the delivery log refers to it.
   * @returns the endpoint's organization and project
   * @throws GatehouseError `not_found`
   */
  async delete(
    tx: Tx,
    accessScope: AccessScope,
    id: string,
  ): Promise<Pick<WebhookEndpoint, 'organizationId' | 'projectId'>> {
    const [owner] = await tx.execute(deleteEndpoint(accessScope, id));
    if (!owner) throw notFound();
    await tx.execute(cancelPendingDeliveries(id));
    return owner;
  }
}
