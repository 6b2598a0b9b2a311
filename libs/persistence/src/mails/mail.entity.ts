import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An email that is to be sent, was sent, or was captured. */
@Entity('mails')
export class MailEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('text') kind!: string;
  @Column('text') recipient!: string;
  /** Encrypted; null once they are erased. */
  @Column('bytea', { nullable: true }) parameters!: Buffer | null;
  @Column('text', { default: 'pending' }) state!: 'pending' | 'sent' | 'kept' | 'failed';
  @Column('integer', { name: 'tries', default: 0 }) attempts!: number;
  @Column({ type: 'timestamptz', name: 'next_try_at', precision: 3, default: () => 'now()' })
  nextAttemptAt!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
