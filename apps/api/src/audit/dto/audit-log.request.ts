import { OmitType } from '@nestjs/swagger';
import { auditActions, auditActorTypes, auditTargetTypes, isUuid, matchingAuditActions } from '#domain';
import { CheckedField, OneOfField, ProjectIdField, TimeField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

/** What ids of requests and of all targets are made of. */
const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

const IdField = (description: string): PropertyDecorator =>
  CheckedField({ description, optional: true, isValid: isId, message: '$property must be an id' });

export class AuditLogQuery extends PageQuery {
  @ProjectIdField() projectId?: string;

  @OneOfField('Only what such an actor did', auditActorTypes) actorType?: string;

  @CheckedField({
    description: 'Only what this key, operator or customer did',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  actorId?: string;

  @CheckedField({
    description: `Only this action, or with \`customer.*\` all of a noun. Actions: ${Object.keys(auditActions).join(', ')}`,
    example: 'customer.*',
    optional: true,
    isValid: (text) => matchingAuditActions(text).length > 0,
    message: '$property must be a known action, or the noun of one with .*',
  })
  action?: string;

  @OneOfField('Only what was done to such a target', auditTargetTypes) targetType?: string;
  @IdField('Only what was done to this target') targetId?: string;
  @IdField('Only what was done in this request') requestId?: string;
  @TimeField('Only later entries') createdAfter?: string;
  @TimeField('Only earlier entries') createdBefore?: string;
}

export class CountAuditLogQuery extends OmitType(AuditLogQuery, ['limit', 'cursor'] as const) {}
