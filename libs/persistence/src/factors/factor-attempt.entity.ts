import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from '../failed-attempts/login-allowance.js';

/** Failed attempts at a customer's second factor, across all challenges and sessions. */
@Entity('factor_attempts')
export class FactorAttemptEntity {
  @PrimaryColumn('uuid', { name: 'customer_id' }) customerId!: string;
  /** Attempts in the window. */
  @Column('integer', { name: 'tries' }) attempts!: number;
  /** Always 0: known client IPs have no separate allowance. */
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
  @Column('text', { nullable: true }) granted!: LoginAllowance | null;
  /** Consecutive attempts across all windows. Determines the next window's length. */
  @Column('integer') failures!: number;
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, default: () => 'now()' }) failedAt!: Date;
}
