// This file contains SQL: times by the clock of the database, and deletion that returns rows.
import { issuedAtFor } from '../customers/access-revocation-sql.js';
import type { Database } from '../database.js';
import { pruneInBatches, pruneStatement } from '../prune.js';
import { nullable, statement, text, timestamptz, uuid, type RowOf } from '../statements.js';
import type { Tx } from '../transactions.js';
import { SignInTokenEntity } from './sign-in-token.entity.js';

const insertToken = statement(
  { expiresAt: timestamptz },
  `INSERT INTO sign_in_tokens (token_hash, customer_id, key_id, expires_at, created_at, reason)
   VALUES ($1, $2, $3, now() + $4 * interval '1 second', ${issuedAtFor('$2')}, $5) RETURNING expires_at AS "expiresAt"`,
);

const findToken = statement(
  { customerId: uuid },
  `SELECT t.customer_id AS "customerId" FROM sign_in_tokens t JOIN customers c ON c.id = t.customer_id
   WHERE t.token_hash = $1 AND c.project_id = $2`,
);

const consumedRow = { keyId: uuid, reason: nullable(text), createdAt: timestamptz };

/** The key that created a token, why, and when. */
export type ConsumedSignInToken = RowOf<typeof consumedRow>;

const consumeToken = statement(
  consumedRow,
  `DELETE FROM sign_in_tokens WHERE token_hash = $1 AND expires_at > now()
   RETURNING key_id AS "keyId", reason, created_at AS "createdAt"`,
);

const pruneTokens = pruneStatement('sign_in_tokens', 'expires_at <= now()');

/** Tokens with which secret keys let their holders sign in as a customer. */
export class SignInTokensRepository {
  constructor(private readonly database: Database) {}

  /** @param ttl seconds @returns the time at which the token expires */
  async insert(
    tx: Tx,
    token: { tokenHash: Buffer; customerId: string; keyId: string; reason: string; ttl: number },
  ): Promise<Date> {
    const [row] = await tx.execute(insertToken, [
      token.tokenHash,
      token.customerId,
      token.keyId,
      token.ttl,
      token.reason,
    ]);
    return row!.expiresAt;
  }

  /** Returns the id of the customer of a token, if the customer belongs to the project; otherwise null. */
  async findCustomerId(tx: Tx, projectId: string, tokenHash: Buffer): Promise<string | null> {
    const [row] = await tx.execute(findToken, [tokenHash, projectId]);
    return row?.customerId ?? null;
  }

  /**
   * Consumes an unexpired token. Of several parallel calls one succeeds. The caller must have locked the customer:
   * every transaction locks the customer before the token, which prevents deadlocks.
   */
  async consume(tx: Tx, tokenHash: Buffer): Promise<ConsumedSignInToken | null> {
    const [row] = await tx.execute(consumeToken, [tokenHash]);
    return row ?? null;
  }

  /** Deletes the tokens of a customer whom the transaction has locked. */
  async deleteAll(tx: Tx, customerId: string): Promise<void> {
    await tx.manager.delete(SignInTokenEntity, { customerId });
  }

  /** Removes expired tokens. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneTokens);
  }
}
