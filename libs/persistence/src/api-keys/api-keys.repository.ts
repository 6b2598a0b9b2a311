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

/** A live key, with the project it belongs to. */
export interface ActiveApiKey {
  id: string;
  type: ApiKeyType;
  access: Access;
  scopes: Scope[];
  project: ProjectContext;
  /** Whether `lastUsedAt` is older than a minute. */
  isStale: boolean;
}

/** The columns of a key as a resource: neither its value, which nobody knows, nor its hash. */
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

  /** The keys of a project whose reach has been checked, newest first, those that have ended as well. */
  async list(projectId: string, before: string | null, limit: number): Promise<ApiKey[]> {
    return this.database.queryPrepared<ApiKey>(
      `SELECT ${columns} FROM api_keys k WHERE k.project_id = $1 AND ($2::uuid IS NULL OR k.id < $2)
       ORDER BY k.id DESC LIMIT $3`,
      [projectId, before, limit],
    );
  }

  /**
   * A key of a project whose reach has been checked.
   * @throws GatehouseError `not_found`
   */
  async get(projectId: string, id: string, sql: Sql = this.database): Promise<ApiKey> {
    const [row] = await sql.queryPrepared<ApiKey>(
      `SELECT ${columns} FROM api_keys k WHERE k.project_id = $1 AND k.id = $2`,
      [projectId, id],
    );
    if (!row) throw notFound();
    return row;
  }

  /** Ends a key at once; null when it was revoked before. */
  async revoke(tx: Tx, projectId: string, id: string): Promise<ApiKey | null> {
    const [row] = await tx.queryPrepared<ApiKey>(
      `UPDATE api_keys k SET revoked_at = now()
       WHERE k.project_id = $1 AND k.id = $2 AND k.revoked_at IS NULL RETURNING ${columns}`,
      [projectId, id],
    );
    return row ?? null;
  }

  /**
   * Lets a key end after an overlap, or earlier if it expires earlier. False when it has ended, or was rotated
   * before: of any number of parallel calls one succeeds.
   * @param overlapSeconds how long it still lives beside its successor
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
   * The keys that reach the whole organization, can mint others and stay: not those that a successor outlives. Whoever ends one
   * locks the organization first, so that of the last two not both go at once.
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

  /** Up to `limit` keys that expire within `days` and of which that has not been told; each is handed out once. */
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

  /** The key with this SHA-256, unless it is revoked or expired or its project is archived. */
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

  /** Whether a key still opens anything, for a request that takes long. */
  async isActive(id: string): Promise<boolean> {
    const rows = await this.database.queryPrepared(
      `SELECT 1 FROM api_keys k JOIN projects p ON p.id = k.project_id
       WHERE k.id = $1 AND ${isActive} AND p.archived_at IS NULL`,
      [id],
    );
    return rows.length > 0;
  }

  /** Notes that the key was used, at most once a minute. */
  async recordUse(id: string): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE api_keys SET last_used_at = now()
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [id],
    );
  }
}
