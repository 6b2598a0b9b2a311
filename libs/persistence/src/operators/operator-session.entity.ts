import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { OperatorSignInMethod, OperatorStage } from '@gatehouse/domain';

/** An operator's console session. */
@Entity('operator_sessions')
export class OperatorSessionEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'operator_id' }) operatorId!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  @Column('text') stage!: OperatorStage;
  @Column('text', { default: () => `'password'` }) method!: OperatorSignInMethod;
  @Column('bytea', { name: 'new_totp_secret', nullable: true }) newTotpSecret!: Buffer | null;
  /** The pending passkey challenge's hash, or null. */
  @Column('bytea', { name: 'passkey_challenge', nullable: true }) passkeyChallenge!: Buffer | null;
  @Column('text', { name: 'passkey_purpose', nullable: true }) passkeyPurpose!: string | null;
  @Column({ type: 'timestamptz', name: 'passkey_expires_at', precision: 3, nullable: true })
  passkeyExpiresAt!: Date | null;
  @Column('text', { nullable: true }) ip!: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'last_seen_at', precision: 3, default: () => 'now()' })
  lastSeenAt!: Date;
  @Column({ type: 'timestamptz', name: 'ends_at', precision: 3 }) endsAt!: Date;
  /** Last reauthentication time, or null. */
  @Column({ type: 'timestamptz', name: 'reauthenticated_at', precision: 3, nullable: true })
  reauthenticatedAt!: Date | null;
}
