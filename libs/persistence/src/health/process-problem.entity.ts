import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { ProcessProblemKind } from '@gatehouse/domain';

/** A problem that a running process has found. */
@Entity('process_problems')
export class ProcessProblemEntity {
  @PrimaryColumn('uuid', { name: 'process_id' }) processId!: string;
  @PrimaryColumn('text') kind!: ProcessProblemKind;
  /** `api` or `webhook-worker`. */
  @Column('text') service!: string;
  @Column('text') host!: string;
  /** Problem details, for operators. */
  @Column('text') detail!: string;
  @CreateDateColumn({ type: 'timestamptz', precision: 3 }) since!: Date;
  @CreateDateColumn({ type: 'timestamptz', name: 'seen_at', precision: 3 }) seenAt!: Date;
}
