import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Attempt counts for each time bucket and scope. The scope is a project or an endpoint. The nil UUID stands for the
 * installation.
 */
@Entity('attempt_figures')
export class AttemptRollupEntity {
  /** Bucket length in seconds. */
  @PrimaryColumn('integer') span!: number;
  /** Bucket start. */
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  /** Counters in the order defined in libs/domain/src/overview/attempt-metrics.ts. */
  @Column('integer', { array: true }) counts!: number[];
}
