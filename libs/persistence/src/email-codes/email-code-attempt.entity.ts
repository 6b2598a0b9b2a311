import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from '../failed-attempts/login-allowance.js';

/** Email code guesses for each project and email address. */
@Entity('email_code_attempts')
export class EmailCodeAttemptEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('bytea', { name: 'email_hash' }) emailHash!: Buffer;
  /** Attempts in the window that used the open allowance. */
  @Column('integer', { name: 'tries' }) attempts!: number;
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column('text', { nullable: true }) granted!: LoginAllowance | null;
  /** Consecutive attempts that used the open allowance, across all windows. Determines the next window's length. */
  @Column('integer') failures!: number;
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, default: () => 'now()' }) failedAt!: Date;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
}
