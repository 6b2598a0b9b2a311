import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditAction, AuditActorType, AuditTargetType } from '@gatehouse/domain';

/**
 * An audit log entry. A trigger rejects every change to an existing row, and the runtime role has no privilege to
 * change or delete rows.
 */
@Entity('audit_log')
export class AuditLogEntryEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'organization_id', nullable: true }) organizationId!: string | null;
  @Column('uuid', { name: 'project_id', nullable: true }) projectId!: string | null;
  @Column('text', { name: 'actor_type' }) actorType!: AuditActorType;
  @Column('text', { name: 'actor_id', nullable: true }) actorId!: string | null;
  @Column('text') action!: AuditAction;
  @Column('text', { name: 'target_type' }) targetType!: AuditTargetType;
  @Column('text', { name: 'target_id' }) targetId!: string;
  @Column('text', { nullable: true }) ip!: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent!: string | null;
  @Column('text', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('jsonb', { default: {} }) details!: Record<string, unknown>;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}
