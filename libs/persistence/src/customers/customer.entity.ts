import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { CustomerMfaPolicy } from '@gatehouse/domain';

/** A customer in a project. */
@Entity('customers')
export class CustomerEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text', { name: 'external_id', nullable: true }) externalId!: string | null;
  @Column('text') email!: string;
  @Column('text', { name: 'first_name', nullable: true }) firstName!: string | null;
  @Column('text', { name: 'last_name', nullable: true }) lastName!: string | null;
  @Column('boolean', { name: 'email_verified', default: false }) emailVerified!: boolean;
  @Column('text', { name: 'password_hash', nullable: true }) passwordHash!: string | null;
  @Column('jsonb', { default: {} }) metadata!: Record<string, unknown>;
  @Column('jsonb', { name: 'public_metadata', default: {} }) publicMetadata!: Record<string, unknown>;
  @Column('text', { nullable: true }) locale!: string | null;
  @Column('text', { name: 'image_url', nullable: true }) imageUrl!: string | null;
  @Column('text', { default: 'inherit' }) mfa!: CustomerMfaPolicy;
  /** Identity proofs before this time no longer suffice to refresh a session. Null if all proofs suffice. */
  @Column({ type: 'timestamptz', name: 'proof_required_at', precision: 3, nullable: true })
  proofRequiredAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'disabled_at', precision: 3, nullable: true })
  disabledAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'last_login_at', precision: 3, nullable: true })
  lastLoginAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'login_failed_event_at', precision: 3, nullable: true })
  loginFailedEventAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  /** The project's organization. Set by a trigger, or by an import's INSERT. */
  @Column('uuid', { name: 'organization_id', nullable: true }) organizationId!: string | null;
  /** Browser and operating system used to sign up, or null. */
  @Column('text', { name: 'registration_device', nullable: true }) registrationDevice!: string | null;
  /**
   * Time at which the owner of the email address last removed all earlier access, by resetting the password,
   * accepting an invitation or disowning the account. Verification tokens from before this time can no longer
   * disown the account.
   */
  @Column({ type: 'timestamptz', name: 'claimed_at', precision: 3, nullable: true }) claimedAt!: Date | null;
  /** Time at which all earlier access was last revoked, or null. */
  @Column({ type: 'timestamptz', name: 'access_revoked_at', precision: 3, nullable: true })
  accessRevokedAt!: Date | null;
  /** True if an import or legacy sign-in created the customer with their current email address. */
  @Column('boolean', { default: false }) imported!: boolean;
  /**
   * `updatedAt` of the last import line that was applied. Null if there is none, or if Gatehouse has since made a
   * change that no import may undo.
   */
  @Column({ type: 'timestamptz', name: 'import_updated_at', precision: 3, nullable: true })
  importUpdatedAt!: Date | null;
}
