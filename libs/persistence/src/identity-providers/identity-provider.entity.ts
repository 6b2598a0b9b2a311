import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { IdentityProviderType } from '@gatehouse/domain';

/** A service that signs in a project's customers. */
@Entity('identity_providers')
export class IdentityProviderEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  /** Unique within the project. */
  @Column('text') slug!: string;
  @Column('text') type!: IdentityProviderType;
  @Column('text') name!: string;
  @Column('text', { name: 'client_id' }) clientId!: string;
  @Column('text', { name: 'client_ids', array: true }) clientIds!: string[];
  /** Encrypted. */
  @Column('bytea', { name: 'client_secret', nullable: true }) clientSecret!: Buffer | null;
  @Column('text') issuer!: string;
  @Column('text', { array: true }) tenants!: string[];
  @Column('text', { array: true }) scopes!: string[];
  @Column('text', { name: 'team_id', nullable: true }) teamId!: string | null;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  /** Encrypted key that signs client secrets. */
  @Column('bytea', { name: 'private_key', nullable: true }) privateKey!: Buffer | null;
  @Column('boolean') enabled!: boolean;
  @Column('boolean', { name: 'allow_sign_up' }) allowSignUp!: boolean;
  @Column('boolean', { name: 'trust_email' }) trustEmail!: boolean;
  @Column('boolean', { name: 'require_nonce' }) requireNonce!: boolean;
  /** True if customers with an email address in the verified domains must sign in with this provider. */
  @Column('boolean') required!: boolean;
  /** True if id tokens contain `auth_time`. Null if unknown. */
  @Column('boolean', { name: 'states_auth_time', nullable: true }) sendsAuthTime!: boolean | null;
  /**
   * Encrypted protocol settings. Null if an earlier version created the provider, or while a secret cannot be
   * decrypted (ADR 0110).
   */
  @Column('bytea', { nullable: true }) settings!: Buffer | null;
  /**
   * The value of `updatedAt` when `settings` was written. If `updatedAt` has changed since, an earlier version has
   * written newer values to the columns.
   */
  @Column({ type: 'timestamptz', name: 'settings_updated_at', precision: 3, nullable: true })
  settingsUpdatedAt!: Date | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}
