import type { Access, ApiKeyType, ProjectContext, Scope } from '#domain';
import type { Database } from '../database.js';
import { projectColumns, projectContext, type ProjectColumns } from '../projects/projects.repository.js';
import type { Tx } from '../transactions.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** A live key, with the project it belongs to. */
export interface LiveApiKey {
  id: string;
  type: ApiKeyType;
  access: Access;
  scopes: Scope[];
  project: ProjectContext;
  /** Whether `lastUsedAt` is older than a minute. */
  isStale: boolean;
}

export class ApiKeysRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, key: ApiKeyEntity): Promise<void> {
    await tx.manager.insert(ApiKeyEntity, key);
  }

  /** The key with this SHA-256, unless it is revoked or expired or its project is archived. */
  async findLive(keyHash: Buffer): Promise<LiveApiKey | null> {
    const [row] = await this.database.prepared<Omit<LiveApiKey, 'project'> & ProjectColumns>(
      `SELECT k.id, k.type, k.access, k.scopes,
              k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS "isStale", ${projectColumns}
       FROM api_keys k JOIN projects p ON p.id = k.project_id JOIN organizations o ON o.id = p.organization_id
       WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
         AND p.archived_at IS NULL`,
      [keyHash],
    );
    return row ? { ...row, project: projectContext(row) } : null;
  }

  /** Notes that the key was used, at most once a minute. */
  async touch(id: string): Promise<void> {
    await this.database.prepared(
      `UPDATE api_keys SET last_used_at = now()
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [id],
    );
  }
}
