import {
  notFound,
  type Access,
  type ApiKey,
  type ApiKeyType,
  type ProjectContext,
  type Scope,
} from '@gatehouse/domain';
import type { Database, Sql } from '../database.js';
import { projectColumns, toProjectContext, type ProjectColumns } from '../projects/projects.repository.js';
import type { Tx } from '../transactions.js';

export type NewApiKey = Omit<ApiKey, 'lastUsedAt' | 'revokedAt' | 'createdAt'> & { keyHash: Buffer };

/** An active key with its project. */
export interface ActiveApiKey {
  id: string;
  type: ApiKeyType;
  access: Access;
  scopes: Scope[];
  project: ProjectContext;
  /** True if `lastUsedAt` is older than a minute. */
  isStale: boolean;
}

/** The columns of a key as a resource: without its value, which is not stored, and without its hash. */
const columns = `
  k.id, k.organization_id AS "organizationId", k.project_id AS "projectId", k.name, k.type, k.access, k.scopes,
  k.prefix, k.last4, k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt", k.revoked_at AS "revokedAt",
  k.rotated_from AS "rotatedFrom", k.created_at AS "createdAt"`;

const isActive = 'k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())';

export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, key: NewApiKey): Promise<ApiKey> {
    const [row] = await tx.queryPrepared<ApiKey>(
      `INSERT INTO api_keys AS k (id, organization_id, project_id, name, type, access, scopes, key_hash, prefix, last4,
         expires_at, rotated_from)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${columns}`,
      [
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
      ],
    );
    return row!;
  }

  /**
   * Returns the keys of a project, newest first, including revoked and expired keys. The caller has checked
   * the reach.
   */
  async list(projectId: string, before: string | null, limit: number): Promise<ApiKey[]> {
    return this.database.queryPrepared<ApiKey>(
      `SELECT ${columns} FROM api_keys k WHERE k.project_id = $1 AND ($2::uuid IS NULL OR k.id < $2)
       ORDER BY k.id DESC LIMIT $3`,
      [projectId, before, limit],
    );
  }

  /** Returns a key of a project. The caller has checked the reach. @throws GatehouseError `not_found` */
  async get(projectId: string, id: string, sql: Sql = this.database): Promise<ApiKey> {
    const [row] = await sql.queryPrepared<ApiKey>(
      `SELECT ${columns} FROM api_keys k WHERE k.project_id = $1 AND k.id = $2`,
      [projectId, id],
    );
    if (!row) throw notFound();
    return row;
  }

  /** Revokes a key with immediate effect. Returns null if it was already revoked. */
  async revoke(tx: Tx, projectId: string, id: string): Promise<ApiKey | null> {
    const [row] = await tx.queryPrepared<ApiKey>(
      `UPDATE api_keys k SET revoked_at = now()
       WHERE k.project_id = $1 AND k.id = $2 AND k.revoked_at IS NULL RETURNING ${columns}`,
      [projectId, id],
    );
    return row ?? null;
  }

  /**
   * Sets a key to expire after an overlap, or earlier if it expires earlier. Returns false if it is no longer
   * active or was already rotated: of several parallel calls one succeeds.
   * @param overlapSeconds how long the key stays valid beside its successor
   */
  async expireAfterOverlap(tx: Tx, projectId: string, id: string, overlapSeconds: number): Promise<boolean> {
    const rows = await tx.queryPrepared(
      `UPDATE api_keys k SET rotated_at = now(),
         expires_at = least(k.expires_at, now() + $3::int * interval '1 second')
       WHERE k.project_id = $1 AND k.id = $2 AND k.rotated_at IS NULL AND ${isActive} RETURNING k.id`,
      [projectId, id, overlapSeconds],
    );
    return rows.length > 0;
  }

  /**
   * Returns the active keys with organization access that can create keys, except rotated ones, which expire
   * after their overlap. Callers that revoke one lock the organization first, which prevents concurrent
   * removal of the last two.
   */
  async listOrganizationIssuerKeys(
    tx: Tx,
    organizationId: string,
  ): Promise<Pick<ApiKey, 'id' | 'projectId'>[]> {
    return tx.queryPrepared(
      `SELECT k.id, k.project_id AS "projectId" FROM api_keys k JOIN projects p ON p.id = k.project_id
       WHERE k.organization_id = $1 AND k.access = 'organization' AND 'api_key:write' = ANY (k.scopes)
         AND k.rotated_at IS NULL AND ${isActive} AND p.archived_at IS NULL`,
      [organizationId],
    );
  }

  /**
   * Claims up to `limit` keys that expire within `days` and whose expiry has not been notified. Each key is
   * returned once.
   */
  async claimExpiring(tx: Tx, days: number, limit: number): Promise<ApiKey[]> {
    return tx.queryPrepared<ApiKey>(
      `UPDATE api_keys k SET expiry_told_at = now()
       WHERE k.id IN (
         SELECT k.id FROM api_keys k JOIN projects p ON p.id = k.project_id
         WHERE k.expires_at <= now() + $1 * interval '1 day' AND k.expiry_told_at IS NULL AND k.rotated_at IS NULL
           AND ${isActive} AND p.archived_at IS NULL
         LIMIT $2 FOR UPDATE OF k SKIP LOCKED
       ) RETURNING ${columns}`,
      [days, limit],
    );
  }

  /**
   * Returns the key with this SHA-256, or null if it is unknown, revoked or expired or its project is
   * archived.
   */
  async findActive(keyHash: Buffer): Promise<ActiveApiKey | null> {
    const [row] = await this.database.queryPrepared<Omit<ActiveApiKey, 'project'> & ProjectColumns>(
      `SELECT k.id, k.type, k.access, k.scopes,
              k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS "isStale", ${projectColumns}
       FROM api_keys k JOIN projects p ON p.id = k.project_id JOIN organizations o ON o.id = p.organization_id
       WHERE k.key_hash = $1 AND ${isActive} AND p.archived_at IS NULL`,
      [keyHash],
    );
    return row ? { ...row, project: toProjectContext(row) } : null;
  }

  /** Returns whether a key is still active. For long-running requests. */
  async isActive(id: string): Promise<boolean> {
    const rows = await this.database.queryPrepared(
      `SELECT 1 FROM api_keys k JOIN projects p ON p.id = k.project_id
       WHERE k.id = $1 AND ${isActive} AND p.archived_at IS NULL`,
      [id],
    );
    return rows.length > 0;
  }

  /** Records that the key was used, at most once a minute. */
  async recordUse(id: string): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE api_keys SET last_used_at = now()
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [id],
    );
  }
}
