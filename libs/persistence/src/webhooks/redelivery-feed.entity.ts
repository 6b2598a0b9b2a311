import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Time at which a worker last created batch deliveries. The table has one row. */
@Entity('redelivery_feed')
export class RedeliveryFeedEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column({ type: 'timestamptz', name: 'fed_at', precision: 3, default: 'epoch' }) fedAt!: Date;
}
