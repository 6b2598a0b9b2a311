// Raw SQL: an upsert, conditional updates that return rows, and times from the database clock.
import { EMAIL_CODE_TTL, MAX_CODE_GUESSES, type RevocableAccess } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneInBatches, pruneStatement } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { boolean, statement, uuid } from '../sql/statements.js';

const replaceCode = statement(
  {},
  `INSERT INTO reauthentication_codes (session_id, code_hash, expires_at)
   VALUES ($1, $2, now() + interval '${EMAIL_CODE_TTL} seconds')
   ON CONFLICT (session_id) DO UPDATE SET code_hash = excluded.code_hash, guesses = 0,
     expires_at = excluded.expires_at, created_at = excluded.created_at`,
);

const guessCode = statement(
  { isCorrect: boolean },
  `UPDATE reauthentication_codes SET guesses = guesses + 1
   WHERE session_id = $1 AND guesses < ${MAX_CODE_GUESSES} AND expires_at > now()
   RETURNING code_hash = ANY ($2) AS "isCorrect"`,
);

const consumeCode = statement(
  { sessionId: uuid },
  `DELETE FROM reauthentication_codes
   WHERE session_id = $1 AND code_hash = ANY ($2) AND ($3::timestamptz IS NULL OR created_at > $3)
   RETURNING session_id AS "sessionId"`,
);

const pruneCodes = pruneStatement('reauthentication_codes', 'expires_at <= now()');

/** Emailed codes for reauthentication in a session. */
export class ReauthenticationCodesRepository {
  constructor(private readonly database: Database) {}

  /** Stores a new code's keyed hash, which replaces the session's previous code. */
  async replace(tx: Tx, sessionId: string, codeHash: Buffer): Promise<void> {
    await tx.execute(replaceCode, [sessionId, codeHash]);
  }

  /**
   * Counts a guess, and returns whether it is correct.
   * @param codeHashes keyed hashes of the guess, one per root secret
   */
  async guess(sessionId: string, codeHashes: Buffer[]): Promise<boolean> {
    const [row] = await this.database.execute(guessCode, [sessionId, codeHashes]);
    return row?.isCorrect ?? false;
  }

  /**
   * Consumes a correctly guessed code, unless access has been revoked since it was sent. If calls run in parallel,
   * exactly one returns true.
   */
  async consume(
    tx: Tx,
    { accessRevokedAt }: RevocableAccess,
    sessionId: string,
    codeHashes: Buffer[],
  ): Promise<boolean> {
    const rows = await tx.execute(consumeCode, [sessionId, codeHashes, accessRevokedAt]);
    return rows.length > 0;
  }

  /** Removes expired codes. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneCodes);
  }
}
