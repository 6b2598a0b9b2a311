import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AttemptError } from '@gatehouse/domain';

/** A delivery that an operator sends to another URL once. */
@Entity('webhook_replays')
export class WebhookReplayEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'delivery_id' }) deliveryId!: string;
  @Column('uuid', { name: 'event_id' }) eventId!: string;
  @Column('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @Column('text') url!: string;
  /** Encrypted; null once the replay has finished. */
  @Column('bytea', { nullable: true, select: false }) secret!: Buffer | null;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true }) startedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'lease_until', precision: 3, nullable: true })
  leaseUntil!: Date | null;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
  /** Outcome, together with the columns below: see `AttemptEntity`. */
  @Column('smallint', { name: 'http_status', nullable: true }) httpStatus!: number | null;
  @Column('boolean', { nullable: true }) success!: boolean | null;
  @Column('text', { nullable: true }) error!: AttemptError | null;
  @Column('integer', { name: 'duration_ms', nullable: true }) durationMs!: number | null;
  @Column('text', { name: 'response_body', nullable: true }) responseBody!: string | null;
}
