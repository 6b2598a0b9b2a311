import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A person at an identity provider, who signs in as one customer. */
@Entity('identities')
export class IdentityEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('uuid', { name: 'provider_id' }) providerId!: string;
  @Column('uuid', { name: 'customer_id' }) customerId!: string;
  /** Identifies the person at the provider. Unique for the provider. */
  @Column('text') subject!: string;
  /** The email address that the provider last named, for display only; or null. */
  @Column('text', { nullable: true }) email!: string | null;
  /** True until the first sign-in, if a sign-in that revealed nothing has created the customer (ADR 0098). */
  @Column('boolean', { name: 'is_pending', default: false }) isPending!: boolean;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
