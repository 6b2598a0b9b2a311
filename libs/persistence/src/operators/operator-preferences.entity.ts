import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConsolePageSize, ConsoleTimeZone, ListColumns } from '@gatehouse/domain';

/** An operator's console preferences. Operators who have never changed one have no row. */
@Entity('operator_preferences')
export class OperatorPreferencesEntity {
  @PrimaryColumn('uuid', { name: 'operator_id' }) operatorId!: string;
  @Column('text', { name: 'time_zone' }) timeZone!: ConsoleTimeZone;
  @Column('smallint', { name: 'page_size' }) pageSize!: ConsolePageSize;
  @Column('jsonb') columns!: ListColumns;
}
