import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { OperatorRole } from '@gatehouse/domain';

@Entity('operators')
export class OperatorEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') email!: string;
  @Column('text', { name: 'password_hash', nullable: true }) passwordHash!: string | null;
  @Column('text') role!: OperatorRole;
  /** Organizations that the operator is limited to; null for no limit. */
  @Column('uuid', { name: 'organization_ids', array: true, nullable: true }) organizationIds!:
    | string[]
    | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column('text', { nullable: true }) name!: string | null;
  /** Encrypted. */
  @Column('bytea', { name: 'totp_secret', nullable: true }) totpSecret!: Buffer | null;
  @Column('bigint', { name: 'totp_step', default: () => '0' }) totpStep!: string;
  /** Account with the OpenID Provider; null before the first sign-in with it. */
  @Column('text', { name: 'oidc_issuer', nullable: true }) oidcIssuer!: string | null;
  @Column('text', { name: 'oidc_subject', nullable: true }) oidcSubject!: string | null;
  /** Hashes. */
  @Column('bytea', { name: 'recovery_codes', array: true, default: () => `'{}'` }) recoveryCodes!: Buffer[];
  @Column({ type: 'timestamptz', name: 'disabled_at', precision: 3, nullable: true })
  disabledAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'last_login_at', precision: 3, nullable: true })
  lastLoginAt!: Date | null;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}
