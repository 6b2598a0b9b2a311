import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

/** The position in the event feed up to which the identity rollups count. The table has one row. */
@Entity('identity_rollup_progress')
export class IdentityRollupProgressEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('smallint') epoch!: number;
  @Column({ type: 'xid8' as ColumnType }) xact!: string;
  @Column('uuid') id!: string;
}
