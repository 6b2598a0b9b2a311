import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { IdentityMetric } from '@gatehouse/domain';

/** An identity counter for a time bucket and a project. The nil UUID stands for the installation. */
@Entity('identity_rollups')
export class IdentityRollupEntity {
  /** Bucket length in seconds. */
  @PrimaryColumn('integer') span!: number;
  /** Bucket start. */
  @PrimaryColumn({ type: 'timestamptz', precision: 0 }) at!: Date;
  @PrimaryColumn('uuid', { name: 'scope_id' }) scopeId!: string;
  @PrimaryColumn('text') metric!: IdentityMetric;
  /** Sign-in method, provider or failure reason; empty for other metrics. */
  @PrimaryColumn('text') label!: string;
  @Column('integer') count!: number;
}
