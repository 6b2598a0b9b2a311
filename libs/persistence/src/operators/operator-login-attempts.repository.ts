// Raw SQL: upserts, and a count of attempts that every sign-in updates.
import type { Operator } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { pruneStatement, pruneInBatches } from '../database/prune.js';
import type { Tx } from '../database/transactions.js';
import { AttemptCounter, limitValues } from '../failed-attempts/attempt-counter.js';
import {
  attemptResultRow,
  KNOWN_ADDRESS_SINCE,
  type LoginAllowance,
} from '../failed-attempts/login-allowance.js';
import type { LoginAttempt } from '../login-attempts/login-attempts.repository.js';
import { boolean, nullable, statement, text, uuid, type RowOf } from '../sql/statements.js';
import { OperatorAddressEntity } from './operator-address.entity.js';
import { operatorColumns, operatorRow } from './operators.repository.js';

export type OperatorWithPasswordHash = Operator & { passwordHash: string | null };

export interface OperatorLoginAttemptResult extends RowOf<typeof attemptResultRow> {
  /** The operator with this email, or null. */
  operator: OperatorWithPasswordHash | null;
}

const isKnownAddress = `EXISTS (
  SELECT FROM operators o JOIN operator_addresses known ON known.operator_id = o.id
  WHERE o.email = $5 AND known.address_block = $6 AND known.last_sign_in_at > ${KNOWN_ADDRESS_SINCE})`;

const counter = new AttemptCounter('operator_login_attempts', ['email_hash'], {
  grantedColumn: 'granted_by',
});

const reserveAttempt = statement(
  {
    ...attemptResultRow,
    ...operatorRow,
    passwordHash: nullable(text),
    /** Null, like the other operator columns, if no operator has this email. */
    id: nullable(uuid),
  },
  `WITH reserved AS (${counter.countSql({ key: '$4', isKnownAddress })})
   SELECT reserved.*, ${operatorColumns}, o.password_hash AS "passwordHash"
   FROM reserved LEFT JOIN operators o ON o.email = $5`,
);

/** Maximum number of stored browsers for each operator and client IP. The most recent ones are kept. */
const MAX_BROWSERS = 20;

const saveKnownAddress = statement(
  { wasKnown: boolean },
  `WITH previous AS (SELECT browsers FROM operator_addresses WHERE operator_id = $1 AND address_block = $2),
   saved AS (
     INSERT INTO operator_addresses AS known (operator_id, address_block, browsers) VALUES ($1, $2, ARRAY[$3::text])
     ON CONFLICT (operator_id, address_block) DO UPDATE SET last_sign_in_at = now(),
       browsers = ($3 || array_remove(known.browsers, $3))[1:${MAX_BROWSERS}])
   SELECT EXISTS (SELECT FROM previous WHERE browsers = '{}' OR $3 = ANY (browsers)) AS "wasKnown"`,
);

const pruneAddresses = pruneStatement('operator_addresses', `last_sign_in_at < ${KNOWN_ADDRESS_SINCE}`);

/**
 * Failed sign-ins for each operator email address. They are stored in the database, so that all replicas share them and
 * they survive restarts.
 */
export class OperatorLoginAttemptsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reserves an attempt before a password, code or passkey is checked, as `LoginAttemptsRepository` does for
   * customers. A sign-in clears the count. Unknown emails take the same path.
   */
  async reserve(attempt: LoginAttempt): Promise<OperatorLoginAttemptResult> {
    const values = [...limitValues(attempt), attempt.emailHash, attempt.email, attempt.addressBlock];
    const [row] = await this.database.execute(reserveAttempt, values);
    const { granted, attempts, secondsLeft, windowSeconds, id, ...operator } = row!;
    return {
      ...{ granted, attempts, secondsLeft, windowSeconds },
      operator: id === null ? null : { id, ...operator },
    };
  }

  /** Releases an attempt whose password or code was correct or was not checked. */
  async release(emailHash: Buffer, granted: LoginAllowance, tx?: Tx): Promise<void> {
    await counter.release(tx ?? this.database, [emailHash], granted);
  }

  async clear(tx: Tx, emailHash: Buffer): Promise<void> {
    await counter.clear(tx, [emailHash]);
  }

  /**
   * Saves a sign-in's client IP and browser as known, which gives the IP the allowance for known client IPs.
   * @returns whether the operator had signed in from this client IP with this browser before
   */
  async saveKnownAddress(
    tx: Tx,
    operatorId: string,
    addressBlock: string,
    browser: string,
  ): Promise<boolean> {
    const [row] = await tx.execute(saveKnownAddress, [operatorId, addressBlock, browser]);
    return row!.wasKnown;
  }

  /** Removes an operator's known client IPs. */
  async deleteKnownAddresses(tx: Tx, operatorId: string): Promise<void> {
    await tx.manager.delete(OperatorAddressEntity, { operatorId });
  }

  /** Removes failures that no longer count, and known client IPs without a recent sign-in. */
  async prune(signal: AbortSignal): Promise<void> {
    await counter.prune(this.database, signal);
    await pruneInBatches(this.database, signal, pruneAddresses);
  }
}
