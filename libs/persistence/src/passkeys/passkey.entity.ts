import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A customer's passkey (WebAuthn). */
@Entity('passkeys')
export class PasskeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** Unique within the project. */
  @Column('bytea', { name: 'credential_id' }) credentialId!: Buffer;
  /** COSE key. */
  @Column('bytea', { name: 'public_key' }) publicKey!: Buffer;
  /** Signature counter of the last use; 0 if the authenticator does not count. */
  @Column('bigint') counter!: string;
  @Column('text', { array: true }) transports!: string[];
  /** False if the passkey can be synchronized between devices. */
  @Column('boolean', { name: 'device_bound' }) deviceBound!: boolean;
  @Column('boolean', { name: 'backed_up' }) backedUp!: boolean;
  /** Authenticator model; all zeros if unknown. */
  @Column('uuid') aaguid!: string;
  @Column('text') name!: string;
  /** User handle that another system stored in the authenticator; null if it is the customer's id in Gatehouse. */
  @Column('bytea', { name: 'user_handle', nullable: true }) userHandle!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
