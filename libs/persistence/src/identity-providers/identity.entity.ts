import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An account with an identity provider that signs in one customer. */
@Entity('identities')
export class IdentityEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'provider_id' }) providerId!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** Identifies the account with the provider. Unique per provider. */
  @Column('text') subject!: string;
  /** The email address that the provider last returned, for display only, or null. */
  @Column('text', { nullable: true }) email!: string | null;
  /**
   * True until the first sign-in, if the customer was created by a sign-in that does not reveal whether an account
   * exists (ADR 0098).
   */
  @Column('boolean', { name: 'is_pending', default: false }) isPending!: boolean;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
