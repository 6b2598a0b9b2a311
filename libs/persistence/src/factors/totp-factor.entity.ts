import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A customer's authenticator (RFC 6238). */
@Entity('totp_factors')
export class TotpFactorEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** The session that added it and must confirm it. Null for an imported authenticator. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  /** Encrypted. */
  @Column('bytea') secret!: Buffer;
  /** The newest time step whose code was accepted. Null until it is confirmed. */
  @Column('bigint', { name: 'last_step', nullable: true }) lastStep!: string | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  /** Time at which the customer confirmed it with a code, or null. */
  @Column({ type: 'timestamptz', name: 'confirmed_at', precision: 3, nullable: true })
  confirmedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
