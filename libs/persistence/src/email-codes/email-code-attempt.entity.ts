import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from '../failed-attempts/login-allowance.js';

/** Guesses at email codes per email address of a project. */
@Entity('email_code_attempts')
export class EmailCodeAttemptEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('bytea', { name: 'email_hash' }) emailHash!: Buffer;
  /** Attempts of the open allowance in the window. */
  @Column('integer', { name: 'tries' }) attempts!: number;
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column('text', { nullable: true }) granted!: LoginAllowance | null;
  /** Consecutive attempts of the open allowance in all windows. They determine the length of the next one. */
  @Column('integer') failures!: number;
  @Column({ type: 'timestamptz', name: 'failed_at', precision: 3, default: () => 'now()' }) failedAt!: Date;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
}
