// Raw SQL: computed columns, inserts and updates that return rows, locks, conditional updates, and updates that do not
// change `updated_at`.
import { notFound, type Operator, type OperatorRole, type OperatorStatus } from '@gatehouse/domain';
import type { Database, ReadManager } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { capScanCount, countedRow, countedSql, COUNT_CAP, type CappedCount } from '../lists/capped-count.js';
import {
  arrayOf,
  boolean,
  bytea,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
  type Statement,
} from '../sql/statements.js';
import { OperatorEntity } from './operator.entity.js';

/** Row map for `operatorColumns`. */
export const operatorRow = {
  id: uuid,
  email: text,
  name: nullable(text),
  role: textOf<OperatorRole>(),
  organizationIds: nullable(arrayOf(uuid)),
  secondFactor: boolean,
  singleSignOn: boolean,
  status: textOf<OperatorStatus>(),
  lastLoginAt: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};

/** Condition that operator `o` has a passkey. */
export const hasOperatorPasskeySql = 'EXISTS (SELECT FROM operator_passkeys k WHERE k.operator_id = o.id)';

/** Condition that operator `o` has a second factor. */
export const hasOperatorFactorSql = `(o.totp_secret IS NOT NULL OR ${hasOperatorPasskeySql})`;

/** Columns of operator `o`, named as in `Operator`. */
export const operatorColumns = `
  o.id, o.email, o.name, o.role, o.organization_ids AS "organizationIds", ${hasOperatorFactorSql} AS "secondFactor",
  o.oidc_subject IS NOT NULL AS "singleSignOn",
  CASE WHEN o.disabled_at IS NOT NULL THEN 'disabled' WHEN coalesce(o.password_hash, o.oidc_subject) IS NULL THEN 'invited'
    ELSE 'active' END AS status,
  o.last_login_at AS "lastLoginAt", o.created_at AS "createdAt", o.updated_at AS "updatedAt"`;

/**
 * Condition that an operator's email or name contains $1, case-insensitively, or that $1 is the operator's id. Null
 * matches every operator.
 */
const queryCondition = `($1::text IS NULL OR strpos(o.email, lower($1)) > 0 OR strpos(lower(o.name), lower($1)) > 0
  OR o.id::text = lower($1))`;

/** Maximum number of operators that a count reads. */
const COUNT_WINDOW = COUNT_CAP + 1;

const lockFirstOperator = statement(
  {},
  `SELECT FROM pg_advisory_xact_lock(hashtext('gatehouse first operator'))`,
);

const insertOperator = statement(
  operatorRow,
  `INSERT INTO operators AS o (id, email, name, password_hash, role, organization_ids) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (email) DO NOTHING RETURNING ${operatorColumns}`,
);

const listOperators = statement(
  operatorRow,
  `SELECT ${operatorColumns} FROM operators o
   WHERE ${queryCondition} AND ($2::uuid IS NULL OR o.id < $2)
   ORDER BY o.id DESC LIMIT $3`,
);

const countOperators = statement(
  countedRow,
  countedSql(`(SELECT FROM operators o WHERE ${queryCondition} LIMIT ${COUNT_WINDOW}) o`, 'true'),
);

const findOperator = statement(operatorRow, `SELECT ${operatorColumns} FROM operators o WHERE o.id = $1`);

const findOperatorByEmail = statement(
  operatorRow,
  `SELECT ${operatorColumns} FROM operators o WHERE o.email = $1`,
);

const findOperatorByAccount = statement(
  operatorRow,
  `SELECT ${operatorColumns} FROM operators o WHERE o.oidc_issuer = $1 AND o.oidc_subject = $2`,
);

const operatorWithSecretsRow = {
  ...operatorRow,
  passwordHash: nullable(text),
  /** Encrypted; null if no authenticator is enrolled. */
  totpSecret: nullable(bytea),
  /** The operator's single sign-on issuer; null before the first single sign-on. */
  issuer: nullable(text),
};

export type OperatorWithSecrets = RowOf<typeof operatorWithSecretsRow>;

const lockOperator = statement(
  operatorWithSecretsRow,
  `SELECT ${operatorColumns}, o.password_hash AS "passwordHash", o.totp_secret AS "totpSecret",
     o.oidc_issuer AS issuer
   FROM operators o WHERE o.id = $1 FOR UPDATE`,
);

/** FROM item and conditions for admins who are enabled and have installation-wide access. */
const ADMINS = `operators WHERE role = 'admin' AND organization_ids IS NULL AND disabled_at IS NULL`;

const lockActiveAdmins = statement(
  { id: uuid },
  `SELECT id FROM ${ADMINS} AND (password_hash IS NOT NULL OR $1::boolean AND oidc_subject IS NOT NULL)
   ORDER BY id FOR UPDATE`,
);

const listAdminEmails = statement(
  { email: text },
  `SELECT email FROM ${ADMINS} AND coalesce(password_hash, oidc_subject) IS NOT NULL ORDER BY id`,
);

/** Declares an update of the operator $1. @param set assignments, never from user input; their values start at $2 */
const updateStatement = (set: string): Statement<Operator> =>
  statement(
    operatorRow,
    `UPDATE operators o SET ${set}, updated_at = now() WHERE o.id = $1 RETURNING ${operatorColumns}`,
  );

const updateOperator = updateStatement('role = $2, name = $3, organization_ids = $4');
const setDisabled = updateStatement('disabled_at = CASE WHEN $2::boolean THEN now() END');
const setPassword = updateStatement('password_hash = $2, name = coalesce($3, name)');
const linkAccount = updateStatement('oidc_issuer = $2, oidc_subject = $3');
const enrollAuthenticator = updateStatement('totp_secret = $2, totp_step = $3, recovery_codes = $4');
const removeSecondFactor = updateStatement(`totp_secret = NULL, recovery_codes = '{}'`);
const setRecoveryCodes = updateStatement('recovery_codes = $2');

const updatePasswordHash = statement({}, 'UPDATE operators SET password_hash = $2 WHERE id = $1');

const recordLogin = statement({}, 'UPDATE operators SET last_login_at = now() WHERE id = $1');

const consumeStep = statement(
  { id: uuid },
  'UPDATE operators SET totp_step = $2 WHERE id = $1 AND totp_step < $2 RETURNING id',
);

const consumeRecoveryCode = statement(
  { id: uuid },
  `UPDATE operators o SET recovery_codes = ARRAY(
     SELECT code FROM unnest(o.recovery_codes) AS code WHERE code <> ALL ($2::bytea[]))
   WHERE o.id = $1 AND o.recovery_codes && $2::bytea[] RETURNING o.id`,
);

/** Operators, who belong to the installation and not to a tenant. */
export class OperatorsRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether any operator exists. Setup is available until one does. */
  async hasAny(tx?: Tx): Promise<boolean> {
    const exists = (manager: ReadManager): Promise<boolean> => manager.exists(OperatorEntity);
    return tx ? exists(tx.manager) : this.database.read(exists);
  }

  /** Takes the lock for creating the first operator, so that only one process at a time creates it. */
  async lockFirstOperator(tx: Tx): Promise<void> {
    await tx.execute(lockFirstOperator);
  }

  /** Inserts an operator. Returns null if the email is taken. */
  async insert(
    tx: Tx,
    operator: Pick<Operator, 'id' | 'email' | 'name' | 'role' | 'organizationIds'> & {
      passwordHash: string | null;
    },
  ): Promise<Operator | null> {
    const { id, email, name, passwordHash, role, organizationIds } = operator;
    const [row] = await tx.execute(insertOperator, [id, email, name, passwordHash, role, organizationIds]);
    return row ?? null;
  }

  /**
   * Returns operators, newest first. There are too few to need an index.
   * @param q email or name substring, case-insensitive, or the id
   */
  list(q: string | null, before: string | null, limit: number): Promise<Operator[]> {
    return this.database.execute(listOperators, [q, before, limit]);
  }

  /** Counts the operators that match `q`, up to the cap. */
  async count(q: string | null): Promise<CappedCount> {
    const [counted] = await this.database.execute(countOperators, [q]);
    return capScanCount(counted!, COUNT_WINDOW);
  }

  /** @throws GatehouseError `not_found` */
  async get(id: string): Promise<Operator> {
    const [row] = await this.database.execute(findOperator, [id]);
    if (!row) throw notFound();
    return row;
  }

  /** @param email in canonical form */
  async findByEmail(email: string, tx?: Tx): Promise<Operator | null> {
    const [row] = await (tx ?? this.database).execute(findOperatorByEmail, [email]);
    return row ?? null;
  }

  /** Returns the operator with this OpenID Provider account, or null. */
  async findByAccount(tx: Tx, issuer: string, subject: string): Promise<Operator | null> {
    const [row] = await tx.execute(findOperatorByAccount, [issuer, subject]);
    return row ?? null;
  }

  /**
   * Returns an operator with its secrets, and locks the row until the transaction ends.
   * @throws GatehouseError `not_found`
   */
  async lock(tx: Tx, id: string): Promise<OperatorWithSecrets> {
    const [row] = await tx.execute(lockOperator, [id]);
    if (!row) throw notFound();
    return row;
  }

  /**
   * Returns the ids of admins who can sign in with a password and are not limited to organizations. Locks them until
   * the transaction ends, which prevents concurrent removal of the last admin. Admins without a password do not count
   * by default, because they depend on the OpenID Provider.
   * @param includesSingleSignOn true to include admins who can sign in only with single sign-on
   */
  async lockActiveAdmins(tx: Tx, includesSingleSignOn: boolean): Promise<string[]> {
    const rows = await tx.execute(lockActiveAdmins, [includesSingleSignOn]);
    return rows.map(({ id }) => id);
  }

  /** Returns the email addresses of admins who can sign in and are not limited to organizations. */
  async listAdminEmails(tx: Tx): Promise<string[]> {
    const rows = await tx.execute(listAdminEmails);
    return rows.map(({ email }) => email);
  }

  async update(
    tx: Tx,
    id: string,
    { role, name, organizationIds }: Pick<Operator, 'role' | 'name' | 'organizationIds'>,
  ): Promise<Operator> {
    return runUpdate(tx, updateOperator, [id, role, name, organizationIds]);
  }

  async setDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<Operator> {
    return runUpdate(tx, setDisabled, [id, isDisabled]);
  }

  /** Sets a new password. @param name new name, or null to keep the current one */
  async setPassword(tx: Tx, id: string, passwordHash: string, name: string | null = null): Promise<Operator> {
    return runUpdate(tx, setPassword, [id, passwordHash, name]);
  }

  /** Stores a new hash of the same password. */
  async updatePasswordHash(tx: Tx, id: string, passwordHash: string): Promise<void> {
    await tx.execute(updatePasswordHash, [id, passwordHash]);
  }

  /** Links an operator to an account with an OpenID Provider. */
  async linkAccount(tx: Tx, id: string, issuer: string, subject: string): Promise<Operator> {
    return runUpdate(tx, linkAccount, [id, issuer, subject]);
  }

  async recordLogin(tx: Tx, id: string): Promise<void> {
    await tx.execute(recordLogin, [id]);
  }

  /**
   * Enrolls an authenticator.
   * @param step time step of the code that confirmed the authenticator; codes up to this step are rejected afterwards
   */
  async enrollAuthenticator(
    tx: Tx,
    id: string,
    sealedSecret: Buffer,
    step: number,
    codes: Buffer[],
  ): Promise<Operator> {
    return runUpdate(tx, enrollAuthenticator, [id, sealedSecret, step, codes]);
  }

  async removeSecondFactor(tx: Tx, id: string): Promise<Operator> {
    return runUpdate(tx, removeSecondFactor, [id]);
  }

  async setRecoveryCodes(tx: Tx, id: string, codes: Buffer[]): Promise<Operator> {
    return runUpdate(tx, setRecoveryCodes, [id, codes]);
  }

  /**
   * Consumes a time step if it is newer than the last consumed one. If calls run in parallel, exactly one returns
   * true.
   */
  async consumeStep(tx: Tx, id: string, step: number): Promise<boolean> {
    const rows = await tx.execute(consumeStep, [id, step]);
    return rows.length > 0;
  }

  /**
   * Consumes a recovery code. If calls run in parallel, exactly one returns true.
   * @param hashes one hash per root secret
   */
  async consumeRecoveryCode(tx: Tx, id: string, hashes: Buffer[]): Promise<boolean> {
    const rows = await tx.execute(consumeRecoveryCode, [id, hashes]);
    return rows.length > 0;
  }
}

/** Runs an update declared with `updateStatement`. @throws GatehouseError `not_found` */
async function runUpdate(tx: Tx, update: Statement<Operator>, values: unknown[]): Promise<Operator> {
  const [row] = await tx.execute(update, values);
  if (!row) throw notFound();
  return row;
}
