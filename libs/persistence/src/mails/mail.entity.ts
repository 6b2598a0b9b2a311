import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { MailReason } from '@gatehouse/domain';

/** Stored states. A captured email is stored as `kept`. */
export type StoredMailState = 'pending' | 'sent' | 'kept' | 'failed' | 'dropped';

/** An email in any state: pending, sent, captured, failed or dropped. */
@Entity('mails')
export class MailEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('text') kind!: string;
  /** Empty once the customer is deleted. */
  @Column('text') recipient!: string;
  /** Encrypted; null once erased. */
  @Column('bytea', { nullable: true }) parameters!: Buffer | null;
  @Column('text', { default: 'pending' }) state!: StoredMailState;
  @Column('integer', { name: 'tries', default: 0 }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'next_try_at', precision: 3, default: () => 'now()' })
  nextAttemptAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
  /** Reason why the email was dropped or failed. */
  @Column('text', { nullable: true }) reason!: MailReason | null;
  /** Last error response from the mail server, or a connection error's code. */
  @Column('text', { nullable: true }) response!: string | null;
  /** As in `EventEntity`. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}
