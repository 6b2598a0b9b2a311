import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { MailReason } from '@gatehouse/domain';

/** The stored states; `kept` is a captured email. */
export type StoredMailState = 'pending' | 'sent' | 'kept' | 'failed' | 'dropped';

/** An email that is to be sent, was sent or captured, or was not sent. */
@Entity('mails')
export class MailEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('text') kind!: string;
  /** Empty once the customer has been deleted. */
  @Column('text') recipient!: string;
  /** Encrypted; null once they are erased. */
  @Column('bytea', { nullable: true }) parameters!: Buffer | null;
  @Column('text', { default: 'pending' }) state!: StoredMailState;
  @Column('integer', { name: 'tries', default: 0 }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'next_try_at', precision: 3, default: () => 'now()' })
  nextAttemptAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
  /** The reason why it was dropped or failed. */
  @Column('text', { nullable: true }) reason!: MailReason | null;
  /** The mail server's last error response, or a connection error's code. */
  @Column('text', { nullable: true }) response!: string | null;
  /** As in `EventEntity`. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}
