import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptError, DeliveryResolution, DeliveryState } from '@gatehouse/domain';

/** A delivery of one event to one endpoint. */
@Entity('deliveries')
export class DeliveryEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'event_id' }) eventId!: string;
  @Column('text', { name: 'event_type' }) eventType!: string;
  @Column('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @Column('text', { name: 'target_url' }) targetUrl!: string;
  @Column('text', { default: 'pending' }) state!: DeliveryState;
  @Column('smallint', { default: () => '0' }) attempt!: number;
  @Column({ type: 'timestamptz', name: 'next_attempt_at', precision: 3, nullable: true })
  nextAttemptAt!: Date | null;
  @Column('uuid', { name: 'attempt_id', nullable: true }) attemptId!: string | null;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true }) startedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;
  @Column('uuid', { name: 'redelivery_of', nullable: true }) redeliveryOf!: string | null;
  @Column('uuid', { name: 'redelivered_as', nullable: true }) redeliveredAs!: string | null;
  @Column('text', { nullable: true }) resolution!: DeliveryResolution | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { name: 'resolved_by', nullable: true }) resolvedBy!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
  @Column('boolean', { default: false }) withdrawn!: boolean;
  /** Value of `URGENCY`. */
  @Column('smallint', { default: () => '0' }) urgency!: number;
  @Column('uuid', { name: 'batch_id', nullable: true }) batchId!: string | null;
  /** The last finished attempt's HTTP status. `lastError` contains its error. */
  @Column('smallint', { name: 'last_http_status', nullable: true }) lastHttpStatus!: number | null;
  @Column('text', { name: 'last_error', nullable: true }) lastError!: AttemptError | null;
  /** True for a dead letter until an event has reported it. */
  @Column('boolean', { name: 'untold', nullable: true }) unnotified!: boolean | null;
}
