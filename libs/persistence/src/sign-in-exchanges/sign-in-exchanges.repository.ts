// This file contains SQL: times by the clock of the database, and a deletion that returns the row.
import { EXCHANGE_TTL, type ExchangeMethod } from '@gatehouse/domain';
import type { Database } from '../database.js';
import { pruneInBatches, pruneStatement } from '../prune.js';
import { bytea, statement, text, textOf, timestamptz, type RowOf } from '../statements.js';
import type { Tx } from '../transactions.js';
import { SignInExchangeEntity } from './sign-in-exchange.entity.js';

/** What a code is bound to. It is useless with anything else. */
export interface ExchangeKey {
  /** SHA-256 of the code. */
  codeHash: Buffer;
  projectId: string;
  redirectUrl: string;
  /** SHA-256 of the verifier, in base64url. */
  codeChallenge: string;
}

export interface NewSignInExchange extends ExchangeKey {
  method: ExchangeMethod;
  /** The address that was proven. */
  email: string;
  /** When the client began the sign-in. */
  requestedAt: Date;
}

const exchangeRow = {
  method: textOf<ExchangeMethod>(),
  email: text,
  requestedAt: timestamptz,
  /** When the customer gave the proof. */
  provenAt: timestamptz,
};

export type SignInExchange = RowOf<typeof exchangeRow>;

const insertExchange = statement(
  {},
  `INSERT INTO sign_in_exchanges
     (code_hash, project_id, redirect_url, code_challenge, method, email, requested_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + interval '${EXCHANGE_TTL} seconds')`,
);

const findExchange = statement(
  exchangeRow,
  `SELECT method, email, requested_at AS "requestedAt", created_at AS "provenAt" FROM sign_in_exchanges
   WHERE code_hash = $1 AND project_id = $2 AND redirect_url = $3 AND code_challenge = $4 AND expires_at > now()`,
);

const consumeExchange = statement(
  { codeHash: bytea },
  'DELETE FROM sign_in_exchanges WHERE code_hash = $1 RETURNING code_hash AS "codeHash"',
);

const pruneExchanges = pruneStatement('sign_in_exchanges', 'expires_at <= now()');

/** Proofs of identity that applications have yet to exchange for a session. */
export class SignInExchangesRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: Tx, exchange: NewSignInExchange): Promise<void> {
    const { codeHash, projectId, redirectUrl, codeChallenge, method, email, requestedAt } = exchange;
    await tx.execute(insertExchange, [
      codeHash,
      projectId,
      redirectUrl,
      codeChallenge,
      method,
      email,
      requestedAt,
    ]);
  }

  /** Returns the proof of a code, or null if the code is unknown, expired or bound to something else. */
  async find(
    tx: Tx,
    { codeHash, projectId, redirectUrl, codeChallenge }: ExchangeKey,
  ): Promise<SignInExchange | null> {
    const [row] = await tx.execute(findExchange, [codeHash, projectId, redirectUrl, codeChallenge]);
    return row ?? null;
  }

  /**
   * Consumes a code that `find` has found. Of several parallel calls one returns true. The caller must have locked the
   * customer: every transaction locks the customer before the code, which prevents deadlocks.
   */
  async consume(tx: Tx, codeHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeExchange, [codeHash]);
    return rows.length > 0;
  }

  /** Deletes the proofs of an address. The caller must have locked the customer, if one has the address. */
  async deleteAll(tx: Tx, projectId: string, email: string): Promise<void> {
    await tx.manager.delete(SignInExchangeEntity, { projectId, email });
  }

  /** Removes expired proofs. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneExchanges);
  }
}
