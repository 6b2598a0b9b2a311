import { Column, Entity, PrimaryColumn, type ColumnType } from 'typeorm';

/** An event with its serialized body. */
@Entity('events')
export class EventEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id' }) organizationId!: string;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('uuid', { name: 'customer_id', nullable: true }) customerId!: string | null;
  @Column('text') type!: string;
  @Column('text') body!: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  /**
   * The transaction that wrote the event (ADR 0016). TypeORM does not support this column type (see data-source.ts).
   */
  @Column({ type: 'xid8' as ColumnType, default: () => 'pg_current_xact_id()' }) xact!: string;
  /** The span in which the event was recorded (W3C Trace Context), or null without a trace. */
  @Column('text', { nullable: true }) traceparent!: string | null;
  /** The audit log entry that describes the same change, or null. */
  @Column('uuid', { name: 'audit_entry_id', nullable: true }) auditEntryId!: string | null;
}
