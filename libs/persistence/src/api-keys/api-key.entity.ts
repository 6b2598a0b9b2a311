import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { Access, ApiKeyType, Scope } from '@gatehouse/domain';

/** An API key. Only a hash of its value is stored. */
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id' }) projectId!: string;
  @Column('text') name!: string;
  @Column('text') type!: ApiKeyType;
  @Column('text') access!: Access;
  @Column('text', { array: true, default: () => `'{}'` }) scopes!: Scope[];
  /** Maximum number of requests per second; null for the default. */
  @Column('integer', { name: 'rate_limit', nullable: true }) rateLimit!: number | null;
  @Column('bytea', { name: 'key_hash' }) keyHash!: Buffer;
  @Column('text') prefix!: string;
  @Column('text') last4!: string;
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true }) expiresAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true }) revokedAt!: Date | null;
  /** The key that this one replaced. */
  @Column('uuid', { name: 'rotated_from', nullable: true }) rotatedFrom!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'rotated_at', precision: 3, nullable: true }) rotatedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'expiry_told_at', precision: 3, nullable: true })
  expiryNotifiedAt!: Date | null;
}
