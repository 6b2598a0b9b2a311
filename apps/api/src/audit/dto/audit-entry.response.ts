import { ApiProperty } from '@nestjs/swagger';
import { auditActions, auditActorTypes, auditTargetTypes } from '#domain';
import type { AuditEntry } from '#persistence';
import type { NamedAuditEntry } from '../audit-search.service.js';

const nullableText = { type: String, nullable: true };

/** One thing that somebody did. */
export class AuditEntryResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null for what concerns no organization; only operators see it',
  })
  organizationId!: string | null;

  @ApiProperty({ ...nullableText, format: 'uuid', description: 'Null for what belongs to no project' })
  projectId!: string | null;

  @ApiProperty({ enum: Object.keys(auditActions) }) action!: string;
  @ApiProperty({ enum: auditActorTypes }) actorType!: string;

  @ApiProperty({ ...nullableText, format: 'uuid', description: 'Null for the house itself' })
  actorId!: string | null;

  @ApiProperty({ enum: auditTargetTypes }) targetType!: string;
  @ApiProperty({
    description: 'As the interface of the target writes it',
    example: '019aa2c0-7d1e-7000-8000-000000000000',
  })
  targetId!: string;

  @ApiProperty({ ...nullableText, description: 'Full, masked to a range, or null, as AUDIT_IP says' })
  ip!: string | null;

  @ApiProperty(nullableText) userAgent!: string | null;
  @ApiProperty({ ...nullableText, description: 'X-Request-Id of the answer' }) requestId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Ids, numbers and names of changed fields. outcome is refused for an attempt in vain',
    example: { changed: ['firstName'] },
  })
  details!: Record<string, unknown>;

  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(entry: AuditEntry): AuditEntryResponse {
    return {
      id: entry.id,
      organizationId: entry.organizationId,
      projectId: entry.projectId,
      action: entry.action,
      actorType: entry.actorType,
      actorId: entry.actorId,
      targetType: entry.targetType,
      targetId: entry.targetId,
      ip: entry.ip,
      userAgent: entry.userAgent,
      requestId: entry.requestId,
      details: entry.details,
      createdAt: entry.createdAt.toISOString(),
    };
  }
}

/** The same for operators, who see of whom it tells. */
export class NamedAuditEntryResponse extends AuditEntryResponse {
  @ApiProperty({
    ...nullableText,
    description: 'E-mail address of an operator or customer, or name of a key; null for one who is gone',
  })
  actorName!: string | null;

  static override from(entry: NamedAuditEntry): NamedAuditEntryResponse {
    return { ...AuditEntryResponse.from(entry), actorName: entry.actorName };
  }
}
