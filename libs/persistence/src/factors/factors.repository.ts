// Raw SQL: conditional updates that return rows, multi-row statements, and times from the database clock.
import { markChangedSql } from '../customers/mark-changed-sql.js';
import type { Database, Sql } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { hasPasskeySql, listPasskeys, type Passkey } from '../passkeys/passkeys.repository.js';
import {
  boolean,
  bytea,
  integer,
  neverNull,
  nullable,
  statement,
  timestamptz,
  uuid,
} from '../sql/statements.js';
import type { RowOf } from '../sql/statements.js';
import { TotpFactorEntity } from './totp-factor.entity.js';

const totpFactorRow = { id: uuid, createdAt: neverNull(timestamptz), lastUsedAt: nullable(timestamptz) };
const totpFactorColumns = 'f.id, f.confirmed_at AS "createdAt", f.last_used_at AS "lastUsedAt"';

/** A customer's confirmed authenticator. */
export type TotpFactor = RowOf<typeof totpFactorRow>;

/** A customer's second factors. */
export interface CustomerFactors {
  totp: TotpFactor[];
  passkeys: Passkey[];
  /** Number of unused recovery codes. */
  recoveryCodes: number;
}

/** Returns SQL for the condition that a customer has an authenticator. */
export const hasTotpSql = (customerId: string): string =>
  `EXISTS (SELECT FROM totp_factors f WHERE f.customer_id = ${customerId} AND f.confirmed_at IS NOT NULL)`;

/** Returns SQL for the condition that a customer has a second factor. */
export const hasFactorSql = (customerId: string): string =>
  `(${hasTotpSql(customerId)} OR ${hasPasskeySql(customerId)})`;

const listTotpFactors = statement(
  totpFactorRow,
  `SELECT ${totpFactorColumns} FROM totp_factors f
   WHERE f.customer_id = $1 AND f.confirmed_at IS NOT NULL ORDER BY f.id DESC`,
);

const countRecoveryCodes = statement(
  { count: integer },
  'SELECT count(*)::int AS count FROM recovery_codes WHERE customer_id = $1',
);

const listTotpSecrets = statement(
  { id: uuid, secret: bytea },
  'SELECT id, secret FROM totp_factors WHERE customer_id = $1 AND confirmed_at IS NOT NULL ORDER BY id',
);

const listNewestSecrets = statement(
  { customerId: uuid, secret: bytea },
  `SELECT DISTINCT ON (customer_id) customer_id AS "customerId", secret FROM totp_factors
   WHERE customer_id = ANY ($1) AND confirmed_at IS NOT NULL ORDER BY customer_id, id DESC`,
);

const listSecretsByCustomers = statement(
  { customerId: uuid, secret: bytea },
  `SELECT customer_id AS "customerId", secret FROM totp_factors
   WHERE customer_id = ANY ($1) AND confirmed_at IS NOT NULL ORDER BY customer_id, id`,
);

const insertImportedFactors = statement(
  { ...totpFactorRow, customerId: uuid },
  `INSERT INTO totp_factors AS f (id, customer_id, secret, confirmed_at)
   SELECT v.*, now() FROM unnest($1::uuid[], $2::uuid[], $3::bytea[]) v
   RETURNING ${totpFactorColumns}, f.customer_id AS "customerId"`,
);

const deletePendingFactors = statement(
  {},
  'DELETE FROM totp_factors WHERE customer_id = $1 AND confirmed_at IS NULL',
);

const insertFactor = statement(
  totpFactorRow,
  `INSERT INTO totp_factors AS f (id, customer_id, secret, last_step, confirmed_at, last_used_at)
   VALUES ($1, $2, $3, $4, now(), now()) RETURNING ${totpFactorColumns}`,
);

// A row without a session was created by the previous API version.
const findPending = statement(
  { secret: bytea, requestedAt: timestamptz },
  `SELECT secret, created_at AS "requestedAt" FROM totp_factors
   WHERE id = $2 AND customer_id = $1 AND coalesce(session_id, $3) = $3 AND confirmed_at IS NULL
     AND created_at > now() - $4 * interval '1 second'`,
);

const confirmFactor = statement(
  totpFactorRow,
  `UPDATE totp_factors f SET confirmed_at = now(), last_used_at = now(), last_step = $2
   WHERE f.id = $1 AND f.confirmed_at IS NULL RETURNING ${totpFactorColumns}`,
);

const consumeStep = statement(
  { id: uuid },
  `UPDATE totp_factors SET last_step = $2, last_used_at = now()
   WHERE id = $1 AND (last_step IS NULL OR last_step < $2) RETURNING id`,
);

const deleteFactor = statement(
  totpFactorRow,
  `WITH changed AS (${markChangedSql('$1')})
   DELETE FROM totp_factors f WHERE f.customer_id = $1 AND f.id = $2 AND f.confirmed_at IS NOT NULL
   RETURNING ${totpFactorColumns}`,
);

const deleteRecoveryCodes = statement({}, 'DELETE FROM recovery_codes WHERE customer_id = $1');

const insertRecoveryCodes = statement(
  {},
  'INSERT INTO recovery_codes (customer_id, code_hash) SELECT $1, unnest($2::bytea[])',
);

const consumeRecoveryCode = statement(
  { codeHash: bytea },
  `DELETE FROM recovery_codes WHERE customer_id = $1 AND code_hash = ANY ($2)
   RETURNING code_hash AS "codeHash"`,
);

const deleteAllFactors = statement(
  {},
  `WITH codes AS (DELETE FROM recovery_codes WHERE customer_id = $1),
     attempts AS (DELETE FROM factor_attempts WHERE customer_id = $1),
     keys AS (DELETE FROM passkeys WHERE customer_id = $1),
     ceremonies AS (DELETE FROM passkey_ceremonies WHERE customer_id = $1),
     changed AS (${markChangedSql('$1')})
   DELETE FROM totp_factors WHERE customer_id = $1`,
);

const hasFactor = statement({ hasFactor: boolean }, `SELECT ${hasFactorSql('$1')} AS "hasFactor"`);

const prunePendingFactors = pruneStatement(
  'totp_factors',
  `confirmed_at IS NULL AND created_at < now() - interval '1 hour'`,
);

/**
 * Stores customers' authenticators and recovery codes. Includes passkeys only in operations that concern all factors.
 */
export class FactorsRepository {
  constructor(private readonly database: Database) {}

  /** Returns a customer's confirmed factors, newest first within each kind. */
  async list(customerId: string, sql: Sql = this.database): Promise<CustomerFactors> {
    const totp = await sql.execute(listTotpFactors, [customerId]);
    const passkeys = await sql.execute(listPasskeys, [customerId]);
    const [codes] = await sql.execute(countRecoveryCodes, [customerId]);
    return { totp, passkeys, recoveryCodes: codes!.count };
  }

  /** Returns whether a customer has a confirmed factor. */
  async exists(sql: Sql, customerId: string): Promise<boolean> {
    const [row] = await sql.execute(hasFactor, [customerId]);
    return row!.hasFactor;
  }

  /** Returns a customer's encrypted authenticator secrets. */
  listSecrets(tx: Tx, customerId: string): Promise<{ id: string; secret: Buffer }[]> {
    return tx.execute(listTotpSecrets, [customerId]);
  }

  /** Returns the encrypted secret of each customer's newest authenticator, by customer id. */
  async listNewestSecrets(customerIds: string[], sql: Sql = this.database): Promise<Map<string, Buffer>> {
    const rows = await sql.execute(listNewestSecrets, [customerIds]);
    return new Map(rows.map(({ customerId, secret }) => [customerId, secret]));
  }

  /** Returns the encrypted secrets of all the customers' authenticators, by customer id. */
  async listSecretsByCustomers(tx: Tx, customerIds: string[]): Promise<Map<string, Buffer[]>> {
    const rows = await tx.execute(listSecretsByCustomers, [customerIds]);
    const secrets = new Map<string, Buffer[]>(customerIds.map((id) => [id, []]));
    for (const { customerId, secret } of rows) secrets.get(customerId)!.push(secret);
    return secrets;
  }

  /** Inserts confirmed authenticators for customers that the transaction has inserted or locked. */
  insertImported(
    tx: Tx,
    factors: { id: string; customerId: string; secret: Buffer }[],
  ): Promise<(TotpFactor & { customerId: string })[]> {
    return tx.execute(insertImportedFactors, [
      factors.map(({ id }) => id),
      factors.map(({ customerId }) => customerId),
      factors.map(({ secret }) => secret),
    ]);
  }

  /** Inserts an unconfirmed authenticator and replaces an earlier one. */
  async insertPending(
    tx: Tx,
    factor: { id: string; customerId: string; sessionId: string; secret: Buffer },
  ): Promise<void> {
    await tx.execute(deletePendingFactors, [factor.customerId]);
    await tx.manager.insert(TotpFactorEntity, factor);
  }

  /**
   * Returns the encrypted secret and creation time of an authenticator that the session has not confirmed yet, or
   * null if there is none.
   * @param ttl time in seconds within which it can be confirmed
   */
  async findPending(
    { customerId, sessionId }: { customerId: string; sessionId: string },
    id: string,
    ttl: number,
  ): Promise<{ secret: Buffer; requestedAt: Date } | null> {
    const [row] = await this.database.execute(findPending, [customerId, id, sessionId, ttl]);
    return row ?? null;
  }

  /**
   * Confirms an authenticator with the time step of its first code. Only one of several concurrent calls succeeds;
   * the others return null.
   */
  async confirm(tx: Tx, id: string, step: number): Promise<TotpFactor | null> {
    const [row] = await tx.execute(confirmFactor, [id, step]);
    return row ?? null;
  }

  /** Inserts an authenticator that was confirmed with a code from a time step. */
  async insert(
    tx: Tx,
    factor: { id: string; customerId: string; secret: Buffer; step: number },
  ): Promise<TotpFactor> {
    const [row] = await tx.execute(insertFactor, [factor.id, factor.customerId, factor.secret, factor.step]);
    return row!;
  }

  /** Accepts a time step if it is newer than all accepted ones. Only one of several concurrent calls succeeds. */
  async consumeStep(tx: Tx, id: string, step: number): Promise<boolean> {
    const rows = await tx.execute(consumeStep, [id, step]);
    return rows.length > 0;
  }

  /** Deletes an authenticator. Returns null if the customer does not have it. */
  async delete(tx: Tx, customerId: string, id: string): Promise<TotpFactor | null> {
    const [row] = await tx.execute(deleteFactor, [customerId, id]);
    return row ?? null;
  }

  /** Replaces all of the customer's recovery codes. */
  async replaceRecoveryCodes(tx: Tx, customerId: string, hashes: Buffer[]): Promise<void> {
    await tx.execute(deleteRecoveryCodes, [customerId]);
    if (hashes.length > 0) await tx.execute(insertRecoveryCodes, [customerId, hashes]);
  }

  /**
   * Consumes a recovery code. Only one of several concurrent calls succeeds. @param hashes one for each root secret
   */
  async consumeRecoveryCode(tx: Tx, customerId: string, hashes: Buffer[]): Promise<boolean> {
    const rows = await tx.execute(consumeRecoveryCode, [customerId, hashes]);
    return rows.length > 0;
  }

  /**
   * Deletes all of the customer's factors, including passkeys and recovery codes, and the failed attempts at them.
   */
  async deleteAll(tx: Tx, customerId: string): Promise<void> {
    await tx.execute(deleteAllFactors, [customerId]);
  }

  /** Removes authenticators that were not confirmed in time. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, prunePendingFactors);
  }
}
