// This file contains SQL: upserts and conditional changes for every sign-in.
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

/** The limit on failed logins and the attempt to count. */
export interface LoginAttempt extends AttemptLimit {
  email: string;
  /** The email's SHA-256. */
  emailHash: Buffer;
  /** The client's address block; null if unknown. */
  addressBlock: string | null;
}

/** Two uniformly distributed numbers for an email that select its decoy. */
export interface DecoySelection {
  position: bigint;
  seed: bigint;
}

const customerAttemptRow = {
  ...attemptResultRow,
  /** Number of consecutive attempts at the customer's password, in all windows and with this one. */
  guesses: integer,
  /** The attempt's time, which is before the password is checked. */
  attemptedAt: timestamptz,
};

export interface LoginAttemptResult extends RowOf<typeof customerAttemptRow> {
  /** The customer with this email, or null. */
  customer: CustomerWithPasswordHash | null;
  /** The selected customer's password hash; null if no customer in the project has a password. */
  decoyHash: string | null;
}

export interface ClearedAttempts {
  /** Number of attempts that used the open allowance; 0 if the window has ended. */
  attempts: number;
  guesses: number;
}

const isKnownAddress = `EXISTS (
  SELECT FROM customers c JOIN customer_addresses known ON known.customer_id = c.id
  WHERE c.project_id = ${unknownToPlanner('$4')} AND c.email = $6 AND known.address_block = $7
    AND known.last_login_at > ${KNOWN_ADDRESS_SINCE})`;

/** Number of customers from whom the decoy is selected, so that their distances in the order matter less. */
const DECOY_CANDIDATES = 8;

/** Returns SQL for decoy candidates, in the order of `customers_password_order`. */
const decoyCandidates = (comparison: '<' | '>='): string => `
  (SELECT d.id, d.password_hash FROM customers d
   WHERE d.project_id = $4 AND d.password_hash IS NOT NULL AND uuid_hash_extended(d.id, 0) ${comparison} $8::bigint
   ORDER BY uuid_hash_extended(d.id, 0) LIMIT ${DECOY_CANDIDATES})`;

/** The hash of a customer in the project, selected uniformly (docs/adr/0034). */
const decoyHash = `(
  SELECT candidate.password_hash
  FROM (SELECT * FROM (${decoyCandidates('>=')} UNION ALL ${decoyCandidates('<')}) near LIMIT ${DECOY_CANDIDATES}) candidate
  ORDER BY uuid_hash_extended(candidate.id, $9::bigint) LIMIT 1)`;

const counter = new AttemptCounter('login_attempts', ['project_id', 'email_hash'], {
  released: ', guesses = greatest(guesses - 1, 0)',
});

/** SQL for the condition that the earlier guesses count. Guesses at the password of an email's earlier owner do not. */
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
    /** Null if there is no customer with this email. The customer's other columns are null then, too. */
    id: nullable(uuid),
    decoyHash: nullable(text),
  },
  `WITH reserved AS (${attemptSql}, guesses)
   SELECT reserved.*, date_trunc('milliseconds', statement_timestamp()) AS "attemptedAt", ${decoyHash} AS "decoyHash", ${customerWithHashColumns}
   FROM reserved LEFT JOIN customers c ON c.project_id = ${unknownToPlanner('$4')} AND c.email = $6`,
);

const recordClosing = statement(
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
 * Failed logins per project and email, stored in the database so that all replicas share them and they
 * survive restarts.
 */
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before its password is checked, so that parallel attempts never exceed the limit; a success
   * clears the count. Known client IPs have a separate allowance, so that a stranger who uses up the attempts locks
   * no customer out. Unknown emails take the same path. Also returns the customer, because the round trips determine
   * a login's duration. The customer is in the state before the wait for other attempts with this email. A read after
   * the wait would need another statement, or a lock on the customer, in every login: callers that change something
   * based on the result compare the hash again instead (`recordLogin`, `lock`).
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
   * Records that the guesses have closed a password. Returns true once, and false if the guesses have been
   * cleared in the meantime.
   */
  async recordClosing(tx: Tx, projectId: string, emailHash: Buffer, maxGuesses: number): Promise<boolean> {
    const rows = await tx.execute(recordClosing, [projectId, emailHash, maxGuesses]);
    return rows.length > 0;
  }

  /** Clears the count. @returns the cleared attempts in the window, and the guesses at the password */
  async clear(projectId: string, emailHash: Buffer, sql: Sql = this.database): Promise<ClearedAttempts> {
    const [row] = await sql.execute(clearAttempts, [projectId, emailHash]);
    return row ?? { attempts: 0, guesses: 0 };
  }

  /** Removes all of the customer's known client IPs. */
  async deleteKnownAddresses(tx: Tx, customerId: string): Promise<void> {
    await tx.manager.delete(CustomerAddressEntity, { customerId });
  }

  /** Removes failures that are no longer counted, and client IPs that have not been used for a long time. */
  async prune(signal: AbortSignal): Promise<void> {
    await counter.prune(this.database, signal);
    await pruneInBatches(this.database, signal, pruneAddresses);
  }
}
