import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AlertDestination, AlertKind } from '@gatehouse/domain';

/** Notification state for one kind of problem on one channel, or in the log. */
@Entity('alerts')
export class AlertEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') kind!: AlertKind;
  @Column('text') channel!: AlertDestination;
  @Column('integer', { name: 'told', default: 0 }) notifications!: number;
  @Column({ type: 'timestamptz', name: 'told_at', precision: 3, nullable: true }) notifiedAt!: Date | null;
  @Column('boolean', { name: 'is_open', default: false }) isOpen!: boolean;
  /** Time at which the newest problem in the last message started. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) newest!: Date | null;
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil!: Date | null;
}
