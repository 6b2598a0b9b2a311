import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { ConsoleList } from '@gatehouse/domain';

/** An operator's saved view: the filters, order and columns of a list. */
@Entity('saved_views')
export class SavedViewEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'operator_id' }) operatorId!: string;
  @Column('text') list!: ConsoleList;
  @Column('text') name!: string;
  @Column('text') query!: string;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
