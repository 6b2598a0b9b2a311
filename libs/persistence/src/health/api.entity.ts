import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A running API process. */
@Entity('apis')
export class ApiEntity {
  @PrimaryColumn('uuid') id!: string;
  /** Null in the row for processes on version 0.1.0, which other API processes have detected. */
  @Column('text', { nullable: true }) host!: string | null;
  @Column('text') version!: string;
  /** Timestamp of the newest migration in the process's version. */
  @Column('bigint', { name: 'schema_version' }) schemaVersion!: string;
  @Column({ type: 'timestamptz', name: 'seen_at', precision: 3, default: () => 'now()' }) seenAt!: Date;
}
