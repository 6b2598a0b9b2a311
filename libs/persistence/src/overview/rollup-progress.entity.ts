import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Id ranges of the attempts that are rolled up. The table has one row. */
@Entity('attempts_counted')
export class RollupProgressEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('uuid', { name: 'first_id' }) firstId!: string;
  @Column('uuid', { name: 'next_id' }) nextId!: string;
  /** Range for the rollups by endpoint. */
  @Column('uuid', { name: 'endpoint_first_id' }) endpointFirstId!: string;
  @Column('uuid', { name: 'endpoint_next_id' }) endpointNextId!: string;
}
