import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { CeremonyPurpose } from '@gatehouse/domain';

/** A challenge that a passkey has yet to sign. It is stored as a hash. */
@Entity('passkey_ceremonies')
export class PasskeyCeremonyEntity {
  @PrimaryColumn('bytea', { name: 'challenge_hash' }) challengeHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') purpose!: CeremonyPurpose;
  /** null for a sign-in, whose customer is not yet known. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  /** null outside a session. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  /** SHA-256 of the page or the challenge token to which the response is bound; null if there is none. */
  @Column('bytea', { name: 'binding_hash', nullable: true }) bindingHash!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
