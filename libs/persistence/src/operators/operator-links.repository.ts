// Raw SQL: times computed from the database clock, and a delete that returns the row.
import { IsNull } from 'typeorm';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { bytea, nullable, statement, uuid } from '../sql/statements.js';
import { OperatorLinkEntity } from './operator-link.entity.js';

const insertLink = statement(
  {},
  `INSERT INTO operator_links (token_hash, operator_id, expires_at)
   VALUES ($1, $2, now() + $3 * interval '1 second')`,
);

const findLink = statement(
  { operatorId: nullable(uuid) },
  'SELECT operator_id AS "operatorId" FROM operator_links WHERE token_hash = $1 AND expires_at > now()',
);

const consumeLink = statement(
  { tokenHash: bytea },
  'DELETE FROM operator_links WHERE token_hash = $1 AND expires_at > now() RETURNING token_hash AS "tokenHash"',
);

const pruneLinks = pruneStatement('operator_links', 'expires_at < now()');

/** One-time links: invitations, and setup links, which belong to no operator. */
export class OperatorLinksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates a link that replaces the operator's earlier links, or the earlier setup links if `operatorId` is null.
   * @param tokenHash the token's SHA-256
   * @param ttl validity in seconds
   */
  async insert(tx: Tx, tokenHash: Buffer, operatorId: string | null, ttl: number): Promise<void> {
    await this.voidAll(tx, operatorId);
    await tx.execute(insertLink, [tokenHash, operatorId, ttl]);
  }

  /** Returns a link's operator without consuming the link, or null if it does not exist or has expired. */
  async find(tokenHash: Buffer): Promise<{ operatorId: string | null } | null> {
    const [row] = await this.database.execute(findLink, [tokenHash]);
    return row ?? null;
  }

  /** Consumes a link. If calls run in parallel, exactly one returns true. */
  async consume(tx: Tx, tokenHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeLink, [tokenHash]);
    return rows.length > 0;
  }

  /** Voids an operator's links, or the setup links if `operatorId` is null. */
  async voidAll(tx: Tx, operatorId: string | null): Promise<void> {
    await tx.manager.delete(OperatorLinkEntity, { operatorId: operatorId ?? IsNull() });
  }

  /** Removes expired links. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneLinks);
  }
}
