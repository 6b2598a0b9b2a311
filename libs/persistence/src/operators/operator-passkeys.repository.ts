// Raw SQL: inserts, conditional updates and deletes that return rows, and times from the database clock.
import { CEREMONY_TTL } from '@gatehouse/domain';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  credentialColumns,
  credentialRow,
  passkeyColumns,
  passkeyRow,
  type NewPasskey,
  type PasskeyCredential,
} from '../passkeys/passkeys.repository.js';
import { bytea, statement, uuid, type RowOf } from '../sql/statements.js';

/** The purpose for which an operator's passkey signs a challenge. */
export type OperatorPasskeyPurpose = 'second_factor' | 'enroll' | 'add' | 'reauthenticate';

/** An operator's passkey without its public key. */
export type OperatorPasskey = RowOf<typeof passkeyRow>;

const listPasskeys = statement(
  passkeyRow,
  `SELECT ${passkeyColumns} FROM operator_passkeys k WHERE k.operator_id = $1 ORDER BY k.id DESC`,
);

const listCredentials = statement(
  credentialRow,
  `SELECT ${credentialColumns} FROM operator_passkeys k WHERE k.operator_id = $1 ORDER BY k.id`,
);

const keyRow = { id: uuid, publicKey: bytea };

const findPasskey = statement(
  keyRow,
  `SELECT k.id, k.public_key AS "publicKey" FROM operator_passkeys k WHERE k.operator_id = $1 AND k.credential_id = $2`,
);

const insertPasskey = statement(
  passkeyRow,
  `INSERT INTO operator_passkeys AS k (id, operator_id, credential_id, public_key, counter, transports, name)
   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING RETURNING ${passkeyColumns}`,
);

// The condition prevents two concurrent requests with the same counter from both succeeding.
const recordUse = statement(
  { id: uuid },
  `UPDATE operator_passkeys SET counter = $2::bigint, last_used_at = now()
   WHERE id = $1 AND (counter < $2::bigint OR (counter = 0 AND $2::bigint = 0)) RETURNING id`,
);

const renamePasskey = statement(
  passkeyRow,
  `UPDATE operator_passkeys k SET name = $3 WHERE k.operator_id = $1 AND k.id = $2 RETURNING ${passkeyColumns}`,
);

const deletePasskey = statement(
  passkeyRow,
  `DELETE FROM operator_passkeys k WHERE k.operator_id = $1 AND k.id = $2 RETURNING ${passkeyColumns}`,
);

const deleteAllPasskeys = statement({}, 'DELETE FROM operator_passkeys WHERE operator_id = $1');

const saveChallenge = statement(
  {},
  `UPDATE operator_sessions SET passkey_challenge = $2, passkey_purpose = $3,
     passkey_expires_at = now() + interval '${CEREMONY_TTL} seconds' WHERE id = $1`,
);

const consumeChallenge = statement(
  { id: uuid },
  `UPDATE operator_sessions SET passkey_challenge = NULL
   WHERE id = $1 AND passkey_challenge = $2 AND passkey_purpose = $3 AND passkey_expires_at > now() RETURNING id`,
);

/** Operators' passkeys, and the passkey challenges in their sessions. */
export class OperatorPasskeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns an operator's passkeys, newest first. */
  list(operatorId: string, sql: Sql = this.database): Promise<OperatorPasskey[]> {
    return sql.execute(listPasskeys, [operatorId]);
  }

  /** Returns the properties that a browser needs to find an operator's passkeys. */
  listCredentials(operatorId: string): Promise<PasskeyCredential[]> {
    return this.database.execute(listCredentials, [operatorId]);
  }

  async find(operatorId: string, credentialId: Buffer): Promise<RowOf<typeof keyRow> | null> {
    const [row] = await this.database.execute(findPasskey, [operatorId, credentialId]);
    return row ?? null;
  }

  /**
   * Inserts a passkey for an operator whose row the transaction has locked. Returns null if the passkey already
   * exists.
   */
  async insert(
    tx: Tx,
    passkey: NewPasskey & { id: string; operatorId: string; name: string },
  ): Promise<OperatorPasskey | null> {
    const { id, operatorId, credentialId, publicKey, counter, transports, name } = passkey;
    const values = [id, operatorId, credentialId, publicKey, counter, transports, name];
    const [row] = await tx.execute(insertPasskey, values);
    return row ?? null;
  }

  /** Records a verified signature. Returns false if its counter is not higher, or if the passkey no longer exists. */
  async recordUse(tx: Tx, id: string, counter: number): Promise<boolean> {
    const rows = await tx.execute(recordUse, [id, counter]);
    return rows.length > 0;
  }

  /** Renames a passkey. Returns null if the operator does not have it. */
  async rename(tx: Tx, operatorId: string, id: string, name: string): Promise<OperatorPasskey | null> {
    const [row] = await tx.execute(renamePasskey, [operatorId, id, name]);
    return row ?? null;
  }

  /** Deletes a passkey. Returns null if the operator does not have it. */
  async delete(tx: Tx, operatorId: string, id: string): Promise<OperatorPasskey | null> {
    const [row] = await tx.execute(deletePasskey, [operatorId, id]);
    return row ?? null;
  }

  async deleteAll(tx: Tx, operatorId: string): Promise<void> {
    await tx.execute(deleteAllPasskeys, [operatorId]);
  }

  /** Saves a passkey challenge in a session. It replaces the previous challenge. */
  async saveChallenge(sessionId: string, hash: Buffer, purpose: OperatorPasskeyPurpose): Promise<void> {
    await this.database.execute(saveChallenge, [sessionId, hash, purpose]);
  }

  /** Consumes a challenge. If calls run in parallel, exactly one returns true. */
  async consumeChallenge(sessionId: string, hash: Buffer, purpose: OperatorPasskeyPurpose): Promise<boolean> {
    const rows = await this.database.execute(consumeChallenge, [sessionId, hash, purpose]);
    return rows.length > 0;
  }
}
