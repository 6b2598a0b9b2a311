import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from '../failed-attempts/login-allowance.js';

/** Failed logins for each project and email address. */
@Entity('login_attempts')
export class LoginAttemptEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('bytea', { name: 'email_hash' }) emailHash!: Buffer;
  /** Attempts in the current window that used the open allowance. */
  @Column('integer', { name: 'tries' }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column('text', { nullable: true }) granted!: LoginAllowance | null;
  /** Consecutive attempts with the open allowance across all windows. Determines the next window's length. */
  @Column('integer', { default: 0 }) failures!: number;
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, default: () => 'now()' }) failedAt!: Date;
  /** Consecutive attempts at the password of `customerId`, with either allowance. */
  @Column('integer', { default: 0 }) guesses!: number;
  /** The customer who had this email and a password at the last attempt, or null. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  /** Time at which the customer was notified that too many guesses have blocked the password, or null. */
  @Column({ type: 'timestamptz', name: 'closed_at', precision: 3, nullable: true }) closedAt!: Date | null;
}
