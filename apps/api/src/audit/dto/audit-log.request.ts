import { OmitType } from '@nestjs/swagger';
import {
  auditActions,
  auditActorTypes,
  auditTargetTypes,
  isUuid,
  matchingAuditActions,
} from '@gatehouse/domain';
import { CheckedField, OneOfField, ProjectIdField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';

/** Returns true for a string in the format of request ids and target ids. */
const isId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

const IdField = (description: string): PropertyDecorator =>
  CheckedField({
    description,
    optional: true,
    isValid: isId,
    message: '$property must be an id of 1 to 64 letters, digits, _ and -',
  });

export class AuditLogQuery extends PageQuery {
  @ProjectIdField() projectId?: string;

  @CheckedField({
    description: 'Only actions in this organization',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;

  @OneOfField('Only actions by this type of actor', auditActorTypes) actorType?: string;

  @CheckedField({
    description: 'Only actions by this key, operator or customer',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  actorId?: string;

  @CheckedField({
    description: `Only this action, or all actions of a resource, such as \`customer.*\`. Actions: ${Object.keys(auditActions).join(', ')}`,
    example: 'customer.*',
    optional: true,
    isValid: (text) => matchingAuditActions(text).length > 0,
    message: '$property must be a known action, or a resource such as customer.*',
  })
  action?: string;

  @OneOfField('Only actions on this type of target', auditTargetTypes) targetType?: string;
  @IdField('Only actions on this target') targetId?: string;
  @IdField('Only actions of this request') requestId?: string;
  @TimeField('Only entries created after this time') createdAfter?: string;
  @TimeField('Only entries created before this time') createdBefore?: string;
}

export class CountAuditLogQuery extends OmitType(AuditLogQuery, ['limit', 'cursor'] as const) {}
