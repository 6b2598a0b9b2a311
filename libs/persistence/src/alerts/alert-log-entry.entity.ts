import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { AlertChannel, AlertLogKind, AlertLogState, AlertOutcome } from '@gatehouse/domain';

/** An alert message (problem, resolution or test) with the outcome of the last attempt to send it. */
@Entity('alert_log')
export class AlertLogEntryEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text', { name: 'message_id' }) messageId!: string;
  @Column('text') kind!: AlertLogKind;
  @Column('text') channel!: AlertChannel;
  @Column('text') state!: AlertLogState;
  /** Number of problems. Null for tests and resolutions. */
  @Column('integer', { nullable: true }) count!: number | null;
  @Column('text') outcome!: AlertOutcome;
  /** Reason for the last attempt's failure, or null. */
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer') attempts!: number;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'attempted_at', precision: 3 }) attemptedAt!: Date;
  /** Time at which the problem was resolved, or null. */
  @Column({ type: 'timestamptz', name: 'resolved_at', precision: 3, nullable: true })
  resolvedAt!: Date | null;
}
