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
  /** Maximum number of failed logins per window, and the same number again from known addresses. */
  quota: number;
  windowSeconds: number;
  email: string;
  /** SHA-256 of the email. */
  emailHash: Buffer;
  /** Address block of the client; null if unknown. */
  addressBlock: string | null;
}

export interface LoginAttemptResult {
  /** Null if the attempt is rejected. */
  granted: LoginAllowance | null;
  /** The customer with this email, or null. */
  customer: CustomerWithPasswordHash | null;
  /** Number of attempts of the open allowance that are used. */
  tries: number;
  /** Seconds until the window ends. */
  secondsLeft: number;
}

/**
 * Failed logins per project and email, stored in the database so that all replicas share them and they
 * survive restarts.
 */
export class LoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before its password is checked, so that parallel attempts never exceed the limit; a
   * success clears the count. Known addresses have a separate allowance, so that a stranger who uses up the
   * attempts locks no customer out. Unknown emails take the same path. Also returns the customer, because the
   * round trips determine the duration of a login. The customer is in the state before the wait for other
   * attempts with this email. A read after the wait would need another statement, or a lock on the customer,
   * in every login: callers that change something based on the result compare the hash again instead
   * (`recordLogin`, `lock`).
   */
  async reserve(projectId: string, attempt: LoginAttempt): Promise<LoginAttemptResult> {
    const isKnownAddress = `EXISTS (
      SELECT FROM customers c JOIN customer_addresses k ON k.customer_id = c.id
      WHERE c.project_id = $1 AND c.email = $5 AND k.address_block = $6 AND k.last_login_at > ${KNOWN_ADDRESS_SINCE})`;
    const [row] = await this.database.queryPrepared<
      Omit<LoginAttemptResult, 'customer'> & CustomerWithPasswordHash
    >(
      `WITH reserved AS (INSERT INTO login_attempts AS a (project_id, email_hash, tries, window_ends_at, granted)
       VALUES ($1, $2, 1, now() + $3 * interval '1 second', 'open')
       ON CONFLICT (project_id, email_hash) DO UPDATE SET ${consumeAllowanceSql('$4::int', isKnownAddress, 'granted')}
       RETURNING granted, tries, ceil(extract(epoch FROM window_ends_at - now()))::int AS "secondsLeft")
       SELECT reserved.*, ${customerColumns}, c.password_hash AS "passwordHash"
       FROM reserved LEFT JOIN customers c ON c.project_id = $1 AND c.email = $5`,
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

  /** Releases an attempt whose password was not checked. */
  async release(projectId: string, emailHash: Buffer, granted: LoginAllowance): Promise<void> {
    const column = attemptsColumn(granted);
    await this.database.queryPrepared(
      `UPDATE login_attempts SET ${column} = ${column} - 1
       WHERE project_id = $1 AND email_hash = $2 AND ${column} > 0`,
      [projectId, emailHash],
    );
  }

  /** Clears the count. @returns the number of used attempts */
  async clear(projectId: string, emailHash: Buffer, sql: Sql = this.database): Promise<number> {
    const [row] = await sql.queryPrepared<{ tries: number }>(
      `DELETE FROM login_attempts WHERE project_id = $1 AND email_hash = $2
       RETURNING CASE WHEN window_ends_at > now() THEN tries ELSE 0 END AS tries`,
      [projectId, emailHash],
    );
    return row?.tries ?? 0;
  }

  /** Removes all known addresses of a customer. */
  async deleteKnownAddresses(tx: Tx, customerId: string): Promise<void> {
    await tx.queryPrepared('DELETE FROM customer_addresses WHERE customer_id = $1', [customerId]);
  }

  /** Removes expired windows, and addresses that have not been used for a long time. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'login_attempts', 'window_ends_at < now()');
    await prune(this.database, signal, 'customer_addresses', `last_login_at < ${KNOWN_ADDRESS_SINCE}`);
  }
}
