import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptError } from '@gatehouse/domain';

/** A finished delivery attempt. The table is partitioned by id. */
@Entity('attempts')
export class AttemptEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'event_id' }) eventId!: string;
  @Column('text', { name: 'event_type' }) eventType!: string;
  @Column('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @Column('uuid', { name: 'delivery_id' }) deliveryId!: string;
  @Column('text', { name: 'target_url' }) targetUrl!: string;
  @Column('smallint') attempt!: number;
  @Column('smallint', { name: 'http_status' }) httpStatus!: number;
  @Column('boolean') success!: boolean;
  @Column('text', { nullable: true }) error!: AttemptError | null;
  @Column('integer', { name: 'duration_ms' }) durationMs!: number;
  @Column('text', { name: 'response_body' }) responseBody!: string;
  @Column('text', { name: 'retry_after', nullable: true }) retryAfter!: string | null;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3 }) startedAt!: Date;
  @Column({ type: 'timestamptz', name: 'closed_at', precision: 3, default: () => 'now()' }) finishedAt!: Date;
}
