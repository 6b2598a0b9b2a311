import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A running webhook worker. */
@Entity('workers')
export class WorkerEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') host!: string;
  @Column('text') version!: string;
  @Column('integer', { name: 'in_flight' }) inFlight!: number;
  @Column({ type: 'timestamptz', name: 'started_at', precision: 3, default: () => 'now()' }) startedAt!: Date;
  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3, default: () => 'now()' }) seenAt!: Date;
}
