import { operatorLinkTtl } from '@gatehouse/domain';
import type { Database, Sql } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

/** One-time links: setup links, which belong to no operator, and invitations. */
export class OperatorLinksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates a link, which replaces the earlier links of the operator. There may be any number of setup links:
   * each process prints its own at startup.
   * @param tokenHash SHA-256 of the token
   */
  async insert(tx: Tx, tokenHash: Buffer, operatorId: string | null): Promise<void> {
    const ttl = operatorId ? operatorLinkTtl.invitation : operatorLinkTtl.setup;
    await tx.queryPrepared('DELETE FROM operator_links WHERE operator_id = $1', [operatorId]);
    await tx.queryPrepared(
      `INSERT INTO operator_links (token_hash, operator_id, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 second')`,
      [tokenHash, operatorId, ttl],
    );
  }

  /** Returns the operator of a link without consuming it, or null if the link is unknown or has expired. */
  async find(tokenHash: Buffer, sql: Sql = this.database): Promise<{ operatorId: string | null } | null> {
    const [row] = await sql.queryPrepared<{ operatorId: string | null }>(
      `SELECT operator_id AS "operatorId" FROM operator_links WHERE token_hash = $1 AND expires_at > now()`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** Consumes a link; of several parallel calls one succeeds. */
  async consume(tx: Tx, tokenHash: Buffer): Promise<boolean> {
    const rows = await tx.queryPrepared(
      'DELETE FROM operator_links WHERE token_hash = $1 AND expires_at > now() RETURNING 1',
      [tokenHash],
    );
    return rows.length > 0;
  }

  /** Voids the links of an operator, or the setup links if the id is null. */
  async voidAll(tx: Tx, operatorId: string | null): Promise<void> {
    await tx.queryPrepared('DELETE FROM operator_links WHERE operator_id IS NOT DISTINCT FROM $1::uuid', [
      operatorId,
    ]);
  }

  /** Removes links that have expired. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'operator_links', 'expires_at < now()');
  }
}
