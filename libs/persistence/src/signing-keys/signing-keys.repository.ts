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
  /** Time since activation in ms; negative before it. */
  age: number;
}

/**
 * The key ring. Only the database's clock determines when a key starts to sign, is due for rotation or is
 * retired, so that replicas with different clocks agree.
 */
export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns all signing keys, the last one to be activated first. */
  async listAll(): Promise<StoredSigningKey[]> {
    return this.database.query(
      `SELECT kid, private_key AS "privateKey", (extract(epoch FROM now() - activates_at) * 1000)::float8 AS age
       FROM signing_keys ORDER BY activates_at DESC, kid`,
    );
  }

  /**
   * Inserts a key that signs after `delay` ms, or immediately if it is the only key.
   * @param maxAge if given, the key is inserted only if no other is younger than this, in ms: of several
   *   replicas that detect the age at the same time, one creates a key
   * @returns the time at which the key starts to sign, or null if it was not inserted
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

  /** Removes all keys, so that `insert` in the same transaction starts a new key ring. */
  async deleteAll(tx: Tx): Promise<void> {
    await lock(tx);
    await tx.query('DELETE FROM signing_keys');
  }

  /**
   * Removes the keys that have not signed for `after` ms, because a younger key has been signing for at least
   * that time.
   */
  async deleteRetired(after: number): Promise<void> {
    await this.database.query(
      `DELETE FROM signing_keys WHERE activates_at <
         (SELECT max(activates_at) FROM signing_keys WHERE activates_at <= now() - $1 * interval '1 ms')`,
      [after],
    );
  }
}

const lock = (tx: Tx): Promise<unknown[]> => tx.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
