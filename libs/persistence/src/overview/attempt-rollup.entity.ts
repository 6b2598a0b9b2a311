import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Attempt counts per time bucket, for one project, one endpoint or, with the nil UUID as scope, the installation. */
@Entity('attempt_figures')
export class AttemptRollupEntity {
  /** Bucket length in seconds. */
  @PrimaryColumn('integer') span!: number;
  /** Bucket start. */
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  /** In the order from libs/domain/src/overview/attempt-metrics.ts. */
  @Column('integer', { array: true }) counts!: number[];
}
