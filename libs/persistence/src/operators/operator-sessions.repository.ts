import { operatorSessionTtl, type Operator, type OperatorRole, type OperatorStage } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';
import { operatorColumns } from './operators.repository.js';

export interface NewOperatorSession {
  id: string;
  operatorId: string;
  /** SHA-256 of the cookie's value. */
  tokenHash: Buffer;
  stage: Exclude<OperatorStage, 'signed_in'>;
  ip: string | null;
  userAgent: string | null;
}

/** Who is signed in. */
export interface SignedInOperator {
  id: string;
  operatorId: string;
  email: string;
  role: OperatorRole;
  hasSecondFactor: boolean;
  /** Whether `last_seen_at` is older than a minute. */
  isStale: boolean;
}

/** A session at any stage, with its operator and what their second factor is checked against. */
export interface OperatorSession {
  id: string;
  stage: OperatorStage;
  expiresAt: Date;
  operator: Operator;
  /** Encrypted; of the authenticator that is enrolled. */
  totpSecret: Buffer | null;
  /** Encrypted; of the one that this session is about to enroll. */
  newTotpSecret: Buffer | null;
}

/** A session as operators see it. */
export interface OperatorSessionRecord {
  id: string;
  stage: OperatorStage;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  ip: string | null;
  userAgent: string | null;
}

const { idle, absolute, unfinished } = operatorSessionTtl;
const idleExpiresAt = `s.last_seen_at + interval '${idle} seconds'`;
const isActive = `${idleExpiresAt} > now() AND s.ends_at > now()`;
const expiresAt = `least(${idleExpiresAt}, s.ends_at) AS "expiresAt"`;
const recordColumns = `
  s.id, s.stage, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt", ${expiresAt}, s.ip,
  s.user_agent AS "userAgent"`;

/** Sessions of the console. Their ends are read off PostgreSQL's clock, which all replicas share. */
export class OperatorSessionsRepository {
  constructor(private readonly database: Database) {}

  /** Opens a session that is not signed in yet; who does not finish in time begins again. */
  async insert(tx: Tx, session: NewOperatorSession): Promise<void> {
    await tx.queryPrepared(
      `INSERT INTO operator_sessions (id, operator_id, token_hash, stage, ip, user_agent, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + interval '${unfinished} seconds')`,
      [session.id, session.operatorId, session.tokenHash, session.stage, session.ip, session.userAgent],
    );
  }

  /**
   * Signs a session in: it begins anew under another value. False when it has ended or moved on meanwhile.
   * @param tokenHash SHA-256 of the new value
   */
  async signIn(
    tx: Tx,
    { id, stage }: Pick<OperatorSession, 'id' | 'stage'>,
    tokenHash: Buffer,
  ): Promise<boolean> {
    const rows = await tx.queryPrepared(
      `UPDATE operator_sessions s SET stage = 'signed_in', token_hash = $3, new_totp_secret = NULL,
         created_at = now(), last_seen_at = now(), ends_at = now() + interval '${absolute} seconds'
       WHERE s.id = $1 AND s.stage = $2 AND ${isActive} RETURNING s.id`,
      [id, stage, tokenHash],
    );
    return rows.length > 0;
  }

  /** Who holds the session with this SHA-256, unless it has ended, is unfinished, or its operator is disabled. */
  async findSignedIn(tokenHash: Buffer): Promise<SignedInOperator | null> {
    const [row] = await this.database.queryPrepared<SignedInOperator>(
      `SELECT s.id, o.id AS "operatorId", o.email, o.role, o.totp_secret IS NOT NULL AS "hasSecondFactor",
              s.last_seen_at < now() - interval '1 minute' AS "isStale"
       FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
       WHERE s.token_hash = $1 AND s.stage = 'signed_in' AND ${isActive} AND o.disabled_at IS NULL`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** The live session with this SHA-256 at whatever stage, unless its operator is disabled. */
  async find(tokenHash: Buffer): Promise<OperatorSession | null> {
    type Row = Operator & Omit<OperatorSession, 'id' | 'operator'> & { sessionId: string };
    const [row] = await this.database.queryPrepared<Row>(
      `SELECT s.id AS "sessionId", s.stage, ${expiresAt}, s.new_totp_secret AS "newTotpSecret",
              o.totp_secret AS "totpSecret", ${operatorColumns}
       FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
       WHERE s.token_hash = $1 AND ${isActive} AND o.disabled_at IS NULL`,
      [tokenHash],
    );
    if (!row) return null;
    const { sessionId: id, stage, expiresAt: ends, newTotpSecret, totpSecret, ...operator } = row;
    return { id, stage, expiresAt: ends, newTotpSecret, totpSecret, operator };
  }

  /** Notes that the session is in use, at most once a minute. */
  async recordUse(id: string): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE operator_sessions SET last_seen_at = now()
       WHERE id = $1 AND last_seen_at < now() - interval '1 minute'`,
      [id],
    );
  }

  /** Keeps the secret of the authenticator that the session is about to enroll. */
  async savePendingSecret(id: string, sealedSecret: Buffer): Promise<void> {
    await this.database.queryPrepared(
      `UPDATE operator_sessions SET new_totp_secret = $2 WHERE id = $1 AND stage IN ('enrollment', 'signed_in')`,
      [id, sealedSecret],
    );
  }

  /** An operator's live sessions, newest first; those that are not signed in yet as well. */
  async list(operatorId: string): Promise<OperatorSessionRecord[]> {
    return this.database.queryPrepared<OperatorSessionRecord>(
      `SELECT ${recordColumns} FROM operator_sessions s WHERE s.operator_id = $1 AND ${isActive} ORDER BY s.id DESC`,
      [operatorId],
    );
  }

  /** Ends the session with this SHA-256. @returns whose it was, and how far; null when it had ended before */
  async end(tx: Tx, tokenHash: Buffer): Promise<{ operatorId: string; stage: OperatorStage } | null> {
    const [row] = await tx.queryPrepared<{ operatorId: string; stage: OperatorStage }>(
      `DELETE FROM operator_sessions s WHERE s.token_hash = $1 AND ${isActive}
       RETURNING s.operator_id AS "operatorId", s.stage`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** Ends a session of an operator. False when they have none of this id. */
  async endForOperator(tx: Tx, operatorId: string, id: string): Promise<boolean> {
    const rows = await tx.queryPrepared(
      'DELETE FROM operator_sessions WHERE operator_id = $1 AND id = $2 RETURNING 1',
      [operatorId, id],
    );
    return rows.length > 0;
  }

  /** Ends every session of an operator, except one if it is named. @returns how many */
  async endAll(tx: Tx, operatorId: string, exceptId: string | null = null): Promise<number> {
    const rows = await tx.queryPrepared(
      `DELETE FROM operator_sessions WHERE operator_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id`,
      [operatorId, exceptId],
    );
    return rows.length;
  }

  /** Removes sessions that have ended. */
  async prune(signal: AbortSignal): Promise<void> {
    const condition = `ends_at < now() OR last_seen_at < now() - interval '${idle} seconds'`;
    await prune(this.database, signal, 'operator_sessions', condition);
  }
}
