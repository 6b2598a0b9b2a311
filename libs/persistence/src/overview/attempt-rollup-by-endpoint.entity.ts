import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Attempt counts for each time bucket and endpoint. */
@Entity('attempt_figures_by_endpoint')
export class AttemptRollupByEndpointEntity {
  @PrimaryColumn('integer') span!: number;
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  @PrimaryColumn('uuid', { name: 'endpoint_id' }) endpointId!: string;
  @Column('integer') attempts!: number;
  @Column('integer') failed!: number;
}
