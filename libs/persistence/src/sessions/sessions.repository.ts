// Raw SQL: sessions and refresh tokens, which are on the hot path of every sign-in, refresh and authenticated request.
import {
  defaultLimits,
  effectiveLimits,
  effectiveSettings,
  MAX_PASSWORD_GUESSES,
  type AuthenticationMethod,
  type Customer,
  type CustomerIdentity,
  type ProjectContext,
  type ProjectLimits,
  type RefreshTokenChain,
  type RevocationReason,
  type SupportAccess,
  type TokenProject,
} from '@gatehouse/domain';
import {
  customerColumns,
  customerRow,
  customerWithProjectColumns,
  customerWithProjectRow,
  identityColumns,
  identityRow,
  toCustomerWithProject,
} from '../customers/customers.repository.js';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { IS_EXPIRED } from '../failed-attempts/login-allowance.js';
import { projectRow } from '../projects/projects.repository.js';
import { selectedRow, selectList } from '../sql/entity-columns.js';
import { boolean, integer, jsonb, nullable, statement, text, uuid } from '../sql/statements.js';
import {
  isActiveSession,
  needsProof,
  proofColumns,
  proofRow,
  sessionColumns,
  sessionRow,
} from './session-sql.js';
import { SessionEntity } from './session.entity.js';

export interface NewSession {
  id: string;
  customerId: string;
  refreshHash: Buffer;
  /** Seconds. */
  idleTtl: number;
  /** Seconds. */
  absoluteTtl: number;
  amr: AuthenticationMethod[];
  /** Time at which the customer proved their identity; null for the current time. */
  authTime: Date | null;
  /** Identity provider that the customer signed in with, or null. */
  providerId: string | null;
  /** Key and reason of the sign-in token that starts the session, or null. */
  support: SupportAccess | null;
  /**
   * SHA-256 of the email whose failed attempts are cleared; null if the session does not count as a sign-in by the
   * customer.
   */
  emailHash: Buffer | null;
  /** Number of password guesses that this sign-in itself has added to the count. */
  addedGuesses: number;
  ip: string | null;
  /** Address block of `ip`, which is saved as the customer's known client IP. */
  addressBlock: string | null;
  userAgent: string | null;
}

/** A session as listed for a customer. */
export interface SessionRecord {
  id: string;
  createdAt: Date;
  /** Time of the last refresh or, before the first, the sign-in. */
  lastUsedAt: Date;
  expiresAt: Date;
  ip: string | null;
  userAgent: string | null;
}

/** A new session, with information about the sign-in. */
export interface OpenedSession {
  session: SessionRecord;
  /** Number of the customer's other active sessions. */
  otherSessions: number;
  /** Number of failed password attempts that were cleared; 0 if their window has ended. */
  clearedAttempts: number;
}

/** A session whose refresh token has just been accepted. */
export interface RefreshedSession {
  id: string;
  amr: AuthenticationMethod[];
  /** Time at which the customer last proved their identity. */
  authTime: Date;
  customer: CustomerIdentity;
  project: TokenProject;
}

export interface RefreshableSession extends RefreshedSession {
  customer: Customer;
  project: ProjectContext;
  chain: RefreshTokenChain;
  currentHash: Buffer;
  previousHash: Buffer | null;
  /** True if a newer proof of identity or a second factor has become required. */
  needsProof: boolean;
}

// A blocked password stays blocked after a sign-in with any method (sign-in contract, section 1).
const insertSession = statement(
  { ...sessionRow, otherSessions: integer, clearedAttempts: integer },
  `WITH recorded AS (
     UPDATE customers SET last_login_at = now() WHERE id = $2 AND $11::bytea IS NOT NULL
   ), cleared AS (
     DELETE FROM login_attempts a USING customers c
     WHERE c.id = $2 AND a.project_id = c.project_id AND a.email_hash = $11
       AND (a.guesses - $12::int < ${MAX_PASSWORD_GUESSES} OR ${IS_EXPIRED})
     RETURNING CASE WHEN a.window_ends_at > now() THEN a.tries ELSE 0 END AS attempts
   ), cleared_factors AS (
     DELETE FROM factor_attempts WHERE customer_id = $2 AND $11::bytea IS NOT NULL
   ), cleared_codes AS (
     DELETE FROM email_code_attempts a USING customers c
     WHERE 'email' = ANY ($9::text[]) AND c.id = $2 AND a.project_id = c.project_id
       AND a.email_hash = sha256(convert_to(c.email, 'UTF8'))
   ), known_address AS (
     INSERT INTO customer_addresses AS known (customer_id, address_block)
     SELECT $2, $8 WHERE $8::text IS NOT NULL
     ON CONFLICT (customer_id, address_block) DO UPDATE SET last_login_at = now()
       WHERE known.last_login_at < now() - interval '1 hour'
   )
   INSERT INTO sessions AS s (id, customer_id, generation, current_hash, idle_ttl, idle_expires_at,
     absolute_expires_at, ip, user_agent, amr, auth_time, provider_id, support_key_id, support_reason, factor_time)
   VALUES ($1, $2, 1, $3, $4::int, now() + $4::int * interval '1 second', now() + $5::int * interval '1 second', $6, $7, $9, $10, $13, $14, $15,
     CASE WHEN 'mfa' = ANY ($9::text[]) THEN coalesce($10::timestamptz, now()) END)
   RETURNING ${sessionColumns},
     (SELECT count(*)::int FROM sessions s WHERE s.customer_id = $2 AND ${isActiveSession}) AS "otherSessions",
     coalesce((SELECT attempts FROM cleared), 0) AS "clearedAttempts"`,
);

const findActiveCustomer = statement(
  {
    ...customerRow,
    projectLimits: nullable(jsonb<Partial<ProjectLimits>>()),
    isSupport: boolean,
    supportKeyId: nullable(uuid),
    supportReason: nullable(text),
  },
  `SELECT ${customerColumns}, p.settings -> 'limits' AS "projectLimits", 'support' = ANY (s.amr) AS "isSupport",
     s.support_key_id AS "supportKeyId", s.support_reason AS "supportReason"
   FROM sessions s JOIN customers c ON c.id = s.customer_id
     JOIN projects p ON p.id = c.project_id
   WHERE s.id = $1 AND c.id = $2 AND c.project_id = $3 AND c.disabled_at IS NULL AND p.archived_at IS NULL
     AND ${isActiveSession}`,
);

const rotateRefreshToken = statement(
  {
    ...identityRow,
    ...proofRow,
    projectId: projectRow.projectId,
    projectSettings: projectRow.projectSettings,
  },
  `UPDATE sessions s SET generation = s.generation + 1, previous_hash = s.current_hash, current_hash = $4,
     rotated_at = now(),
     idle_expires_at = least(now() + s.idle_ttl * interval '1 second', s.absolute_expires_at)
   FROM customers c JOIN projects p ON p.id = c.project_id
   WHERE s.id = $1 AND s.generation = $2 AND s.current_hash = $3 AND ${isActiveSession}
     AND $5 <= coalesce((p.settings -> 'limits' ->> 'refresh')::int, ${defaultLimits.refresh})
     AND c.id = s.customer_id AND c.disabled_at IS NULL AND p.archived_at IS NULL AND NOT ${needsProof}
   RETURNING ${identityColumns}, ${proofColumns}, p.id AS "projectId", p.settings AS "projectSettings"`,
);

const chainFields = ['generation', 'rotatedAt', 'idleExpiresAt', 'absoluteExpiresAt', 'revokedAt'] as const;
const refreshFields = [...chainFields, 'currentHash', 'previousHash'] as const;

const findRefreshableSession = statement(
  {
    ...customerWithProjectRow,
    ...proofRow,
    needsProof: boolean,
    ...selectedRow(SessionEntity, refreshFields),
  },
  `SELECT ${customerWithProjectColumns}, ${proofColumns}, ${needsProof} AS "needsProof", ${selectList(SessionEntity, 's', refreshFields)}
   FROM sessions s JOIN customers c ON c.id = s.customer_id
     JOIN projects p ON p.id = c.project_id JOIN organizations o ON o.id = p.organization_id
   WHERE s.id = $1 AND c.disabled_at IS NULL AND p.archived_at IS NULL`,
);

const listActiveSessions = statement(
  sessionRow,
  `SELECT ${sessionColumns} FROM sessions s JOIN customers c ON c.id = s.customer_id
   WHERE c.project_id = $1 AND c.id = $2 AND ${isActiveSession} AND ($3::uuid IS NULL OR s.id < $3)
   ORDER BY s.id DESC LIMIT $4`,
);

const revokeSession = statement(
  sessionRow,
  `UPDATE sessions s SET revoked_at = now(), revoked_reason = $3
   WHERE s.id = $2 AND s.customer_id = $1 AND ${isActiveSession} RETURNING ${sessionColumns}`,
);

const revokeSessions = statement(
  sessionRow,
  `UPDATE sessions s SET revoked_at = now(), revoked_reason = $2
   WHERE s.customer_id = $1 AND ${isActiveSession} AND ($3::uuid IS NULL OR s.id <> $3)
   RETURNING ${sessionColumns}`,
);

const revokeOldestSessions = statement(
  sessionRow,
  `UPDATE sessions s SET revoked_at = now(), revoked_reason = $2
   WHERE ${isActiveSession} AND s.id IN (
     SELECT s.id FROM sessions s WHERE s.customer_id = $1 AND ${isActiveSession} AND s.id <> $3
     ORDER BY coalesce(s.rotated_at, s.created_at), s.id LIMIT $4)
   RETURNING ${sessionColumns}`,
);

const pruneSessions = pruneStatement('sessions', `absolute_expires_at < now() - $1 * interval '1 day'`);

/** Customers' sessions, with their refresh tokens. */
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates a session. If it counts as a sign-in by the customer, records its time and clears the failed password
   * and second factor attempts. These must not be cleared before a session exists (requirement MF-02).
   */
  async insert(tx: Tx, session: NewSession): Promise<OpenedSession> {
    const [row] = await tx.execute(insertSession, [
      session.id,
      session.customerId,
      session.refreshHash,
      session.idleTtl,
      session.absoluteTtl,
      session.ip,
      session.userAgent,
      session.addressBlock,
      session.amr,
      session.authTime,
      session.emailHash,
      session.addedGuesses,
      session.providerId,
      session.support?.keyId ?? null,
      session.support?.reason ?? null,
    ]);
    const { otherSessions, clearedAttempts, ...created } = row!;
    return { session: created, otherSessions, clearedAttempts };
  }

  /**
   * Returns an active session's customer, the project's limits and, if a support token started the session, its key
   * and reason. Returns null unless all ids from the access token match.
   */
  async findActiveCustomer(
    sessionId: string,
    customerId: string,
    projectId: string,
  ): Promise<{ customer: Customer; limits: ProjectLimits; support: SupportAccess | null } | null> {
    const [row] = await this.database.execute(findActiveCustomer, [sessionId, customerId, projectId]);
    if (!row) return null;
    const { projectLimits, isSupport, supportKeyId: keyId, supportReason: reason, ...customer } = row;
    return {
      customer,
      limits: effectiveLimits(projectLimits),
      support: isSupport ? { keyId, reason } : null,
    };
  }

  /**
   * Replaces a session's newest refresh token with its successor. This is one conditional statement, so that exactly
   * one of several parallel calls succeeds. Returns null if the token is not the newest, the session is not active or
   * needs a newer proof of identity, the customer is disabled, the project is archived, or its refresh limit is
   * reached.
   * @param refreshes client's refreshes in the current limit window
   */
  async rotate(
    sessionId: string,
    generation: number,
    hash: Buffer,
    successorHash: Buffer,
    refreshes: number,
  ): Promise<RefreshedSession | null> {
    const values = [sessionId, generation, hash, successorHash, refreshes];
    const [row] = await this.database.execute(rotateRefreshToken, values);
    if (!row) return null;
    const { projectId, projectSettings, amr, authTime, ...customer } = row;
    const project = { id: projectId, settings: effectiveSettings(projectSettings) };
    return { id: sessionId, amr, authTime, customer, project };
  }

  /**
   * Returns a session with its refresh token chain, or null if it does not exist, its customer is disabled, or its
   * project is archived.
   */
  async findRefreshable(sessionId: string): Promise<RefreshableSession | null> {
    const [row] = await this.database.execute(findRefreshableSession, [sessionId]);
    if (!row) return null;
    const { generation, rotatedAt, idleExpiresAt, absoluteExpiresAt, revokedAt, ...rest } = row;
    const { currentHash, previousHash, needsProof, amr, authTime, ...columns } = rest;
    const chain = { generation, rotatedAt, idleExpiresAt, absoluteExpiresAt, revokedAt };
    const proof = { id: sessionId, amr, authTime };
    return {
      ...proof,
      ...toCustomerWithProject(columns),
      chain,
      currentHash,
      previousHash,
      needsProof,
    };
  }

  /** Returns a customer's active sessions, newest first. */
  list(
    projectId: string,
    customerId: string,
    before: string | null,
    limit: number,
  ): Promise<SessionRecord[]> {
    return this.database.execute(listActiveSessions, [projectId, customerId, before, limit]);
  }

  /** Revokes a customer's session. Returns null if the customer has no active session with this id. */
  async revoke(
    tx: Tx,
    customerId: string,
    sessionId: string,
    reason: RevocationReason,
  ): Promise<SessionRecord | null> {
    const [row] = await tx.execute(revokeSession, [customerId, sessionId, reason]);
    return row ?? null;
  }

  /** Revokes all of a customer's active sessions except `exceptId`. */
  revokeAll(
    tx: Tx,
    customerId: string,
    reason: RevocationReason,
    exceptId: string | null,
  ): Promise<SessionRecord[]> {
    return tx.execute(revokeSessions, [customerId, reason, exceptId]);
  }

  /** Revokes a customer's `count` least recently used active sessions, but never `exceptId`. */
  revokeOldest(
    tx: Tx,
    customerId: string,
    reason: RevocationReason,
    exceptId: string,
    count: number,
  ): Promise<SessionRecord[]> {
    return tx.execute(revokeOldestSessions, [customerId, reason, exceptId, count]);
  }

  /** Removes sessions whose absolute lifetime ended more than `days` ago. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneSessions, [days]);
  }
}
