import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AuthenticationMethod, RevocationReason } from '@gatehouse/domain';

/** A customer's session. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  @Column('integer') generation!: number;
  @Column('bytea', { name: 'current_hash' }) currentHash!: Buffer;
  @Column('bytea', { name: 'previous_hash', nullable: true }) previousHash!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'rotated_at', precision: 3, nullable: true }) rotatedAt!: Date | null;
  /** Idle lifetime in seconds. */
  @Column('integer', { name: 'idle_ttl' }) idleTtl!: number;
  @Column({ type: 'timestamptz', name: 'idle_expires_at', precision: 3 }) idleExpiresAt!: Date;
  @Column({ type: 'timestamptz', name: 'absolute_expires_at', precision: 3 }) absoluteExpiresAt!: Date;
  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true }) revokedAt!: Date | null;
  @Column('text', { name: 'revoked_reason', nullable: true }) revokedReason!: RevocationReason | null;
  @Column('text', { array: true, default: () => `'{pwd}'` }) amr!: AuthenticationMethod[];
  /** Time at which the customer last proved their identity; null in sessions from earlier versions. */
  @Column({ type: 'timestamptz', name: 'auth_time', precision: 3, nullable: true }) authTime!: Date | null;
  /** Time of the last second factor verification, or null. */
  @Column({ type: 'timestamptz', name: 'factor_time', precision: 3, nullable: true })
  factorTime!: Date | null;
  /** Identity provider that the customer signed in with, or null. */
  @Column('uuid', { name: 'provider_id', nullable: true }) providerId!: string | null;
  /** Secret key whose sign-in token started the session, or null. */
  @Column('uuid', { name: 'support_key_id', nullable: true }) supportKeyId!: string | null;
  /** Reason why the key created the sign-in token, or null. */
  @Column('text', { name: 'support_reason', nullable: true }) supportReason!: string | null;
  @Column('text', { nullable: true }) ip!: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
