import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { EndpointDisabledReason, EndpointStatus, WebhookEndpoint } from '#domain';

@Entity('webhook_endpoints')
export class WebhookEndpointEntity implements WebhookEndpoint {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') level!: 'project' | 'organization';
  @Column('text') url!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { array: true }) events!: string[];
  /** Encrypted. */
  @Column('bytea', { select: false }) secret!: Buffer;
  /** Encrypted; null when there are none. */
  @Column('bytea', { select: false, nullable: true }) headers!: Buffer | null;
  @Column('text', { name: 'header_names', array: true }) headerNames!: string[];
  @Column('text') status!: EndpointStatus;
  @Column('text', { name: 'disabled_reason', nullable: true }) disabledReason!: EndpointDisabledReason | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 }) updatedAt!: Date;
}
