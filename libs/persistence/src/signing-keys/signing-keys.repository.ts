// Raw SQL: a table lock, and key ages according to the database clock.
import type { JsonWebKey } from 'node:crypto';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  bytea,
  double,
  neverNull,
  nullable,
  statement,
  text,
  timestamptz,
  type RowOf,
} from '../sql/statements.js';

export interface NewSigningKey {
  kid: string;
  publicJwk: JsonWebKey;
  /** PKCS #8, encrypted. */
  privateKey: Buffer;
  /** PKCS #8, encrypted. */
  rsaPrivateKey: Buffer;
}

const storedKeyRow = {
  kid: text,
  privateKey: bytea,
  rsaPrivateKey: nullable(bytea),
  /** Time since activation in ms; negative before it. */
  age: double,
};

export type StoredSigningKey = RowOf<typeof storedKeyRow>;

const listKeys = statement(
  storedKeyRow,
  `SELECT kid, private_key AS "privateKey", rsa_private_key AS "rsaPrivateKey",
     (extract(epoch FROM now() - activates_at) * 1000)::float8 AS age
   FROM signing_keys ORDER BY activates_at DESC, kid`,
);

const lockKeys = statement({}, 'LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');

const insertKey = statement(
  { activatesAt: timestamptz },
  `INSERT INTO signing_keys (kid, public_jwk, private_key, rsa_private_key, activates_at)
   SELECT $1, $2, $3, $4,
     now() + CASE WHEN EXISTS (SELECT FROM signing_keys) THEN $5 ELSE 0 END * interval '1 ms'
   WHERE $6::float8 IS NULL
     OR NOT EXISTS (SELECT FROM signing_keys WHERE activates_at > now() - $6 * interval '1 ms')
   RETURNING activates_at AS "activatesAt"`,
);

const addRsaKey = statement(
  { rsaPrivateKey: neverNull(bytea) },
  `UPDATE signing_keys SET rsa_private_key = coalesce(rsa_private_key, $2) WHERE kid = $1
   RETURNING rsa_private_key AS "rsaPrivateKey"`,
);

const deleteKeys = statement({}, 'DELETE FROM signing_keys');

const deleteRetiredKeys = statement(
  {},
  `DELETE FROM signing_keys WHERE activates_at <
     (SELECT max(activates_at) FROM signing_keys WHERE activates_at <= now() - $1 * interval '1 ms')`,
);

/**
 * The key ring. Only the database clock determines when a key starts to sign, is due for rotation or is retired, so
 * that replicas with different clocks agree.
 */
export class SigningKeysRepository {
  constructor(private readonly database: Database) {}

  /** Returns all signing keys, latest activation first. */
  listAll(): Promise<StoredSigningKey[]> {
    return this.database.execute(listKeys);
  }

  /**
   * Inserts a key that signs after `delay` ms, or immediately if it is the only key.
   * @param maxAge if not null, inserts the key only if no other key is younger than this, in ms; if several replicas
   * rotate at the same time, only one creates a key
   * @returns the time at which the key starts to sign, or null if it was not inserted
   */
  async insert(tx: Tx, key: NewSigningKey, delay: number, maxAge: number | null): Promise<Date | null> {
    await tx.execute(lockKeys);
    const { kid, publicJwk, privateKey, rsaPrivateKey } = key;
    const values = [kid, JSON.stringify(publicJwk), privateKey, rsaPrivateKey, delay, maxAge];
    const [row] = await tx.execute(insertKey, values);
    return row?.activatesAt ?? null;
  }

  /**
   * Adds an RSA key to a signing key that has none.
   * @returns the stored RSA key, which another replica may have added first, or null if the signing key was deleted
   */
  async addRsaKey(kid: string, rsaPrivateKey: Buffer): Promise<Buffer | null> {
    const [row] = await this.database.execute(addRsaKey, [kid, rsaPrivateKey]);
    return row?.rsaPrivateKey ?? null;
  }

  /** Removes all keys, so that `insert` in the same transaction starts a new key ring. */
  async deleteAll(tx: Tx): Promise<void> {
    await tx.execute(lockKeys);
    await tx.execute(deleteKeys);
  }

  /** Removes keys that have not signed for at least `after` ms, because a younger key has been signing since then. */
  async deleteRetired(after: number): Promise<void> {
    await this.database.execute(deleteRetiredKeys, [after]);
  }
}
