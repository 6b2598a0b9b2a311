import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The event feed epoch. The table has one row. */
@Entity('event_feed')
export class EventFeedEntity {
  @PrimaryColumn('boolean', { default: true }) singleton!: boolean;
  @Column('smallint') epoch!: number;
}
