// Raw SQL: times from the database clock, and a delete that returns the row.
import type { AuthenticationMethod, MigratedProof } from '@gatehouse/domain';
import { issuedAtFor } from '../customers/access-revocation-sql.js';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  nullable,
  statement,
  text,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { SignInTokenEntity } from './sign-in-token.entity.js';

const insertToken = statement(
  { expiresAt: timestamptz },
  `INSERT INTO sign_in_tokens (token_hash, customer_id, key_id, expires_at, created_at, reason, amr, auth_time)
   VALUES ($1, $2, $3, now() + $4 * interval '1 second', ${issuedAtFor('$2')}, $5, $6, $7) RETURNING expires_at AS "expiresAt"`,
);

const findToken = statement(
  { customerId: uuid },
  `SELECT t.customer_id AS "customerId" FROM sign_in_tokens t JOIN customers c ON c.id = t.customer_id
   WHERE t.token_hash = ANY ($1) AND c.project_id = $2`,
);

const consumedRow = {
  keyId: uuid,
  reason: nullable(text),
  createdAt: timestamptz,
  amr: nullable(arrayOf(textOf<AuthenticationMethod>())),
  authTime: nullable(timestamptz),
};

/** A token's key, reason and creation time, and the proof of identity from another system. */
export type ConsumedSignInToken = RowOf<typeof consumedRow>;

const consumeToken = statement(
  consumedRow,
  `DELETE FROM sign_in_tokens WHERE token_hash = ANY ($1) AND expires_at > now()
   RETURNING key_id AS "keyId", reason, created_at AS "createdAt", amr, auth_time AS "authTime"`,
);

const pruneTokens = pruneStatement('sign_in_tokens', 'expires_at <= now()');

/** Tokens that are created with a secret key and let their holder sign in as a customer. */
export class SignInTokensRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a token that is valid for `ttl` seconds. @returns the time at which it expires */
  async insert(
    tx: Tx,
    token: {
      tokenHash: Buffer;
      customerId: string;
      keyId: string;
      reason: string;
      /** Null in a support token. */
      proof: MigratedProof | null;
      ttl: number;
    },
  ): Promise<Date> {
    const [row] = await tx.execute(insertToken, [
      token.tokenHash,
      token.customerId,
      token.keyId,
      token.ttl,
      token.reason,
      token.proof?.amr ?? null,
      token.proof?.authTime ?? null,
    ]);
    return row!.expiresAt;
  }

  /**
   * Returns a token's customer id, or null if the token is unknown or its customer belongs to another project.
   * @param tokenHashes possible hashes of the token; one of them is stored
   */
  async findCustomerId(tx: Tx, projectId: string, tokenHashes: Buffer[]): Promise<string | null> {
    const [row] = await tx.execute(findToken, [tokenHashes, projectId]);
    return row?.customerId ?? null;
  }

  /**
   * Consumes an unexpired token. If calls run in parallel, exactly one succeeds. The caller must have locked the
   * customer: to prevent deadlocks, every transaction locks the customer before the token.
   */
  async consume(tx: Tx, tokenHashes: Buffer[]): Promise<ConsumedSignInToken | null> {
    const [row] = await tx.execute(consumeToken, [tokenHashes]);
    return row ?? null;
  }

  /** Deletes a customer's tokens. The transaction must have locked the customer. */
  async deleteAll(tx: Tx, customerId: string): Promise<void> {
    await tx.manager.delete(SignInTokenEntity, { customerId });
  }

  /** Removes expired tokens. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneTokens);
  }
}
