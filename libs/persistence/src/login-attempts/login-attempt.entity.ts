import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LoginAllowance } from './login-allowance.js';

/** Failed logins per email address of a project. */
@Entity('login_attempts')
export class LoginAttemptEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn('bytea', { name: 'email_hash' }) emailHash!: Buffer;
  @Column('integer', { name: 'tries' }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'window_ends_at', precision: 3 }) windowEndsAt!: Date;
  @Column('integer', { name: 'known_tries', default: 0 }) knownAttempts!: number;
  @Column('text', { nullable: true }) granted!: LoginAllowance | null;
}
