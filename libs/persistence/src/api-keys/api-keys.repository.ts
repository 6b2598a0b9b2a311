// Raw SQL: API key authentication on the hot path, updates that return rows, claims that skip locked rows, and joins
// with the project.
import { IsNull, LessThan, LessThanOrEqual, MoreThan, Not, type FindOptionsWhere } from 'typeorm';
import {
  notFound,
  type Access,
  type ApiKey,
  type ApiKeyType,
  type ProjectContext,
  type Scope,
} from '@gatehouse/domain';
import { now } from '@gatehouse/platform';
import type { CredentialCache } from '../database/credential-cache.js';
import type { Database, ReadManager } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { projectColumns, projectRow, toProjectContext } from '../projects/projects.repository.js';
import { selectedRow, selectList } from '../sql/entity-columns.js';
import { arrayOf, boolean, integer, nullable, statement, textOf, uuid } from '../sql/statements.js';
import { ApiKeyEntity } from './api-key.entity.js';

export type NewApiKey = Omit<ApiKey, 'lastUsedAt' | 'revokedAt' | 'createdAt'> & { keyHash: Buffer };

/** An active key with its project. */
export interface ActiveApiKey {
  id: string;
  type: ApiKeyType;
  access: Access;
  scopes: Scope[];
  /** Maximum number of requests per second; null for the default. */
  rateLimit: number | null;
  project: ProjectContext;
  /** True if `lastUsedAt` is older than a minute. */
  isStale: boolean;
}

/** The API key resource's fields. Excludes the value, which is not stored, and the hash. */
const keyFields = [
  'id',
  'organizationId',
  'projectId',
  'name',
  'type',
  'access',
  'scopes',
  'rateLimit',
  'prefix',
  'last4',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
  'rotatedFrom',
  'createdAt',
] as const satisfies (keyof ApiKey)[];

const selectedFields = Object.fromEntries(keyFields.map((field) => [field, true]));
const keyColumns = selectList(ApiKeyEntity, 'k', keyFields);
const keyRow = { ...selectedRow(ApiKeyEntity, keyFields), scopes: arrayOf(textOf<Scope>()) };

const isActiveKey = 'k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())';

/** API key states. A revoked key is never `expired`. */
export const apiKeyStates = ['active', 'revoked', 'expired'] as const;
export type ApiKeyState = (typeof apiKeyStates)[number];

/** Returns the conditions for a state. TypeORM combines them with OR. */
function stateConditions(state: ApiKeyState | null, at: Date): FindOptionsWhere<ApiKeyEntity>[] {
  if (state === null) return [{}];
  if (state === 'revoked') return [{ revokedAt: Not(IsNull()) }];
  if (state === 'expired') return [{ revokedAt: IsNull(), expiresAt: LessThanOrEqual(at) }];
  return [
    { revokedAt: IsNull(), expiresAt: IsNull() },
    { revokedAt: IsNull(), expiresAt: MoreThan(at) },
  ];
}

const insertKey = statement(
  keyRow,
  `INSERT INTO api_keys AS k (id, organization_id, project_id, name, type, access, scopes, key_hash, prefix, last4,
     expires_at, rotated_from, rate_limit)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING ${keyColumns}`,
);

const revokeKey = statement(
  keyRow,
  `UPDATE api_keys k SET revoked_at = now()
   WHERE k.project_id = $1 AND k.id = $2 AND k.revoked_at IS NULL RETURNING ${keyColumns}`,
);

const expireKeyAfterOverlap = statement(
  { id: uuid },
  `UPDATE api_keys k SET rotated_at = now(),
     expires_at = least(k.expires_at, now() + $3::int * interval '1 second')
   WHERE k.project_id = $1 AND k.id = $2 AND k.rotated_at IS NULL AND ${isActiveKey} RETURNING k.id`,
);

const listOrganizationIssuerKeys = statement(
  { id: uuid, projectId: uuid },
  `SELECT k.id, k.project_id AS "projectId" FROM api_keys k JOIN projects p ON p.id = k.project_id
   WHERE k.organization_id = $1 AND k.access = 'organization' AND 'api_key:write' = ANY (k.scopes)
     AND k.rotated_at IS NULL AND ${isActiveKey} AND p.archived_at IS NULL`,
);

const claimExpiringKeys = statement(
  keyRow,
  `UPDATE api_keys k SET expiry_told_at = now()
   WHERE k.id IN (
     SELECT k.id FROM api_keys k JOIN projects p ON p.id = k.project_id
     WHERE k.expires_at <= now() + $1 * interval '1 day' AND k.expiry_told_at IS NULL AND k.rotated_at IS NULL
       AND ${isActiveKey} AND p.archived_at IS NULL
     LIMIT $2 FOR UPDATE OF k SKIP LOCKED
   ) RETURNING ${keyColumns}`,
);

/**
 * The first start creates the first organization and its keys in one transaction, so they have the same `created_at`.
 * Keys created later never have this time.
 */
const lockSeededSecretKeys = statement(
  keyRow,
  `WITH RECURSIVE seeded AS (
     SELECT k.id FROM api_keys k
     JOIN (SELECT id, created_at FROM organizations ORDER BY created_at, id LIMIT 1) o
       ON o.id = k.organization_id AND o.created_at = k.created_at
     UNION ALL
     SELECT k.id FROM api_keys k JOIN seeded s ON k.rotated_from = s.id
   )
   SELECT ${keyColumns} FROM api_keys k
   WHERE k.id IN (SELECT id FROM seeded) AND k.type = 'secret' AND ${isActiveKey} ORDER BY k.id FOR NO KEY UPDATE`,
);

const addKeyScopes = statement({}, 'UPDATE api_keys SET scopes = scopes || $2::text[] WHERE id = $1');

const findActiveKey = statement(
  {
    id: uuid,
    type: textOf<ApiKeyType>(),
    access: textOf<Access>(),
    scopes: arrayOf(textOf<Scope>()),
    rateLimit: nullable(integer),
    isStale: boolean,
    ...projectRow,
  },
  `SELECT k.id, k.type, k.access, k.scopes, k.rate_limit AS "rateLimit",
          k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS "isStale", ${projectColumns}
   FROM api_keys k JOIN projects p ON p.id = k.project_id JOIN organizations o ON o.id = p.organization_id
   WHERE k.key_hash = $1 AND ${isActiveKey} AND p.archived_at IS NULL`,
);

const confirmActiveKey = statement(
  { id: uuid },
  `SELECT k.id FROM api_keys k JOIN projects p ON p.id = k.project_id
   WHERE k.id = $1 AND ${isActiveKey} AND p.archived_at IS NULL`,
);

const recordKeyUse = statement(
  {},
  `UPDATE api_keys SET last_used_at = now()
   WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
);

export class ApiKeysRepository {
  constructor(
    private readonly database: Database,
    private readonly cache: CredentialCache<ActiveApiKey>,
  ) {}

  async insert(tx: Tx, key: NewApiKey): Promise<ApiKey> {
    const [row] = await tx.execute(insertKey, [
      key.id,
      key.organizationId,
      key.projectId,
      key.name,
      key.type,
      key.access,
      key.scopes,
      key.keyHash,
      key.prefix,
      key.last4,
      key.expiresAt,
      key.rotatedFrom,
      key.rateLimit,
    ]);
    return row!;
  }

  /**
   * Returns a project's keys, newest first, optionally in one state only. The caller has checked the access
   * scope.
   */
  list(
    projectId: string,
    state: ApiKeyState | null,
    before: string | null,
    limit: number,
  ): Promise<ApiKey[]> {
    return this.database.read((manager) =>
      manager.find(ApiKeyEntity, {
        select: selectedFields,
        where: stateConditions(state, now()).map((condition) => ({
          projectId,
          ...condition,
          ...(before !== null && { id: LessThan(before) }),
        })),
        order: { id: 'DESC' },
        take: limit,
      }),
    );
  }

  /** Returns a project's key. The caller has checked the access scope. @throws GatehouseError `not_found` */
  async get(projectId: string, id: string, tx?: Tx): Promise<ApiKey> {
    const find = (manager: ReadManager) =>
      manager.findOne(ApiKeyEntity, { select: selectedFields, where: { projectId, id } });
    const key = await (tx ? find(tx.manager) : this.database.read(find));
    if (!key) throw notFound();
    return key;
  }

  /** Revokes a key with immediate effect. Returns null if it was already revoked. */
  async revoke(tx: Tx, projectId: string, id: string): Promise<ApiKey | null> {
    this.cache.clearAfter(tx);
    const [row] = await tx.execute(revokeKey, [projectId, id]);
    return row ?? null;
  }

  /**
   * Sets a key to expire after an overlap, unless it already expires earlier. Returns false if the key is no longer
   * active or was already rotated, so only one of several concurrent calls succeeds.
   * @param overlapSeconds how long the key and its successor are both valid, in seconds
   */
  async expireAfterOverlap(tx: Tx, projectId: string, id: string, overlapSeconds: number): Promise<boolean> {
    this.cache.clearAfter(tx);
    const rows = await tx.execute(expireKeyAfterOverlap, [projectId, id, overlapSeconds]);
    return rows.length > 0;
  }

  /**
   * Returns the active keys with organization access that can create keys. Excludes rotated keys, because they
   * expire after their overlap. Before a caller revokes a returned key, it locks the organization, which prevents
   * concurrent removal of the last two keys.
   */
  async listOrganizationIssuerKeys(
    tx: Tx,
    organizationId: string,
  ): Promise<Pick<ApiKey, 'id' | 'projectId'>[]> {
    return tx.execute(listOrganizationIssuerKeys, [organizationId]);
  }

  /**
   * Claims up to `limit` keys that expire within `days` and have no `api_key.expiring` event yet. Returns each key
   * only once.
   */
  async claimExpiring(tx: Tx, days: number, limit: number): Promise<ApiKey[]> {
    return tx.execute(claimExpiringKeys, [days, limit]);
  }

  /**
   * Returns the active secret keys created at the first start, and the keys that have replaced them through rotation.
   * Locks them until the transaction ends.
   */
  async lockSeededSecretKeys(tx: Tx): Promise<ApiKey[]> {
    return tx.execute(lockSeededSecretKeys);
  }

  /** Adds scopes to a key. The caller has checked that the key does not have them yet. */
  async addScopes(tx: Tx, id: string, added: readonly Scope[]): Promise<void> {
    this.cache.clearAfter(tx);
    await tx.execute(addKeyScopes, [id, added]);
  }

  /**
   * Returns the key with this SHA-256 hash, or null if there is no such key, it is revoked or expired, or its project
   * is archived. The result can be up to a second old if another process has changed it.
   */
  async findActive(keyHash: Buffer): Promise<ActiveApiKey | null> {
    const cacheId = keyHash.toString('latin1');
    const cached = this.cache.get(cacheId);
    if (cached) return cached;
    const store = this.cache.startLookup(cacheId);
    const [row] = await this.database.execute(findActiveKey, [keyHash]);
    if (!row) return null;
    const { id, type, access, scopes, rateLimit, isStale } = row;
    const key = { id, type, access, scopes, rateLimit, project: toProjectContext(row) };
    // The caller records the use of a stale key, so the requests that follow need not do it again.
    store({ ...key, isStale: false });
    return { ...key, isStale };
  }

  /** Returns whether a key is still active. Long-running requests check this repeatedly. */
  async isActive(id: string): Promise<boolean> {
    const rows = await this.database.execute(confirmActiveKey, [id]);
    return rows.length > 0;
  }

  /** Records that the key was used, at most once a minute. */
  async recordUse(id: string): Promise<void> {
    await this.database.execute(recordKeyUse, [id]);
  }
}
