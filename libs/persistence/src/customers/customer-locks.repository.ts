// Raw SQL: conditions on the number of failed attempts and on the project's limits.
import type { Customer } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { KNOWN_ADDRESS_SINCE } from '../failed-attempts/login-allowance.js';
import {
  boolean,
  integer,
  neverNull,
  nullable,
  statement,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import {
  CUSTOMER_FAILURES,
  IS_FACTOR_LOCKED,
  IS_KNOWN_ALLOWED,
  IS_PASSWORD_BLOCKED,
  IS_PASSWORD_LOCKED,
} from './customer-lock-sql.js';

const lockRow = {
  customerId: uuid,
  /** Time until which passwords are rejected, or null if they are not. */
  passwordLockedUntil: nullable(timestamptz),
  /** True if the password is blocked until the customer sets a new one or is unlocked. */
  isPasswordBlocked: boolean,
  /** Time until which second factors are rejected, or null if they are not. */
  factorLockedUntil: nullable(timestamptz),
  /** Failed passwords in the current window. */
  failedPasswords: integer,
  /** Consecutive failed passwords in all windows. */
  guesses: integer,
  /** Failed second factors in the current window. */
  failedFactors: integer,
  lastFailedAt: neverNull(timestamptz),
  /** Number of known client IPs from which the customer can sign in despite the lock. */
  knownAddresses: integer,
};

/** The failed sign-ins that lock a customer. */
export type CustomerLock = RowOf<typeof lockRow>;

const findLocks = statement(
  lockRow,
  `SELECT c.id AS "customerId",
     CASE WHEN ${IS_PASSWORD_LOCKED} THEN a.window_ends_at END AS "passwordLockedUntil",
     coalesce(${IS_PASSWORD_BLOCKED}, false) AS "isPasswordBlocked",
     CASE WHEN ${IS_FACTOR_LOCKED} THEN f.window_ends_at END AS "factorLockedUntil",
     CASE WHEN a.window_ends_at > now() THEN a.tries ELSE 0 END AS "failedPasswords",
     coalesce(a.guesses, 0) AS guesses,
     CASE WHEN f.window_ends_at > now() THEN f.tries ELSE 0 END AS "failedFactors",
     greatest(a.failed_at, f.failed_at) AS "lastFailedAt",
     CASE WHEN ${IS_KNOWN_ALLOWED} AND NOT ${IS_PASSWORD_BLOCKED} THEN (
       SELECT count(*) FROM customer_addresses known
       WHERE known.customer_id = c.id AND known.last_login_at > ${KNOWN_ADDRESS_SINCE}) ELSE 0 END::int AS "knownAddresses"
   FROM customers c JOIN projects p ON p.id = c.project_id ${CUSTOMER_FAILURES}
   WHERE c.id = ANY($1) AND (${IS_PASSWORD_LOCKED} OR ${IS_PASSWORD_BLOCKED} OR ${IS_FACTOR_LOCKED})`,
);

/** Reads customer locks. A lock is not stored but computed from the counted failures and the project limits. */
export class CustomerLocksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns these customers' locks, by customer id. Omits customers who are not locked. The caller checks the access
   * scope.
   */
  async find(customers: readonly Pick<Customer, 'id'>[]): Promise<Map<string, CustomerLock>> {
    const rows = await this.database.execute(findLocks, [customers.map(({ id }) => id)]);
    return new Map(rows.map((row) => [row.customerId, row]));
  }
}
