// Raw SQL: an upsert that counts attempts by customer, with a limit in the same statement.
import type { Database, Sql } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { AttemptCounter, limitValues, type AttemptLimit } from '../failed-attempts/attempt-counter.js';
import { attemptResultRow } from '../failed-attempts/login-allowance.js';
import { statement, type RowOf } from '../sql/statements.js';

export type FactorAttemptResult = RowOf<typeof attemptResultRow>;

const counter = new AttemptCounter('factor_attempts', ['customer_id']);

// Known client IPs have no separate allowance, because the client has already completed the first factor.
const reserveAttempt = statement(
  attemptResultRow,
  counter.countSql({ key: 'c.id', from: 'FROM customers c WHERE c.id = $4' }),
);

/**
 * Counts failed attempts at customers' second factors. The counts are stored in the database, so that all API
 * processes share them and they survive restarts. A completed sign-in clears them (`SessionsRepository.insert`).
 */
export class FactorAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before its code is verified, so that concurrent attempts never exceed the limit. Returns null
   * if the customer no longer exists.
   */
  async reserve(customerId: string, limit: AttemptLimit): Promise<FactorAttemptResult | null> {
    const [row] = await this.database.execute(reserveAttempt, [...limitValues(limit), customerId]);
    return row ?? null;
  }

  /** Releases an attempt whose code was correct or was not verified. */
  async release(customerId: string, sql: Sql = this.database): Promise<void> {
    await counter.release(sql, [customerId], 'open');
  }

  /** Clears a customer's failed attempts. */
  async clear(tx: Tx, customerId: string): Promise<void> {
    await counter.clear(tx, [customerId]);
  }

  /** Removes attempts that are no longer counted. */
  async prune(signal: AbortSignal): Promise<void> {
    await counter.prune(this.database, signal);
  }
}
