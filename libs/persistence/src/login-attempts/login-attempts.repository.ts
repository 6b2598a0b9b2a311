// Raw SQL: upserts and conditional updates that run for every sign-in.
import {
  customerWithHashColumns,
  customerWithHashRow,
  type CustomerWithPasswordHash,
} from '../customers/customers.repository.js';
import type { Database, Sql } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import {
  AttemptCounter,
  isGrantedSql,
  limitValues,
  type AttemptLimit,
} from '../failed-attempts/attempt-counter.js';
import {
  attemptResultRow,
  IS_EXPIRED,
  KNOWN_ADDRESS_SINCE,
  type LoginAllowance,
} from '../failed-attempts/login-allowance.js';
import {
  bytea,
  integer,
  nullable,
  statement,
  text,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { CustomerAddressEntity } from './customer-address.entity.js';
import { unknownToPlanner } from '../sql/unknown-to-planner.js';

/** An attempt to count, with the limit on failed logins. */
export interface LoginAttempt extends AttemptLimit {
  email: string;
  /** The email's SHA-256. */
  emailHash: Buffer;
  /** Client's address block; null if unknown. */
  addressBlock: string | null;
}

/** Two uniformly distributed numbers, derived from an email, that select its decoy. */
export interface DecoySelection {
  position: bigint;
  seed: bigint;
}

const customerAttemptRow = {
  ...attemptResultRow,
  /** Consecutive attempts at the customer's password across all windows, including this one. */
  guesses: integer,
  /** Attempt time, before the password is checked. */
  attemptedAt: timestamptz,
};

export interface LoginAttemptResult extends RowOf<typeof customerAttemptRow> {
  /** The customer with this email, or null. */
  customer: CustomerWithPasswordHash | null;
  /** The decoy customer's password hash; null if no customer in the project has a password. */
  decoyHash: string | null;
}

export interface ClearedAttempts {
  /** Attempts in the current window that used the open allowance; 0 if the window has ended. */
  attempts: number;
  guesses: number;
}

const isKnownAddress = `EXISTS (
  SELECT FROM customers c JOIN customer_addresses known ON known.customer_id = c.id
  WHERE c.project_id = ${unknownToPlanner('$4')} AND c.email = $6 AND known.address_block = $7
    AND known.last_login_at > ${KNOWN_ADDRESS_SINCE})`;

/**
 * Number of customers to choose the decoy from. Several candidates compensate for the uneven gaps between the hashes.
 */
const DECOY_CANDIDATES = 8;

/** Returns SQL for decoy candidates in the order of the index `customers_password_order`. */
const decoyCandidates = (comparison: '<' | '>='): string => `
  (SELECT d.id, d.password_hash FROM customers d
   WHERE d.project_id = $4 AND d.password_hash IS NOT NULL AND uuid_hash_extended(d.id, 0) ${comparison} $8::bigint
   ORDER BY uuid_hash_extended(d.id, 0) LIMIT ${DECOY_CANDIDATES})`;

/** SQL for the password hash of a customer who is chosen uniformly from the project (docs/adr/0034). */
const decoyHash = `(
  SELECT candidate.password_hash
  FROM (SELECT * FROM (${decoyCandidates('>=')} UNION ALL ${decoyCandidates('<')}) near LIMIT ${DECOY_CANDIDATES}) candidate
  ORDER BY uuid_hash_extended(candidate.id, $9::bigint) LIMIT 1)`;

const counter = new AttemptCounter('login_attempts', ['project_id', 'email_hash'], {
  released: ', guesses = greatest(guesses - 1, 0)',
});

/**
 * Condition that earlier guesses still count. Guesses at the password of a previous customer with this email do not count.
 */
const hasEarlierGuesses = `(NOT (${IS_EXPIRED}) AND a.customer_id IS NOT DISTINCT FROM excluded.customer_id)`;

const attemptSql = counter.countSql({
  key: '$4, $5',
  isKnownAddress,
  columns: {
    guesses: {
      first: '1',
      next: `(CASE WHEN ${hasEarlierGuesses} THEN a.guesses ELSE 0 END) + ${isGrantedSql(isKnownAddress)}::int`,
    },
    customer_id: {
      first: `(SELECT id FROM customers WHERE project_id = ${unknownToPlanner('$4')} AND email = $6 AND password_hash IS NOT NULL)`,
      next: 'excluded.customer_id',
    },
    closed_at: { first: 'NULL', next: `CASE WHEN ${hasEarlierGuesses} THEN a.closed_at END` },
  },
});

const reserveAttempt = statement(
  {
    ...customerAttemptRow,
    ...customerWithHashRow,
    /** Null, like the other customer columns, if no customer has this email. */
    id: nullable(uuid),
    decoyHash: nullable(text),
  },
  `WITH reserved AS (${attemptSql}, guesses)
   SELECT reserved.*, date_trunc('milliseconds', statement_timestamp()) AS "attemptedAt", ${decoyHash} AS "decoyHash", ${customerWithHashColumns}
   FROM reserved LEFT JOIN customers c ON c.project_id = ${unknownToPlanner('$4')} AND c.email = $6`,
);

const recordPasswordBlocked = statement(
  { emailHash: bytea },
  `UPDATE login_attempts SET closed_at = now()
   WHERE project_id = $1 AND email_hash = $2 AND guesses >= $3 AND closed_at IS NULL
   RETURNING email_hash AS "emailHash"`,
);

const clearAttempts = statement(
  { attempts: integer, guesses: integer },
  `DELETE FROM login_attempts a WHERE project_id = $1 AND email_hash = $2
   RETURNING CASE WHEN window_ends_at > now() THEN tries ELSE 0 END AS attempts,
     CASE WHEN ${IS_EXPIRED} THEN 0 ELSE guesses END AS guesses`,
);

const pruneAddresses = pruneStatement('customer_addresses', `last_login_at < ${KNOWN_ADDRESS_SINCE}`);

/**
 * Failed logins for each project and email address. They are stored in the database, so that all replicas share them
 * and they survive restarts.
 */
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before the password is checked, so that parallel attempts cannot exceed the limit; a success
   * clears the count. Known client IPs have a separate allowance, so that an attacker who uses up the attempts cannot
   * lock the customer out. Unknown emails take the same path. Also returns the customer, because a second round trip
   * would slow down every login. The customer is read before the statement waits for concurrent attempts with the
   * same email, and may be stale afterwards. A fresh read would cost every login another statement or a row lock;
   * instead, callers that change something based on the result compare the hash again (`recordLogin`, `lock`).
   */
  async reserve(
    projectId: string,
    attempt: LoginAttempt,
    decoy: DecoySelection,
  ): Promise<LoginAttemptResult> {
    const [row] = await this.database.execute(reserveAttempt, [
      ...limitValues(attempt),
      projectId,
      attempt.emailHash,
      attempt.email,
      attempt.addressBlock,
      decoy.position,
      decoy.seed,
    ]);
    const {
      granted,
      attempts,
      secondsLeft,
      windowSeconds,
      guesses,
      attemptedAt,
      decoyHash,
      id,
      ...customer
    } = row!;
    return {
      ...{ granted, attempts, secondsLeft, windowSeconds, guesses, attemptedAt, decoyHash },
      customer: id === null ? null : { id, ...customer },
    };
  }

  /** Releases an attempt whose password was not checked. */
  async release(projectId: string, emailHash: Buffer, granted: LoginAllowance): Promise<void> {
    await counter.release(this.database, [projectId, emailHash], granted);
  }

  /**
   * Records that too many guesses have blocked a password. Returns true only the first time, and false if the guesses
   * have been cleared in the meantime.
   */
  async recordPasswordBlocked(
    tx: Tx,
    projectId: string,
    emailHash: Buffer,
    maxGuesses: number,
  ): Promise<boolean> {
    const rows = await tx.execute(recordPasswordBlocked, [projectId, emailHash, maxGuesses]);
    return rows.length > 0;
  }

  /** Clears the count. @returns the counts before they were cleared */
  async clear(projectId: string, emailHash: Buffer, sql: Sql = this.database): Promise<ClearedAttempts> {
    const [row] = await sql.execute(clearAttempts, [projectId, emailHash]);
    return row ?? { attempts: 0, guesses: 0 };
  }

  /** Removes a customer's known client IPs. */
  async deleteKnownAddresses(tx: Tx, customerId: string): Promise<void> {
    await tx.manager.delete(CustomerAddressEntity, { customerId });
  }

  /** Removes failures that no longer count, and known client IPs without a recent login. */
  async prune(signal: AbortSignal): Promise<void> {
    await counter.prune(this.database, signal);
    await pruneInBatches(this.database, signal, pruneAddresses);
  }
}
