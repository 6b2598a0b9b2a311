import { notFound, type Operator, type OperatorRole } from '@gatehouse/domain';
import { countMatches, COUNT_CAP, type CappedCount } from '../capped-count.js';
import type { Database, Sql } from '../database.js';
import type { Tx } from '../transactions.js';

/** An operator with secrets. `totpSecret` is encrypted, and null before an authenticator is enrolled. */
export type OperatorWithSecrets = Operator & { passwordHash: string | null; totpSecret: Buffer | null };

/** The columns of an operator under the names of `Operator`, for a table aliased `o`. */
export const operatorColumns = `
  o.id, o.email, o.name, o.role, o.totp_secret IS NOT NULL AS "secondFactor",
  CASE WHEN o.disabled_at IS NOT NULL THEN 'disabled' WHEN o.password_hash IS NULL THEN 'invited' ELSE 'active' END
    AS status,
  o.last_login_at AS "lastLoginAt", o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

/**
 * SQL for operators with $1 in their email or name, case-insensitive, or as their id; every operator if $1 is
 * null.
 */
const queryCondition = `($1::text IS NULL OR strpos(o.email, lower($1)) > 0 OR strpos(lower(o.name), lower($1)) > 0
  OR o.id::text = lower($1))`;

/** The operators of the installation. They belong to no tenant. */
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether there is any operator. Setup is available until there is one. */
  async hasAny(sql: Sql = this.database): Promise<boolean> {
    const rows = await sql.queryPrepared('SELECT 1 FROM operators LIMIT 1');
    return rows.length > 0;
  }

  /** Locks the creation of the first operator, so that one process at a time performs it. */
  async lockFirstOperator(tx: Tx): Promise<void> {
    await tx.queryPrepared(`SELECT pg_advisory_xact_lock(hashtext('gatehouse first operator'))`);
  }

  /** Returns null if the email is taken. */
  async insert(
    tx: Tx,
    operator: {
      id: string;
      email: string;
      name: string | null;
      passwordHash: string | null;
      role: OperatorRole;
    },
  ): Promise<Operator | null> {
    const [row] = await tx.queryPrepared<Operator>(
      `INSERT INTO operators AS o (id, email, name, password_hash, role) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (email) DO NOTHING RETURNING ${operatorColumns}`,
      [operator.id, operator.email, operator.name, operator.passwordHash, operator.role],
    );
    return row ?? null;
  }

  /**
   * Returns operators, newest first. There are so few that no index is needed.
   * @param q limits the list to operators with this text in their email or name, case-insensitive, or as
   *   their id
   */
  async list(q: string | null, before: string | null, limit: number): Promise<Operator[]> {
    return this.database.queryPrepared<Operator>(
      `SELECT ${operatorColumns} FROM operators o
       WHERE ${queryCondition} AND ($2::uuid IS NULL OR o.id < $2)
       ORDER BY o.id DESC LIMIT $3`,
      [q, before, limit],
    );
  }

  /** Counts the operators of the same list, up to the cap. */
  count(q: string | null): Promise<CappedCount> {
    const window = COUNT_CAP + 1;
    const rows = `(SELECT FROM operators o WHERE ${queryCondition} LIMIT ${window}) o`;
    return countMatches(this.database, { rows, isMatch: 'true', values: [q] }, window);
  }

  /** @throws GatehouseError `not_found` */
  async get(id: string): Promise<Operator> {
    const [row] = await this.database.queryPrepared<Operator>(
      `SELECT ${operatorColumns} FROM operators o WHERE o.id = $1`,
      [id],
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns an operator with secrets and locks it until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  async lock(tx: Tx, id: string): Promise<OperatorWithSecrets> {
    const [row] = await tx.queryPrepared<OperatorWithSecrets>(
      `SELECT ${operatorColumns}, o.password_hash AS "passwordHash", o.totp_secret AS "totpSecret" FROM operators o WHERE o.id = $1 FOR UPDATE`,
      [id],
    );
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns the ids of the admins who can sign in, and locks them until the transaction ends, which prevents
   * concurrent removal of the last admin.
   */
  async lockActiveAdmins(tx: Tx): Promise<string[]> {
    const rows = await tx.queryPrepared<{ id: string }>(
      `SELECT id FROM operators WHERE role = 'admin' AND disabled_at IS NULL AND password_hash IS NOT NULL
       ORDER BY id FOR UPDATE`,
    );
    return rows.map(({ id }) => id);
  }

  async update(tx: Tx, id: string, { role, name }: Pick<Operator, 'role' | 'name'>): Promise<Operator> {
    return this.updateColumns(tx, id, 'role = $2, name = $3', [role, name]);
  }

  async setDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<Operator> {
    return this.updateColumns(tx, id, 'disabled_at = CASE WHEN $2::boolean THEN now() END', [isDisabled]);
  }

  /** Sets a new password. @param name null leaves the name unchanged */
  async setPassword(tx: Tx, id: string, passwordHash: string, name: string | null = null): Promise<Operator> {
    return this.updateColumns(tx, id, 'password_hash = $2, name = coalesce($3, name)', [passwordHash, name]);
  }

  /** Stores another hash of the same password. */
  async updatePasswordHash(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.queryPrepared('UPDATE operators SET password_hash = $2 WHERE id = $1', [id, passwordHash]);
  }

  async recordLogin(tx: Tx, id: string): Promise<void> {
    await tx.queryPrepared('UPDATE operators SET last_login_at = now() WHERE id = $1', [id]);
  }

  /**
   * Enrolls an authenticator.
   * @param step time step of the code that confirmed the authenticator, which is consumed
   */
  async enrollAuthenticator(
    tx: Tx,
    id: string,
    sealedSecret: Buffer,
    step: number,
    codes: Buffer[],
  ): Promise<Operator> {
    return this.updateColumns(tx, id, 'totp_secret = $2, totp_step = $3, recovery_codes = $4', [
      sealedSecret,
      step,
      codes,
    ]);
  }

  async removeSecondFactor(tx: Tx, id: string): Promise<Operator> {
    return this.updateColumns(tx, id, `totp_secret = NULL, recovery_codes = '{}'`);
  }

  async setRecoveryCodes(tx: Tx, id: string, codes: Buffer[]): Promise<Operator> {
    return this.updateColumns(tx, id, 'recovery_codes = $2', [codes]);
  }

  /**
   * Consumes a time step and all earlier ones: of several parallel calls one succeeds (RFC 6238, section
   * 5.2).
   */
  async consumeTimeStep(tx: Tx, id: string, step: number): Promise<boolean> {
    const rows = await tx.queryPrepared(
      'UPDATE operators SET totp_step = $2 WHERE id = $1 AND totp_step < $2 RETURNING id',
      [id, step],
    );
    return rows.length > 0;
  }

  /** Consumes a recovery code. @param codes hashes of one code, one for each key that may have hashed it */
  async consumeRecoveryCode(tx: Tx, id: string, codes: Buffer[]): Promise<boolean> {
    const rows = await tx.queryPrepared(
      `UPDATE operators o SET recovery_codes = ARRAY(
         SELECT code FROM unnest(o.recovery_codes) AS code WHERE code <> ALL ($2::bytea[]))
       WHERE o.id = $1 AND o.recovery_codes && $2::bytea[] RETURNING o.id`,
      [id, codes],
    );
    return rows.length > 0;
  }

  /** Updates columns of an operator. @param set SQL from code; its values begin at $2 */
  private async updateColumns(tx: Tx, id: string, set: string, values: unknown[] = []): Promise<Operator> {
    const [row] = await tx.queryPrepared<Operator>(
      `UPDATE operators o SET ${set}, updated_at = now() WHERE o.id = $1 RETURNING ${operatorColumns}`,
      [id, ...values],
    );
    if (!row) throw notFound();
    return row;
  }
}
