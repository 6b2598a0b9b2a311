import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from '../failed-attempts/login-allowance.js';

/** Failed sign-ins for each operator email address. */
@Entity('operator_login_attempts')
export class OperatorLoginAttemptEntity {
  @PrimaryColumn('bytea', { name: 'email_hash' }) emailHash!: Buffer;
  @Column('integer', { name: 'tries' }) attempts!: number;
  /** Read only by earlier versions, which do not have `granted_by`. */
  @Column('boolean', { default: false }) granted!: boolean;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column('text', { name: 'granted_by', nullable: true }) grantedBy!: LoginAllowance | null;
  /** Consecutive attempts with the open allowance across all windows. Determines the next window's length. */
  @Column('integer', { default: 0 }) failures!: number;
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, default: () => 'now()' }) failedAt!: Date;
}
