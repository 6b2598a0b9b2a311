import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Attempt counts for each time bucket and event type. */
@Entity('attempt_figures_by_event')
export class AttemptRollupByEventEntity {
  @PrimaryColumn('integer') span!: number;
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  @PrimaryColumn('text', { name: 'event_type' }) eventType!: string;
  @Column('integer') attempts!: number;
  @Column('integer') failed!: number;
}
