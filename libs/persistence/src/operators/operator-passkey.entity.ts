import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An operator's passkey (WebAuthn). */
@Entity('operator_passkeys')
export class OperatorPasskeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'operator_id' }) operatorId!: string;
  @Column('bytea', { name: 'credential_id' }) credentialId!: Buffer;
  /** COSE key. */
  @Column('bytea', { name: 'public_key' }) publicKey!: Buffer;
  /** Signature counter of the last use; 0 if the authenticator does not count. */
  @Column('bigint') counter!: string;
  @Column('text', { array: true }) transports!: string[];
  @Column('text') name!: string;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
