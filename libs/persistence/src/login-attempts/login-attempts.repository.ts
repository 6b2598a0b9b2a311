import { customerColumns, type CustomerWithPasswordHash } from '../customers/customers.repository.js';
import type { Database, Sql } from '../database.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';
import {
  KNOWN_ADDRESS_SINCE,
  consumeAllowanceSql,
  attemptsColumn,
  type LoginAllowance,
} from './login-allowance.js';

export interface LoginAttempt {
  /** Failed logins that one window takes, and as many again from addresses that they have used. */
  quota: number;
  windowSeconds: number;
  email: string;
  /** SHA-256 of the e-mail. */
  emailHash: Buffer;
  /** The block of addresses that the try comes from; null when it is not known. */
  addressBlock: string | null;
}

export interface LoginAttemptResult {
  /** Null: the try is refused. */
  granted: LoginAllowance | null;
  /** Who has this e-mail; null when nobody does. */
  customer: CustomerWithPasswordHash | null;
  /** Tries of the open allowance that are taken. */
  tries: number;
  /** Seconds until the window ends. */
  secondsLeft: number;
}

/** Failed logins per (project, e-mail), counted where every replica sees them and no restart forgets them. */
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes a try before its password is checked, so that parallel tries never get more than the limit; a
   * success forgets the count again. Known addresses have an allowance of their own, so that a stranger who
   * uses up the tries locks nobody out. Unknown e-mails take the same path. The customer comes with it, because
   * a login is made of round trips; they come as they were before the wait for other tries of this e-mail. A read
   * that follows the wait would need a statement of its own, or a lock on the customer, in every login: whoever
   * changes something with the answer compares the hash again instead (`recordLogin`, `lock`).
   */
  async reserve(projectId: string, attempt: LoginAttempt): Promise<LoginAttemptResult> {
    const isKnownAddress = `EXISTS (
      SELECT FROM customers c JOIN customer_addresses k ON k.customer_id = c.id
      WHERE c.project_id = $1 AND c.email = $5 AND k.address_block = $6 AND k.last_login_at > ${KNOWN_ADDRESS_SINCE})`;
    const [row] = await this.database.queryPrepared<
      Omit<LoginAttemptResult, 'customer'> & CustomerWithPasswordHash
    >(
      `WITH taken AS (INSERT INTO login_attempts AS a (project_id, email_hash, tries, window_ends_at, granted)
       VALUES ($1, $2, 1, now() + $3 * interval '1 second', 'open')
       ON CONFLICT (project_id, email_hash) DO UPDATE SET ${consumeAllowanceSql('$4::int', isKnownAddress, 'granted')}
       RETURNING granted, tries, ceil(extract(epoch FROM window_ends_at - now()))::int AS "secondsLeft")
       SELECT taken.*, ${customerColumns}, c.password_hash AS "passwordHash"
       FROM taken LEFT JOIN customers c ON c.project_id = $1 AND c.email = $5`,
      [
        projectId,
        attempt.emailHash,
        attempt.windowSeconds,
        attempt.quota,
        attempt.email,
        attempt.addressBlock,
      ],
    );
    const { granted, tries, secondsLeft, ...customer } = row!;
    return { granted, tries, secondsLeft, customer: customer.id === null ? null : customer };
  }

  /** Gives a try back whose password was never checked. */
  async release(projectId: string, emailHash: Buffer, granted: LoginAllowance): Promise<void> {
    const column = attemptsColumn(granted);
    await this.database.queryPrepared(
      `UPDATE login_attempts SET ${column} = ${column} - 1
       WHERE project_id = $1 AND email_hash = $2 AND ${column} > 0`,
      [projectId, emailHash],
    );
  }

  /** @returns how many tries had been taken */
  async clear(projectId: string, emailHash: Buffer, sql: Sql = this.database): Promise<number> {
    const [row] = await sql.queryPrepared<{ tries: number }>(
      `DELETE FROM login_attempts WHERE project_id = $1 AND email_hash = $2
       RETURNING CASE WHEN window_ends_at > now() THEN tries ELSE 0 END AS tries`,
      [projectId, emailHash],
    );
    return row?.tries ?? 0;
  }

  /** Makes every address a stranger's again. */
  async deleteKnownAddresses(tx: Tx, customerId: string): Promise<void> {
    await tx.queryPrepared('DELETE FROM customer_addresses WHERE customer_id = $1', [customerId]);
  }

  /** Removes windows that are over, and addresses that nobody has used for long. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'login_attempts', 'window_ends_at < now()');
    await prune(this.database, signal, 'customer_addresses', `last_login_at < ${KNOWN_ADDRESS_SINCE}`);
  }
}
