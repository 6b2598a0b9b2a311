import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IdentityMetric } from '@gatehouse/domain';

/** An identity counter per time bucket, for one project or, with the nil UUID as scope, the installation. */
@Entity('identity_rollups')
export class IdentityRollupEntity {
  /** Bucket length in seconds. */
  @PrimaryColumn('integer') span!: number;
  /** Bucket start. */
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  @PrimaryColumn('text') metric!: IdentityMetric;
  /** The method, the provider or the reason, or "". */
  @PrimaryColumn('text') label!: string;
  @Column('integer') count!: number;
}
