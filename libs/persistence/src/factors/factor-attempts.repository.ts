// This file contains SQL: an upsert that counts attempts.
import type { Database, Sql } from '../database.js';
import {
  attemptResultRow,
  attemptResultSql,
  consumeAllowanceSql,
  PRUNED_ATTEMPTS,
  releaseSql,
} from '../login-attempts/login-allowance.js';
import { pruneInBatches, pruneStatement } from '../prune.js';
import { statement, type RowOf } from '../statements.js';

/** The limit of attempts. Times in seconds. */
export interface FactorAttemptLimit {
  quota: number;
  windowSeconds: number;
  maxWindowSeconds: number;
}

export type FactorAttemptResult = RowOf<typeof attemptResultRow>;

const parameters = { quota: '$3::int', windowSeconds: '$2::int', maxWindowSeconds: '$4::int' };

// Known addresses have no allowance of their own: the client has proven the first factor.
const reserveAttempt = statement(
  attemptResultRow,
  `INSERT INTO factor_attempts AS a (customer_id, tries, window_ends_at, granted, failures)
   SELECT c.id, 1, now() + $2::int * interval '1 second', 'open', 1 FROM customers c WHERE c.id = $1
   ON CONFLICT (customer_id) DO UPDATE SET ${consumeAllowanceSql(parameters, 'false', 'granted')}
   RETURNING ${attemptResultSql('granted', parameters)}`,
);

const releaseAttempt = statement(
  {},
  `UPDATE factor_attempts SET ${releaseSql('open')} WHERE customer_id = $1 AND tries > 0`,
);

const pruneAttempts = pruneStatement('factor_attempts', PRUNED_ATTEMPTS);

/**
 * Failed attempts at the second factors of customers, stored in the database so that all replicas share them and they
 * survive restarts. A completed sign-in clears them (`SessionsRepository.insert`).
 */
export class FactorAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before its code is verified, so that parallel attempts never exceed the limit. Returns null if
   * the customer no longer exists.
   */
  async reserve(customerId: string, limit: FactorAttemptLimit): Promise<FactorAttemptResult | null> {
    const values = [customerId, limit.windowSeconds, limit.quota, limit.maxWindowSeconds];
    const [row] = await this.database.execute(reserveAttempt, values);
    return row ?? null;
  }

  /** Releases an attempt whose code was correct or was not verified. */
  async release(customerId: string, sql: Sql = this.database): Promise<void> {
    await sql.execute(releaseAttempt, [customerId]);
  }

  /** Removes attempts that are no longer counted. */
  async prune(signal: AbortSignal): Promise<void> {
    await pruneInBatches(this.database, signal, pruneAttempts);
  }
}
