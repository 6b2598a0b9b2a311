import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

export type EndpointStatus = 'enabled' | 'disabled' | 'deleted';

@Entity('webhook_endpoints')
export class WebhookEndpointEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  /** Null for an endpoint that hears every project of its organization. */
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') level!: 'project' | 'organization';
  @Column('text') url!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { array: true }) events!: string[];
  /** Encrypted. */
  @Column('bytea', { select: false }) secret!: Buffer;
  @Column('text') status!: EndpointStatus;
  @Column('text', { name: 'disabled_reason', nullable: true }) disabledReason!: string | null;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 }) updatedAt!: Date;
}

/** An endpoint as it is read: without its secret. */
export type WebhookEndpoint = Omit<WebhookEndpointEntity, 'secret'>;
