// Raw SQL: a read that runs for every operator request, and expiry times from the database clock.
import {
  operatorSessionTtl,
  REAUTHENTICATION_TTL,
  type Operator,
  type OperatorRole,
  type OperatorSignInMethod,
  type OperatorStage,
  type AccessScope,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  boolean,
  bytea,
  integer,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import {
  hasOperatorPasskeySql,
  hasOperatorFactorSql,
  operatorColumns,
  operatorRow,
} from './operators.repository.js';

export interface NewOperatorSession {
  id: string;
  operatorId: string;
  /** The cookie value's SHA-256. */
  tokenHash: Buffer;
  stage: Exclude<OperatorStage, 'signed_in'>;
  method: OperatorSignInMethod;
  ip: string | null;
  userAgent: string | null;
}

/** A session at any stage, with its operator and the operator's second factor secrets. */
export interface OperatorSession {
  id: string;
  stage: OperatorStage;
  method: OperatorSignInMethod;
  /** The operator's single sign-on issuer; null before the first single sign-on. */
  issuer: string | null;
  /** True if the operator has reauthenticated in this session recently enough for sensitive actions. */
  isReauthenticated: boolean;
  expiresAt: Date;
  /** Seconds until `expiresAt`. */
  expiresIn: number;
  /** Seconds until the session ends regardless of use. */
  endsIn: number;
  operator: Operator;
  /** The enrolled authenticator's encrypted secret. */
  totpSecret: Buffer | null;
  hasPasskey: boolean;
  /** Encrypted secret of the authenticator that is being enrolled in this session. */
  newTotpSecret: Buffer | null;
}

const { idle, absolute, unfinished } = operatorSessionTtl;
const idleExpiresAt = `s.last_seen_at + interval '${idle} seconds'`;
const isActive = `${idleExpiresAt} > now() AND s.ends_at > now()`;
const sessionExpiry = `least(${idleExpiresAt}, s.ends_at)`;
const expiresAtColumn = `${sessionExpiry} AS "expiresAt"`;
const hasSecondFactor = `(s.method = 'oidc' OR ${hasOperatorFactorSql})`;
const isReauthenticated = `coalesce(s.reauthenticated_at > now() - interval '${REAUTHENTICATION_TTL} seconds', false)`;
const secondsUntil = (time: string): string => `floor(extract(epoch FROM ${time} - now()))::int`;

const insertSession = statement(
  {},
  `INSERT INTO operator_sessions (id, operator_id, token_hash, stage, method, ip, user_agent, ends_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + interval '${unfinished} seconds')`,
);

const signIn = statement(
  { id: uuid },
  `UPDATE operator_sessions s SET stage = 'signed_in', token_hash = $3, new_totp_secret = NULL,
     reauthenticated_at = NULL, created_at = now(), last_seen_at = now(),
     ends_at = now() + interval '${absolute} seconds'
   WHERE s.id = $1 AND s.stage = $2 AND ${isActive} RETURNING s.id`,
);

const reauthenticate = statement(
  { id: uuid },
  `UPDATE operator_sessions s SET reauthenticated_at = now(), token_hash = $2
   WHERE s.id = $1 AND s.stage = 'signed_in' AND ${isActive} RETURNING s.id`,
);

const consumeReauthentication = statement(
  { id: uuid },
  `UPDATE operator_sessions s SET reauthenticated_at = NULL
   WHERE s.id = $1 AND s.stage = 'signed_in' AND ${isReauthenticated} AND ${isActive} RETURNING s.id`,
);

const renewSession = statement(
  { id: uuid },
  `UPDATE operator_sessions s SET token_hash = $2, reauthenticated_at = NULL, new_totp_secret = NULL
   WHERE s.id = $1 AND s.stage = 'signed_in' AND ${isActive} RETURNING s.id`,
);

const signedInRow = {
  id: uuid,
  operatorId: uuid,
  email: text,
  role: textOf<OperatorRole>(),
  organizationIds: nullable(arrayOf(uuid)),
  method: textOf<OperatorSignInMethod>(),
  /** The operator's single sign-on issuer; null before the first single sign-on. */
  issuer: nullable(text),
  /** True if the operator has a second factor, or has signed in with the OpenID Provider. */
  hasSecondFactor: boolean,
  /** True if the operator has reauthenticated in this session recently enough for sensitive actions. */
  isReauthenticated: boolean,
  /** True if `last_seen_at` is more than a minute ago and should be updated. */
  isStale: boolean,
};

/** A signed-in session together with its operator. */
export type SignedInOperator = RowOf<typeof signedInRow>;

const findSignedInOperator = statement(
  signedInRow,
  `SELECT s.id, o.id AS "operatorId", o.email, o.role,
     o.organization_ids AS "organizationIds", s.method, o.oidc_issuer AS issuer,
     ${hasSecondFactor} AS "hasSecondFactor", ${isReauthenticated} AS "isReauthenticated",
     s.last_seen_at < now() - interval '1 minute' AS "isStale"
   FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
   WHERE s.token_hash = $1 AND s.stage = 'signed_in' AND ${isActive} AND o.disabled_at IS NULL`,
);

const findSignedInAccessScope = statement(
  { organizationIds: nullable(arrayOf(uuid)) },
  `SELECT o.organization_ids AS "organizationIds" FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
   WHERE s.id = $1 AND s.stage = 'signed_in' AND ${isActive} AND o.disabled_at IS NULL AND o.role = $2`,
);

const findSession = statement(
  {
    ...operatorRow,
    sessionId: uuid,
    stage: textOf<OperatorStage>(),
    method: textOf<OperatorSignInMethod>(),
    issuer: nullable(text),
    isReauthenticated: boolean,
    expiresAt: timestamptz,
    expiresIn: integer,
    endsIn: integer,
    newTotpSecret: nullable(bytea),
    totpSecret: nullable(bytea),
    hasPasskey: boolean,
  },
  `SELECT s.id AS "sessionId", s.stage, s.method, o.oidc_issuer AS issuer, ${isReauthenticated} AS "isReauthenticated", ${expiresAtColumn}, ${secondsUntil(sessionExpiry)} AS "expiresIn",
     ${secondsUntil('s.ends_at')} AS "endsIn", s.new_totp_secret AS "newTotpSecret",
     o.totp_secret AS "totpSecret", ${hasOperatorPasskeySql} AS "hasPasskey", ${operatorColumns}
   FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
   WHERE s.token_hash = $1 AND ${isActive} AND o.disabled_at IS NULL`,
);

const recordSessionUse = statement(
  {},
  `UPDATE operator_sessions SET last_seen_at = now()
   WHERE id = $1 AND last_seen_at < now() - interval '1 minute'`,
);

const savePendingSecret = statement(
  {},
  `UPDATE operator_sessions SET new_totp_secret = $2 WHERE id = $1 AND stage IN ('enrollment', 'signed_in')`,
);

const sessionRow = {
  id: uuid,
  stage: textOf<OperatorStage>(),
  method: textOf<OperatorSignInMethod>(),
  createdAt: timestamptz,
  lastSeenAt: timestamptz,
  expiresAt: timestamptz,
  ip: nullable(text),
  userAgent: nullable(text),
};

/** A session as returned by `OperatorSessionsRepository.list`. */
export type OperatorSessionRecord = RowOf<typeof sessionRow>;

const listSessions = statement(
  sessionRow,
  `SELECT s.id, s.stage, s.method, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt", ${expiresAtColumn}, s.ip,
     s.user_agent AS "userAgent"
   FROM operator_sessions s WHERE s.operator_id = $1 AND ${isActive} ORDER BY s.id DESC`,
);

const endSession = statement(
  { operatorId: uuid, stage: textOf<OperatorStage>() },
  `DELETE FROM operator_sessions s WHERE s.token_hash = $1 AND ${isActive}
   RETURNING s.operator_id AS "operatorId", s.stage`,
);

const endOperatorSession = statement(
  { id: uuid },
  'DELETE FROM operator_sessions WHERE operator_id = $1 AND id = $2 RETURNING id',
);

const endAllSessions = statement(
  { id: uuid },
  'DELETE FROM operator_sessions WHERE operator_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id',
);

const pruneSessions = pruneStatement(
  'operator_sessions',
  `ends_at < now() OR last_seen_at < now() - interval '${idle} seconds'`,
);

/** Console sessions. They expire by the database clock, which all replicas share. */
export class OperatorSessionsRepository {
  constructor(private readonly database: Database) {}

  /** Creates a session that is not signed in yet and expires unless the sign-in is completed in time. */
  async insert(tx: Tx, session: NewOperatorSession): Promise<void> {
    const { id, operatorId, tokenHash, stage, method, ip, userAgent } = session;
    await tx.execute(insertSession, [id, operatorId, tokenHash, stage, method, ip, userAgent]);
  }

  /**
   * Marks a session as signed in, restarts its lifetime and replaces its token. Returns false if the session has
   * ended or its stage has changed in the meantime.
   * @param tokenHash the new token's SHA-256
   */
  async signIn(
    tx: Tx,
    { id, stage }: Pick<OperatorSession, 'id' | 'stage'>,
    tokenHash: Buffer,
  ): Promise<boolean> {
    const rows = await tx.execute(signIn, [id, stage, tokenHash]);
    return rows.length > 0;
  }

  /**
   * Records a reauthentication in a signed-in session and replaces its token. Returns false if the session has ended.
   * @param tokenHash the new token's SHA-256
   */
  async reauthenticate(tx: Tx, id: string, tokenHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(reauthenticate, [id, tokenHash]);
    return rows.length > 0;
  }

  /**
   * Consumes a session's reauthentication, which permits a single sensitive action. Returns false if there is none.
   */
  async consumeReauthentication(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.execute(consumeReauthentication, [id]);
    return rows.length > 0;
  }

  /**
   * Replaces a signed-in session's token, and removes its reauthentication and pending authenticator. Returns false
   * if the session has ended.
   * @param tokenHash the new token's SHA-256
   */
  async renew(tx: Tx, id: string, tokenHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(renewSession, [id, tokenHash]);
    return rows.length > 0;
  }

  /**
   * Returns the signed-in session with this token hash, or null if it has ended or is unfinished, or if its operator
   * is disabled.
   */
  async findSignedIn(tokenHash: Buffer): Promise<SignedInOperator | null> {
    const [row] = await this.database.execute(findSignedInOperator, [tokenHash]);
    return row ?? null;
  }

  /** Returns a session's access scope, or null if the session has ended or the operator no longer has this role. */
  async findAccessScope(id: string, role: OperatorRole): Promise<AccessScope | null> {
    const [row] = await this.database.execute(findSignedInAccessScope, [id, role]);
    return row ? { ...row, projectId: null } : null;
  }

  /**
   * Returns the active session with this token hash at any stage, or null if there is none or its operator is
   * disabled.
   */
  async find(tokenHash: Buffer): Promise<OperatorSession | null> {
    const [row] = await this.database.execute(findSession, [tokenHash]);
    if (!row) return null;
    const {
      sessionId: id,
      stage,
      method,
      issuer,
      isReauthenticated,
      expiresAt,
      expiresIn,
      endsIn,
      newTotpSecret,
      totpSecret,
      hasPasskey,
      ...operator
    } = row;
    const times = { expiresAt, expiresIn, endsIn };
    return {
      id,
      stage,
      method,
      issuer,
      isReauthenticated,
      ...times,
      newTotpSecret,
      totpSecret,
      hasPasskey,
      operator,
    };
  }

  /** Records that a session was used, at most once a minute. */
  async recordUse(id: string): Promise<void> {
    await this.database.execute(recordSessionUse, [id]);
  }

  /** Saves the secret of the authenticator that is being enrolled in a session. */
  async savePendingSecret(id: string, sealedSecret: Buffer, tx?: Tx): Promise<void> {
    await (tx ?? this.database).execute(savePendingSecret, [id, sealedSecret]);
  }

  /** Returns an operator's active sessions, newest first, including those that are not signed in yet. */
  list(operatorId: string): Promise<OperatorSessionRecord[]> {
    return this.database.execute(listSessions, [operatorId]);
  }

  /** Ends the session with this token hash. @returns its operator and stage, or null if it had already ended */
  async end(tx: Tx, tokenHash: Buffer): Promise<{ operatorId: string; stage: OperatorStage } | null> {
    const [row] = await tx.execute(endSession, [tokenHash]);
    return row ?? null;
  }

  /** Ends an operator's session. Returns false if the operator has no session with this id. */
  async endForOperator(tx: Tx, operatorId: string, id: string): Promise<boolean> {
    const rows = await tx.execute(endOperatorSession, [operatorId, id]);
    return rows.length > 0;
  }

  /** Ends all of an operator's sessions except `exceptId`. @returns the number of ended sessions */
  async endAll(tx: Tx, operatorId: string, exceptId: string | null = null): Promise<number> {
    const rows = await tx.execute(endAllSessions, [operatorId, exceptId]);
    return rows.length;
  }

  /** Removes sessions that have ended. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneSessions);
  }
}
