import { ApiProperty } from '@nestjs/swagger';
import type { CustomerLock } from '@gatehouse/persistence';

const lockReasons = ['failed_passwords', 'closed_password', 'failed_second_factors'] as const;

/** A customer's lock after failed sign-ins. */
export class CustomerLockResponse {
  @ApiProperty({
    enum: lockReasons,
    isArray: true,
    description:
      'Why the customer is locked. `closed_password`: 100 consecutive sign-ins failed, and the password is blocked until the customer sets a new one or is unlocked',
  })
  reasons!: (typeof lockReasons)[number][];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time at which the last lock ends. Null if the password is blocked',
  })
  until!: string | null;

  @ApiProperty({ description: 'Failed sign-ins with a password in the current window' })
  failedPasswords!: number;

  @ApiProperty({ description: 'Consecutive failed sign-ins with a password in all windows' })
  consecutiveFailures!: number;

  @ApiProperty({ description: 'Wrong second-factor codes in the current window' })
  failedSecondFactors!: number;

  @ApiProperty({ format: 'date-time' }) lastFailedAt!: string;

  @ApiProperty({
    description:
      'Number of known client IPs, from which the customer has signed in within the last 30 days and can still sign in with the password',
  })
  knownAddresses!: number;

  static from(lock: CustomerLock): CustomerLockResponse {
    const { passwordLockedUntil, isPasswordBlocked, factorLockedUntil } = lock;
    const isReason: Record<(typeof lockReasons)[number], boolean> = {
      failed_passwords: passwordLockedUntil !== null,
      closed_password: isPasswordBlocked,
      failed_second_factors: factorLockedUntil !== null,
    };
    const lastEnd = Math.max(passwordLockedUntil?.getTime() ?? 0, factorLockedUntil?.getTime() ?? 0);
    return {
      reasons: lockReasons.filter((reason) => isReason[reason]),
      until: isPasswordBlocked ? null : new Date(lastEnd).toISOString(),
      failedPasswords: lock.failedPasswords,
      consecutiveFailures: lock.guesses,
      failedSecondFactors: lock.failedFactors,
      lastFailedAt: lock.lastFailedAt.toISOString(),
      knownAddresses: lock.knownAddresses,
    };
  }
}
