import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { EndpointDisabledReason, EndpointStatus, WebhookEndpoint } from '@gatehouse/domain';

/** A webhook endpoint. A deleted endpoint's row remains. */
@Entity('webhook_endpoints')
export class WebhookEndpointEntity implements Omit<WebhookEndpoint, 'name'> {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') level!: 'project' | 'organization';
  @Column('text') url!: string;
  /** Null to use the URL's host. */
  @Column('text', { nullable: true }) name!: string | null;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { array: true }) events!: string[];
  /** Encrypted. */
  @Column('bytea', { select: false }) secret!: Buffer;
  @Column('text', { default: 'enabled' }) status!: EndpointStatus;
  @Column('text', { name: 'disabled_reason', nullable: true }) disabledReason!: EndpointDisabledReason | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  /** Encrypted; null if there are none. */
  @Column('bytea', { nullable: true, select: false }) headers!: Buffer | null;
  @Column('text', { name: 'header_names', array: true, default: () => `'{}'` }) headerNames!: string[];
  /** Encrypted; used for signing in addition to `secret` until `previousSecretUntil`. */
  @Column('bytea', { name: 'previous_secret', nullable: true, select: false }) previousSecret!: Buffer | null;
  @Column({ type: 'timestamptz', name: 'previous_secret_until', precision: 3, nullable: true })
  previousSecretUntil!: Date | null;
  @Column({ type: 'timestamptz', name: 'disabled_at', precision: 3, nullable: true })
  disabledAt!: Date | null;
}
