import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IdentityMetric } from '@gatehouse/domain';

/** A counter of identity per time bucket, for one project or, with the nil UUID as scope, the installation. */
@Entity('identity_rollups')
export class IdentityRollupEntity {
  /** Length of the bucket in seconds. */
  @PrimaryColumn('integer') span!: number;
  /** Start of the bucket. */
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  @PrimaryColumn('text') metric!: IdentityMetric;
  /** The method, the provider or the reason, or "". */
  @PrimaryColumn('text') label!: string;
  @Column('integer') count!: number;
}
