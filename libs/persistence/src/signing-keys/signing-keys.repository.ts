import type { JsonWebKey } from 'node:crypto';
import type { Database } from '../database.js';
import type { Tx } from '../transactions.js';

export interface NewSigningKey {
  kid: string;
  publicJwk: JsonWebKey;
  /** PKCS #8, encrypted. */
  privateKey: Buffer;
}

export interface StoredSigningKey {
  kid: string;
  privateKey: Buffer;
  /** Since when it may sign, in ms; negative before that. */
  age: number;
}

/**
 * The ring of signing keys. Only the database's clock decides when a key begins to sign, is old, or is retired,
 * so that replicas whose clocks differ agree.
 */
export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** Every signing key, the one that signs last first. */
  async listAll(): Promise<StoredSigningKey[]> {
    return this.database.query(
      `SELECT kid, private_key AS "privateKey", (extract(epoch FROM now() - activates_at) * 1000)::float8 AS age
       FROM signing_keys ORDER BY activates_at DESC, kid`,
    );
  }

  /**
   * Inserts a key that signs from `delay` ms on, or at once when it is the only one.
   * @param maxAge with it, the key is inserted only if no other is younger than so many ms: of several replicas
   *   that see the age at once one makes a key
   * @returns when it begins to sign, or null when it was not inserted
   */
  async insert(tx: Tx, key: NewSigningKey, delay: number, maxAge: number | null): Promise<Date | null> {
    await lock(tx);
    const [row] = await tx.query<{ activatesAt: Date }>(
      `INSERT INTO signing_keys (kid, public_jwk, private_key, activates_at)
       SELECT $1, $2, $3, now() + CASE WHEN EXISTS (SELECT FROM signing_keys) THEN $4 ELSE 0 END * interval '1 ms'
       WHERE $5::float8 IS NULL
         OR NOT EXISTS (SELECT FROM signing_keys WHERE activates_at > now() - $5 * interval '1 ms')
       RETURNING activates_at AS "activatesAt"`,
      [key.kid, JSON.stringify(key.publicJwk), key.privateKey, delay, maxAge],
    );
    return row?.activatesAt ?? null;
  }

  /** Removes every key, for `insert` in the same transaction to begin anew. */
  async deleteAll(tx: Tx): Promise<void> {
    await lock(tx);
    await tx.query('DELETE FROM signing_keys');
  }

  /** Removes the keys that have not signed for so many ms: a younger key has been signing for so long. */
  async deleteRetired(after: number): Promise<void> {
    await this.database.query(
      `DELETE FROM signing_keys WHERE activates_at <
         (SELECT max(activates_at) FROM signing_keys WHERE activates_at <= now() - $1 * interval '1 ms')`,
      [after],
    );
  }
}

const lock = (tx: Tx): Promise<unknown[]> => tx.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
