import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The range of attempts that the rollups include. The table has one row. */
@Entity('attempts_counted')
export class RollupProgressEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('uuid', { name: 'first_id' }) firstId!: string;
  @Column('uuid', { name: 'next_id' }) nextId!: string;
}
