import type { JsonWebKey } from 'node:crypto';
import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';

export interface SigningKeyRecord {
  kid: string;
  publicJwk: JsonWebKey;
  /** PKCS #8, encrypted. */
  privateKey: Buffer;
}

const columns = `kid, public_jwk AS "publicJwk", private_key AS "privateKey"`;

export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** Every signing key, newest first. */
  async all(): Promise<SigningKeyRecord[]> {
    return this.database.query(`SELECT ${columns} FROM signing_keys ORDER BY created_at DESC, kid`);
  }

  /** Inserts the key unless there is one already: of several processes that start at once one wins. */
  async insertFirst(tx: Tx, key: SigningKeyRecord): Promise<void> {
    await tx.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
    await tx.query(
      `INSERT INTO signing_keys (kid, public_jwk, private_key)
       SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM signing_keys)`,
      [key.kid, JSON.stringify(key.publicJwk), key.privateKey],
    );
  }
}
