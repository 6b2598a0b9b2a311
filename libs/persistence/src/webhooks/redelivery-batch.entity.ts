import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { DeliveryState, RedeliveryKind, RedeliveryState, SkipCounts } from '@gatehouse/domain';

/** A bulk redelivery or an endpoint recovery. */
@Entity('redelivery_batches')
export class RedeliveryBatchEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id', nullable: true }) organizationId!: string | null;
  /** Organizations that the operator who planned the batch was limited to; null for no limit. */
  @Column('uuid', { name: 'organization_ids', array: true, nullable: true })
  organizationIds!: readonly string[] | null;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text') kind!: RedeliveryKind;
  @Column('jsonb') filter!: object;
  @Column('text', { default: 'planned' }) state!: RedeliveryState;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer', { default: 0 }) total!: number;
  @Column('integer', { default: 0 }) eligible!: number;
  @Column('jsonb', { name: 'not_eligible', default: {} }) notEligible!: SkipCounts;
  @Column('uuid', { name: 'endpoint_ids', array: true, default: () => `'{}'` }) endpointIds!: string[];
  /** Number of items that are neither created nor skipped yet. */
  @Column('integer', { default: 0 }) waiting!: number;
  @Column('integer', { name: 'made', default: 0 }) created!: number;
  @Column('jsonb', { default: {} }) skipped!: SkipCounts;
  @Column('jsonb', { nullable: true }) results!: Partial<Record<DeliveryState, number>> | null;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('text', { name: 'started_by', nullable: true }) startedBy!: string | null;
  @Column('text', { name: 'cancelled_by', nullable: true }) cancelledBy!: string | null;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, nullable: true }) startedAt!: Date | null;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
