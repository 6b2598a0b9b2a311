import { ApiProperty } from '@nestjs/swagger';
import { auditActions, auditActorTypes, auditTargetTypes } from '@gatehouse/domain';
import type { AuditEntry } from '@gatehouse/persistence';
import type { NamedAuditEntry } from '../audit-search.service.js';

const nullableText = { type: String, nullable: true };

/** An audit log entry. */
export class AuditEntryResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Null if the entry does not belong to an organization. Only operators can read such entries',
  })
  organizationId!: string | null;

  @ApiProperty({
    ...nullableText,
    format: 'uuid',
    description: 'Null if the entry does not belong to a project',
  })
  projectId!: string | null;

  @ApiProperty({ enum: Object.keys(auditActions) }) action!: string;
  @ApiProperty({
    enum: auditActorTypes,
    description:
      '`support`: in a session from a sign-in token. `details.support` contains the session and the reason',
  })
  actorType!: string;

  @ApiProperty({
    ...nullableText,
    format: 'uuid',
    description:
      'For `support`, the key that created the sign-in token. Null if Gatehouse itself performed the action, or if an earlier version created the token',
  })
  actorId!: string | null;

  @ApiProperty({ enum: auditTargetTypes }) targetType!: string;
  @ApiProperty({
    description: 'Id of the target, in the format that the API uses for its type',
    example: '019aa2c0-7d1e-7000-8000-000000000000',
  })
  targetId!: string;

  @ApiProperty({
    ...nullableText,
    description:
      'Client IP address. `AUDIT_IP` determines whether it is full, masked to an address range, or null',
  })
  ip!: string | null;

  @ApiProperty(nullableText) userAgent!: string | null;
  @ApiProperty({ ...nullableText, description: 'X-Request-Id of the response' }) requestId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Details of the action: ids, numbers, and the names of changed fields in `changed`. For projects, organizations, endpoints, keys, operators, identity providers and email templates, `changes` contains the old and new values, without secrets and truncated to 200 characters. `outcome` is `refused` if the action was rejected',
    example: { changed: ['name'], changes: { name: { from: 'Shop', to: 'Store' } } },
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

/** An audit log entry for operators, with the names of the actor and the target. */
export class NamedAuditEntryResponse extends AuditEntryResponse {
  @ApiProperty({
    ...nullableText,
    description:
      'Email address of the operator or customer, or name of the key. Null if the actor no longer exists',
  })
  actorName!: string | null;

  @ApiProperty({
    ...nullableText,
    description:
      'Current name of the target, or email address of an operator or customer. Null if the target no longer exists or has no name',
  })
  targetName!: string | null;

  static override from(entry: NamedAuditEntry): NamedAuditEntryResponse {
    const { actorName, targetName } = entry;
    return { ...AuditEntryResponse.from(entry), actorName, targetName };
  }
}
