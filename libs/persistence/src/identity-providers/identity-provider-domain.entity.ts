import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A domain of email addresses that belongs to the organization behind a provider, once that is proven. */
@Entity('identity_provider_domains')
export class IdentityProviderDomainEntity {
  @PrimaryColumn('uuid', { name: 'provider_id' }) providerId!: string;
  @PrimaryColumn('text') domain!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  /** The text that a DNS record of the domain must contain. */
  @Column('text') token!: string;
  /** Time at which the record was first found, or null. A domain is verified for one provider of a project only. */
  @Column({ type: 'timestamptz', name: 'verified_at', precision: 3, nullable: true })
  verifiedAt!: Date | null;
  /** Time of the last look-up, or null. */
  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true }) checkedAt!: Date | null;
  /** Time since which the record of a verified domain is missing, or null. */
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;
  /**
   * Id of the last customer whose sessions were checked since the domain or its provider has changed; null if all were.
   */
  @Column('uuid', { name: 'sessions_checked_to', nullable: true }) sessionsCheckedTo!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
