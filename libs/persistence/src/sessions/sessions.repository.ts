import {
  effectiveSettings,
  type Customer,
  type CustomerIdentity,
  type ProjectContext,
  type RefreshTokenChain,
  type RevocationReason,
  type TokenProject,
} from '@gatehouse/domain';
import {
  customerColumns,
  identityColumns,
  toCustomerWithProject,
} from '../customers/customers.repository.js';
import type { Database } from '../database.js';
import { projectColumns, type ProjectColumns } from '../projects/projects.repository.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';

export interface NewSession {
  id: string;
  customerId: string;
  refreshHash: Buffer;
  /** Seconds. */
  idleTtl: number;
  /** Seconds. */
  absoluteTtl: number;
  ip: string | null;
  /** The block of addresses that `ip` belongs to: remembered as one that the customer uses. */
  addressBlock: string | null;
  userAgent: string | null;
}

/** One login of a customer. */
export interface SessionRecord {
  id: string;
  createdAt: Date;
  /** Login or last refresh. */
  lastUsedAt: Date;
  expiresAt: Date;
  ip: string | null;
  userAgent: string | null;
}

/** A session whose refresh token has just been accepted. */
export interface RefreshedSession {
  sessionId: string;
  customer: CustomerIdentity;
  project: TokenProject;
}

export interface RefreshableSession extends RefreshedSession {
  customer: Customer;
  project: ProjectContext;
  chain: RefreshTokenChain;
  currentHash: Buffer;
  previousHash: Buffer | null;
}

/** The columns of a session under the names of `SessionRecord`, for a table aliased `s`. */
export const sessionColumns = `
  s.id, s.created_at AS "createdAt", coalesce(s.rotated_at, s.created_at) AS "lastUsedAt",
  least(s.idle_expires_at, s.absolute_expires_at) AS "expiresAt", s.ip, s.user_agent AS "userAgent"`;

const activeSession = `s.revoked_at IS NULL AND s.idle_expires_at > now() AND s.absolute_expires_at > now()`;

export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /** Opens a session. @returns it, and how many live ones its customer has beside it */
  async insert(tx: Tx, session: NewSession): Promise<{ session: SessionRecord; others: number }> {
    const [row] = await tx.queryPrepared<SessionRecord & { others: number }>(
      `WITH known AS (
         INSERT INTO customer_addresses AS k (customer_id, address_block)
         SELECT $2, $8 WHERE $8::text IS NOT NULL
         ON CONFLICT (customer_id, address_block) DO UPDATE SET last_login_at = now()
           WHERE k.last_login_at < now() - interval '1 hour'
       )
       INSERT INTO sessions AS s (id, customer_id, generation, current_hash, idle_ttl, idle_expires_at,
         absolute_expires_at, ip, user_agent)
       VALUES ($1, $2, 1, $3, $4::int, now() + $4::int * interval '1 second', now() + $5::int * interval '1 second', $6, $7)
       RETURNING ${sessionColumns},
         (SELECT count(*)::int FROM sessions s WHERE s.customer_id = $2 AND ${activeSession}) AS others`,
      [
        session.id,
        session.customerId,
        session.refreshHash,
        session.idleTtl,
        session.absoluteTtl,
        session.ip,
        session.userAgent,
        session.addressBlock,
      ],
    );
    const { others, ...opened } = row!;
    return { session: opened, others };
  }

  /** The customer of a live session, by the ids that an access token names together; null when any differs. */
  async findActiveCustomer(
    sessionId: string,
    customerId: string,
    projectId: string,
  ): Promise<Customer | null> {
    const [row] = await this.database.queryPrepared<Customer>(
      `SELECT ${customerColumns} FROM sessions s JOIN customers c ON c.id = s.customer_id
         JOIN projects p ON p.id = c.project_id
       WHERE s.id = $1 AND c.id = $2 AND c.project_id = $3 AND c.disabled_at IS NULL AND p.archived_at IS NULL
         AND ${activeSession}`,
      [sessionId, customerId, projectId],
    );
    return row ?? null;
  }

  /**
   * Spends the newest refresh token of a session and puts its successor in its place, in one conditional
   * statement, so of any number of parallel uses one wins. Null when the token is not the newest, or the
   * session or the customer no longer lives.
   */
  async rotate(
    sessionId: string,
    generation: number,
    hash: Buffer,
    successorHash: Buffer,
  ): Promise<RefreshedSession | null> {
    const [row] = await this.database.queryPrepared<
      CustomerIdentity & Pick<ProjectColumns, 'projectId' | 'projectSettings'>
    >(
      `UPDATE sessions s SET generation = s.generation + 1, previous_hash = s.current_hash, current_hash = $4,
         rotated_at = now(),
         idle_expires_at = least(now() + s.idle_ttl * interval '1 second', s.absolute_expires_at)
       FROM customers c JOIN projects p ON p.id = c.project_id
       WHERE s.id = $1 AND s.generation = $2 AND s.current_hash = $3 AND ${activeSession}
         AND c.id = s.customer_id AND c.disabled_at IS NULL AND p.archived_at IS NULL
       RETURNING ${identityColumns}, p.id AS "projectId",
         p.settings AS "projectSettings"`,
      [sessionId, generation, hash, successorHash],
    );
    if (!row) return null;
    const { projectId, projectSettings, ...customer } = row;
    return { sessionId, customer, project: { id: projectId, settings: effectiveSettings(projectSettings) } };
  }

  /** Where the line of a session's refresh tokens stands; null when the session or its customer is gone. */
  async findRefreshable(sessionId: string): Promise<RefreshableSession | null> {
    const [row] = await this.database.queryPrepared<
      Customer & ProjectColumns & RefreshTokenChain & { currentHash: Buffer; previousHash: Buffer | null }
    >(
      `SELECT ${customerColumns}, ${projectColumns}, s.generation, s.rotated_at AS "rotatedAt",
         s.idle_expires_at AS "idleExpiresAt", s.absolute_expires_at AS "absoluteExpiresAt",
         s.revoked_at AS "revokedAt", s.current_hash AS "currentHash",
         s.previous_hash AS "previousHash"
       FROM sessions s JOIN customers c ON c.id = s.customer_id
         JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
       WHERE s.id = $1 AND c.disabled_at IS NULL AND p.archived_at IS NULL`,
      [sessionId],
    );
    if (!row) return null;
    const { generation, rotatedAt, idleExpiresAt, absoluteExpiresAt, revokedAt, ...rest } = row;
    const { currentHash, previousHash, ...about } = rest;
    const line = { generation, rotatedAt, idleExpiresAt, absoluteExpiresAt, revokedAt };
    return { sessionId, ...toCustomerWithProject(about), chain: line, currentHash, previousHash };
  }

  /** A customer's live sessions, newest first. */
  async list(
    projectId: string,
    customerId: string,
    before: string | null,
    limit: number,
  ): Promise<SessionRecord[]> {
    return this.database.queryPrepared<SessionRecord>(
      `SELECT ${sessionColumns} FROM sessions s JOIN customers c ON c.id = s.customer_id
       WHERE c.project_id = $1 AND c.id = $2 AND ${activeSession} AND ($3::uuid IS NULL OR s.id < $3)
       ORDER BY s.id DESC LIMIT $4`,
      [projectId, customerId, before, limit],
    );
  }

  /** Ends a session of a customer; null when there is no such live session. */
  async revoke(
    tx: Tx,
    customerId: string,
    sessionId: string,
    reason: RevocationReason,
  ): Promise<SessionRecord | null> {
    const [row] = await tx.queryPrepared<SessionRecord>(
      `UPDATE sessions s SET revoked_at = now(), revoked_reason = $3
       WHERE s.id = $2 AND s.customer_id = $1 AND ${activeSession} RETURNING ${sessionColumns}`,
      [customerId, sessionId, reason],
    );
    return row ?? null;
  }

  /** Ends every live session of a customer, except one if it is named. */
  async revokeAll(
    tx: Tx,
    customerId: string,
    reason: RevocationReason,
    exceptId: string | null,
  ): Promise<SessionRecord[]> {
    return tx.queryPrepared<SessionRecord>(
      `UPDATE sessions s SET revoked_at = now(), revoked_reason = $2
       WHERE s.customer_id = $1 AND ${activeSession} AND ($3::uuid IS NULL OR s.id <> $3)
       RETURNING ${sessionColumns}`,
      [customerId, reason, exceptId],
    );
  }

  /** Ends the `count` least recently used of a customer's live sessions, never the one that is named. */
  async revokeOldest(
    tx: Tx,
    customerId: string,
    reason: RevocationReason,
    exceptId: string,
    count: number,
  ): Promise<SessionRecord[]> {
    return tx.queryPrepared<SessionRecord>(
      `UPDATE sessions s SET revoked_at = now(), revoked_reason = $2
       WHERE ${activeSession} AND s.id IN (
         SELECT s.id FROM sessions s WHERE s.customer_id = $1 AND ${activeSession} AND s.id <> $3
         ORDER BY coalesce(s.rotated_at, s.created_at), s.id LIMIT $4)
       RETURNING ${sessionColumns}`,
      [customerId, reason, exceptId, count],
    );
  }

  /** Removes sessions that could not have lived on since `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    const condition = `absolute_expires_at < now() - $1 * interval '1 day'`;
    await prune(this.database, signal, 'sessions', condition, [days]);
  }
}
