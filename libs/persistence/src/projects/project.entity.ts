import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { Environment, StoredSettings } from '@gatehouse/domain';

@Entity('projects')
export class ProjectEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  @Column('text', { default: 'development' }) environment!: Environment;
  @Column('jsonb', { default: {} }) settings!: StoredSettings;
  /**
   * Encrypted secret that signs requests to the legacy system in the setting `legacySignIn`; null if there is none.
   */
  @Column('bytea', { name: 'legacy_sign_in_secret', nullable: true }) legacySignInSecret!: Buffer | null;
  /** Time at which the setting `mfa` became `required`, or null. */
  @Column({ type: 'timestamptz', name: 'mfa_required_at', precision: 3, nullable: true })
  mfaRequiredAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'archived_at', precision: 3, nullable: true })
  archivedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}
