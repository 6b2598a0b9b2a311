import type { Operator } from '@gatehouse/domain';
import type { Database, Sql } from '../database.js';
import {
  KNOWN_ADDRESS_SINCE,
  consumeAllowanceSql,
  attemptsColumn,
  type LoginAllowance,
} from '../login-attempts/login-allowance.js';
import type { LoginAttemptResult, LoginAttempt } from '../login-attempts/login-attempts.repository.js';
import { prune } from '../prune.js';
import type { Tx } from '../transactions.js';
import { operatorColumns } from './operators.repository.js';

export type OperatorWithPasswordHash = Operator & { passwordHash: string | null };

export interface OperatorLoginAttemptResult extends Omit<LoginAttemptResult, 'customer'> {
  /** The operator with this email, or null. */
  operator: OperatorWithPasswordHash | null;
}

/**
 * Failed sign-ins per email of an operator, stored in the database so that all replicas share them and they
 * survive restarts.
 */
export class OperatorLoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before a password or code is checked, as for customers (`LoginAttemptsRepository`). A
   * sign-in clears the count. Unknown emails take the same path.
   */
  async reserve(attempt: LoginAttempt): Promise<OperatorLoginAttemptResult> {
    const isKnownAddress = `EXISTS (
      SELECT FROM operators o JOIN operator_addresses k ON k.operator_id = o.id
      WHERE o.email = $4 AND k.address_block = $5 AND k.last_sign_in_at > ${KNOWN_ADDRESS_SINCE})`;
    const [row] = await this.database.queryPrepared<
      Omit<OperatorLoginAttemptResult, 'operator'> & OperatorWithPasswordHash
    >(
      `WITH reserved AS (INSERT INTO operator_login_attempts AS a (email_hash, tries, window_ends_at, granted_by)
       VALUES ($1, 1, now() + $2 * interval '1 second', 'open')
       ON CONFLICT (email_hash) DO UPDATE SET ${consumeAllowanceSql('$3::int', isKnownAddress, 'granted_by')}
       RETURNING granted_by AS granted, tries, ceil(extract(epoch FROM window_ends_at - now()))::int AS "secondsLeft")
       SELECT reserved.*, ${operatorColumns}, o.password_hash AS "passwordHash"
       FROM reserved LEFT JOIN operators o ON o.email = $4`,
      [attempt.emailHash, attempt.windowSeconds, attempt.quota, attempt.email, attempt.addressBlock],
    );
    const { granted, tries, secondsLeft, ...operator } = row!;
    return { granted, tries, secondsLeft, operator: operator.id === null ? null : operator };
  }

  /** Releases an attempt whose password was not checked. */
  async release(emailHash: Buffer, granted: LoginAllowance): Promise<void> {
    const column = attemptsColumn(granted);
    await this.database.queryPrepared(
      `UPDATE operator_login_attempts SET ${column} = ${column} - 1 WHERE email_hash = $1 AND ${column} > 0`,
      [emailHash],
    );
  }

  async clear(emailHash: Buffer, sql: Sql = this.database): Promise<void> {
    await sql.queryPrepared('DELETE FROM operator_login_attempts WHERE email_hash = $1', [emailHash]);
  }

  /** Saves the address of a signed-in operator as known, so that it has the allowance for known addresses. */
  async saveKnownAddress(tx: Tx, operatorId: string, addressBlock: string): Promise<void> {
    await tx.queryPrepared(
      `INSERT INTO operator_addresses (operator_id, address_block) VALUES ($1, $2)
       ON CONFLICT (operator_id, address_block) DO UPDATE SET last_sign_in_at = now()`,
      [operatorId, addressBlock],
    );
  }

  /** Removes all known addresses of an operator. */
  async deleteKnownAddresses(tx: Tx, operatorId: string): Promise<void> {
    await tx.queryPrepared('DELETE FROM operator_addresses WHERE operator_id = $1', [operatorId]);
  }

  /** Removes expired windows, and addresses that have not been used for a long time. */
  async prune(signal: AbortSignal): Promise<void> {
    await prune(this.database, signal, 'operator_login_attempts', 'window_ends_at < now()');
    await prune(this.database, signal, 'operator_addresses', `last_sign_in_at < ${KNOWN_ADDRESS_SINCE}`);
  }
}
