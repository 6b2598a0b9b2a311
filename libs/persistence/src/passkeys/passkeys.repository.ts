// Raw SQL: inserts, conditional updates and deletes that return rows, and times from the database clock.
import { markChangedSql } from '../customers/mark-changed-sql.js';
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

/** Columns of passkey `k` that the API returns to customers and operators. */
export const passkeyRow = { id: uuid, name: text, createdAt: timestamptz, lastUsedAt: nullable(timestamptz) };
export const passkeyColumns = 'k.id, k.name, k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt"';

/** A customer's passkey without its public key. */
export type Passkey = RowOf<typeof passkeyRow>;

export const credentialRow = { credentialId: bytea, transports: arrayOf(text) };
export const credentialColumns = 'k.credential_id AS "credentialId", k.transports';

/** Properties that a browser needs to find a passkey. */
export type PasskeyCredential = RowOf<typeof credentialRow>;

/** A new passkey as returned by the authenticator. */
export interface NewPasskey extends PasskeyCredential {
  publicKey: Buffer;
  counter: number;
  /** False if the passkey can be synchronized between devices. */
  deviceBound: boolean;
  backedUp: boolean;
  aaguid: string;
}

/** A passkey that was created by another system. */
export interface ImportedPasskey extends NewPasskey {
  id: string;
  customerId: string;
  name: string;
  /** User handle that is stored in the authenticator; null if it is the customer's id in Gatehouse. */
  userHandle: Buffer | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** SQL for the user handle that the authenticator stores. */
const userHandleSql = 'coalesce(k.user_handle, uuid_send(k.customer_id))';

const storedPasskeyRow = {
  ...passkeyRow,
  ...credentialRow,
  customerId: uuid,
  publicKey: bytea,
  counter: bigint,
  deviceBound: boolean,
  userHandle: bytea,
};
const storedPasskeyColumns = `${passkeyColumns}, ${credentialColumns}, k.customer_id AS "customerId",
  k.public_key AS "publicKey", k.counter, k.device_bound AS "deviceBound", ${userHandleSql} AS "userHandle"`;

/** A passkey with its public key. */
export type StoredPasskey = Omit<RowOf<typeof storedPasskeyRow>, 'counter'> & { counter: number };

/** A passkey with everything that another system needs to accept it. */
export type PortablePasskey = StoredPasskey & { backedUp: boolean; aaguid: string };

/** Returns the condition that a customer has a passkey. @param customerId SQL for the customer's id */
export const hasPasskeySql = (customerId: string): string =>
  `EXISTS (SELECT FROM passkeys k WHERE k.customer_id = ${customerId})`;

export const listPasskeys = statement(
  passkeyRow,
  `SELECT ${passkeyColumns} FROM passkeys k WHERE k.customer_id = $1 ORDER BY k.id DESC`,
);

const listCredentials = statement(
  credentialRow,
  `SELECT ${credentialColumns} FROM passkeys k WHERE k.customer_id = $1 ORDER BY k.id`,
);

const findByCredential = statement(
  storedPasskeyRow,
  `SELECT ${storedPasskeyColumns} FROM passkeys k WHERE k.project_id = $1 AND k.credential_id = $2`,
);

const listStored = statement(
  { ...storedPasskeyRow, backedUp: boolean, aaguid: uuid },
  `SELECT ${storedPasskeyColumns}, k.backed_up AS "backedUp", k.aaguid
   FROM passkeys k WHERE k.customer_id = ANY ($1) ORDER BY k.id`,
);

const findOwners = statement(
  { credentialId: bytea, customerId: uuid },
  // Searches the index once per value. With a list as the condition, PostgreSQL might read all of the project's
  // passkeys.
  `SELECT found.* FROM unnest($2::bytea[]) AS wanted (credential_id) CROSS JOIN LATERAL (
     SELECT k.credential_id AS "credentialId", k.customer_id AS "customerId" FROM passkeys k
     WHERE k.project_id = $1 AND k.credential_id = wanted.credential_id LIMIT 1
   ) found`,
);

const findPasskey = statement(
  passkeyRow,
  `SELECT ${passkeyColumns} FROM passkeys k WHERE k.customer_id = $1 AND k.id = $2`,
);

const countInProject = statement(
  { count: integer },
  'SELECT count(*)::int AS count FROM passkeys WHERE project_id = $1',
);

const insertPasskey = statement(
  passkeyRow,
  `INSERT INTO passkeys AS k (id, project_id, customer_id, credential_id, public_key, counter, transports, device_bound,
     backed_up, aaguid, name)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   ON CONFLICT (project_id, credential_id) DO NOTHING RETURNING ${passkeyColumns}`,
);

const insertImported = statement(
  { id: uuid },
  `INSERT INTO passkeys (id, project_id, customer_id, credential_id, public_key, counter, transports, device_bound,
     backed_up, aaguid, name, user_handle, last_used_at, created_at)
   SELECT k.id, $1, k."customerId", k."credentialId", k."publicKey", k.counter, k.transports, k."deviceBound", k."backedUp",
     k.aaguid, k.name, nullif(k."userHandle", uuid_send(k."customerId")), k."lastUsedAt", k."createdAt"
   FROM json_to_recordset($2::json) AS k (id uuid, "customerId" uuid, "credentialId" bytea, "publicKey" bytea, counter bigint,
     transports text[], "deviceBound" boolean, "backedUp" boolean, aaguid uuid, name text, "userHandle" bytea,
     "lastUsedAt" timestamptz, "createdAt" timestamptz)
   -- A fixed order prevents deadlocks between imports of the same passkeys.
   ORDER BY k."credentialId"
   ON CONFLICT (project_id, credential_id) DO NOTHING RETURNING id`,
);

// The condition prevents two concurrent requests with the same counter from both succeeding.
const recordUse = statement(
  { id: uuid },
  `UPDATE passkeys SET counter = $2::bigint, backed_up = $3, last_used_at = now()
   WHERE id = $1 AND (counter < $2::bigint OR (counter = 0 AND $2::bigint = 0)) RETURNING id`,
);

const renamePasskey = statement(
  passkeyRow,
  `UPDATE passkeys k SET name = $3 WHERE k.customer_id = $1 AND k.id = $2 RETURNING ${passkeyColumns}`,
);

const deletePasskey = statement(
  passkeyRow,
  `WITH changed AS (${markChangedSql('$1')})
   DELETE FROM passkeys k WHERE k.customer_id = $1 AND k.id = $2 RETURNING ${passkeyColumns}`,
);

/** Customers' passkeys. */
export class PasskeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns a customer's passkeys, newest first. */
  list(customerId: string, sql: Sql = this.database): Promise<Passkey[]> {
    return sql.execute(listPasskeys, [customerId]);
  }

  /** Returns the properties that a browser needs to find a customer's passkeys. */
  listCredentials(customerId: string): Promise<PasskeyCredential[]> {
    return this.database.execute(listCredentials, [customerId]);
  }

  async findByCredential(projectId: string, credentialId: Buffer): Promise<StoredPasskey | null> {
    const [row] = await this.database.execute(findByCredential, [projectId, credentialId]);
    return row ? { ...row, counter: Number(row.counter) } : null;
  }

  /** Returns the customers' passkeys by customer id, oldest first. */
  async listPortable(customerIds: string[]): Promise<Map<string, PortablePasskey[]>> {
    const rows = await this.database.execute(listStored, [customerIds]);
    const passkeys = new Map<string, PortablePasskey[]>(customerIds.map((id) => [id, []]));
    for (const row of rows) passkeys.get(row.customerId)!.push({ ...row, counter: Number(row.counter) });
    return passkeys;
  }

  /**
   * Returns the ids of the customers who own the passkeys with these credential ids, by credential id in base64url.
   */
  async findOwners(tx: Tx, projectId: string, credentialIds: Buffer[]): Promise<Map<string, string>> {
    const rows = await tx.execute(findOwners, [projectId, credentialIds]);
    return new Map(
      rows.map(({ credentialId, customerId }) => [credentialId.toString('base64url'), customerId]),
    );
  }

  async find(tx: Tx, customerId: string, id: string): Promise<Passkey | null> {
    const [row] = await tx.execute(findPasskey, [customerId, id]);
    return row ?? null;
  }

  /** Counts the passkeys in a project. */
  async count(sql: Sql, projectId: string): Promise<number> {
    const [row] = await sql.execute(countInProject, [projectId]);
    return row!.count;
  }

  /**
   * Inserts a passkey for a customer whose row the transaction has locked. Returns null if the project already has
   * it.
   */
  async insert(
    tx: Tx,
    passkey: NewPasskey & { id: string; projectId: string; customerId: string; name: string },
  ): Promise<Passkey | null> {
    const [row] = await tx.execute(insertPasskey, [
      passkey.id,
      passkey.projectId,
      passkey.customerId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.deviceBound,
      passkey.backedUp,
      passkey.aaguid,
      passkey.name,
    ]);
    return row ?? null;
  }

  /**
   * Inserts passkeys for customers whom the transaction has inserted. Returns false if any of them already exists in
   * the project.
   */
  async insertImported(tx: Tx, projectId: string, passkeys: ImportedPasskey[]): Promise<boolean> {
    const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;
    const records = passkeys.map(({ credentialId, publicKey, userHandle, ...passkey }) => ({
      ...passkey,
      credentialId: hex(credentialId),
      publicKey: hex(publicKey),
      userHandle: userHandle && hex(userHandle),
    }));
    const rows = await tx.execute(insertImported, [projectId, JSON.stringify(records)]);
    return rows.length === passkeys.length;
  }

  /**
   * Records a verified signature. Returns false if its counter is not higher than the stored one, or if the passkey
   * no longer exists.
   */
  async recordUse(id: string, counter: number, backedUp: boolean): Promise<boolean> {
    const rows = await this.database.execute(recordUse, [id, counter, backedUp]);
    return rows.length > 0;
  }

  /** Renames a passkey. Returns null if the customer does not have it. */
  async rename(tx: Tx, customerId: string, id: string, name: string): Promise<Passkey | null> {
    const [row] = await tx.execute(renamePasskey, [customerId, id, name]);
    return row ?? null;
  }

  /** Deletes a passkey. Returns null if the customer does not have it. */
  async delete(tx: Tx, customerId: string, id: string): Promise<Passkey | null> {
    const [row] = await tx.execute(deletePasskey, [customerId, id]);
    return row ?? null;
  }
}
