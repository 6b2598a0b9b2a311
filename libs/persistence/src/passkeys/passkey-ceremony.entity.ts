import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { CeremonyPurpose } from '@gatehouse/domain';

/** A pending passkey challenge, stored as a hash. */
@Entity('passkey_ceremonies')
export class PasskeyCeremonyEntity {
  @PrimaryColumn('bytea', { name: 'challenge_hash' }) challengeHash!: Buffer;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') purpose!: CeremonyPurpose;
  /** Null for a sign-in, because its customer is not known yet. */
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  /** Null outside a session. */
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId!: string | null;
  /** SHA-256 of the hosted page parameters or challenge token that the response is bound to; null if it is unbound. */
  @Column('bytea', { name: 'binding_hash', nullable: true }) bindingHash!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 }) expiresAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
