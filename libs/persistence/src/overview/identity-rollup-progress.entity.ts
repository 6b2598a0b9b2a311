import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

/** Position in the event feed up to which events are rolled up. The table has one row. */
@Entity('identity_rollup_progress')
export class IdentityRollupProgressEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('smallint') epoch!: number;
  @Column({ type: 'xid8' as ColumnType }) xact!: string;
  @Column('uuid') id!: string;
}
