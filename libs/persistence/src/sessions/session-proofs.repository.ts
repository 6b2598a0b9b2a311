// Raw SQL: a row lock, and times from the database clock.
import { addMethods, FRESH_SECONDS, isSecondFactor, type AuthenticationMethod } from '@gatehouse/domain';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { hasFactorSql, hasTotpSql } from '../factors/factors.repository.js';
import { hasPasskeySql } from '../passkeys/passkeys.repository.js';
import { boolean, statement, uuid, type RowOf } from '../sql/statements.js';
import { isActiveSession, proofColumns, proofRow } from './session-sql.js';
import type { RefreshedSession } from './sessions.repository.js';

const lockProof = statement(
  proofRow,
  `SELECT ${proofColumns} FROM sessions s WHERE s.customer_id = $1 AND s.id = $2 AND ${isActiveSession}
   FOR NO KEY UPDATE`,
);

const recordProof = statement(
  proofRow,
  `UPDATE sessions s SET auth_time = now(), amr = $3, factor_time = CASE WHEN $4 THEN now() ELSE factor_time END
   WHERE s.customer_id = $1 AND s.id = $2 RETURNING ${proofColumns}`,
);

const findActive = statement(
  { id: uuid },
  `SELECT s.id FROM sessions s WHERE s.customer_id = $1 AND s.id = $2 AND ${isActiveSession}`,
);

const freshnessRow = {
  isFresh: boolean,
  isFactorFresh: boolean,
  hasPassword: boolean,
  hasFactor: boolean,
  hasTotp: boolean,
  hasPasskey: boolean,
  hasRecoveryCodes: boolean,
};

const getFreshness = statement(
  freshnessRow,
  `SELECT coalesce(s.auth_time, s.created_at)
       > greatest(now() - interval '${FRESH_SECONDS} seconds', c.proof_required_at) AS "isFresh",
     coalesce(s.factor_time
       > greatest(now() - interval '${FRESH_SECONDS} seconds', c.proof_required_at), false) AS "isFactorFresh",
     c.password_hash IS NOT NULL AS "hasPassword", ${hasFactorSql('c.id')} AS "hasFactor",
     ${hasTotpSql('c.id')} AS "hasTotp", ${hasPasskeySql('c.id')} AS "hasPasskey",
     EXISTS (SELECT FROM recovery_codes r WHERE r.customer_id = c.id) AS "hasRecoveryCodes"
   FROM sessions s JOIN customers c ON c.id = s.customer_id
   WHERE c.id = $1 AND s.id = $2 AND ${isActiveSession}`,
);

/** The freshness of a session's proofs of identity, and the methods available for a new proof. */
export type SessionFreshness = RowOf<typeof freshnessRow>;

/** Stores when and how customers last proved their identity in their sessions. */
export class SessionProofsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records a new proof of identity in a session.
   * @returns the session's authentication methods and the proof time; null if the session is no longer active
   */
  async recordProof(
    tx: Tx,
    customerId: string,
    sessionId: string,
    methods: readonly AuthenticationMethod[],
  ): Promise<Pick<RefreshedSession, 'amr' | 'authTime'> | null> {
    const [before] = await tx.execute(lockProof, [customerId, sessionId]);
    if (!before) return null;
    const amr = addMethods(before.amr, methods);
    const [row] = await tx.execute(recordProof, [
      customerId,
      sessionId,
      amr,
      methods.some((method) => isSecondFactor(method)),
    ]);
    return row!;
  }

  /** Returns whether a session is still active. The transaction must have locked the customer. */
  async isActive(tx: Tx, customerId: string, sessionId: string): Promise<boolean> {
    const rows = await tx.execute(findActive, [customerId, sessionId]);
    return rows.length > 0;
  }

  /** Returns the freshness of a session's proofs, or null if the session is no longer active. */
  async getFreshness(
    customerId: string,
    sessionId: string,
    sql: Sql = this.database,
  ): Promise<SessionFreshness | null> {
    const [row] = await sql.execute(getFreshness, [customerId, sessionId]);
    return row ?? null;
  }
}
