import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An email domain of the company that uses a provider. A DNS record proves that this company owns the domain. */
@Entity('identity_provider_domains')
export class IdentityProviderDomainEntity {
  @PrimaryColumn('uuid', { name: 'provider_id' }) providerId!: string;
  @PrimaryColumn('text') domain!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  /** The string that a DNS record of the domain must contain. */
  @Column('text') token!: string;
  /** Time at which the record was first found, or null. A domain is verified for only one provider in a project. */
  @Column({ type: 'timestamptz', name: 'verified_at', precision: 3, nullable: true })
  verifiedAt!: Date | null;
  /** Last lookup time, or null. */
  @Column({ type: 'timestamptz', name: 'checked_at', precision: 3, nullable: true }) checkedAt!: Date | null;
  /** Time since which a verified domain's record has been missing, or null. */
  @Column({ type: 'timestamptz', name: 'failing_since', precision: 3, nullable: true })
  failingSince!: Date | null;
  /**
   * Id of the last customer whose sessions were checked since the domain or its provider changed; null if all were
   * checked.
   */
  @Column('uuid', { name: 'sessions_checked_to', nullable: true }) sessionsCheckedTo!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
