import { OmitType } from '@nestjs/swagger';
import { isUuid, MAX_OPERATOR_ORGANIZATIONS, operatorRoles, type OperatorRole } from '@gatehouse/domain';
import { CheckedField, EmailField, TextListField } from '../../http/input/fields.js';
import { NameField } from '../../http/input/name-fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { SearchTextField } from '../../http/input/search-fields.js';

const RoleField = (optional: boolean): PropertyDecorator =>
  CheckedField({
    description:
      '`viewer` can read. `operator` can also redeliver events, disable and enable endpoints and customers, and revoke sessions. `admin` can also manage settings, keys and operators',
    optional,
    values: operatorRoles,
    isValid: (text) => (operatorRoles as readonly string[]).includes(text),
    message: `role must be one of ${operatorRoles.join(', ')}`,
  });

const OrganizationIdsField = (): PropertyDecorator =>
  TextListField({
    description:
      'Limits the operator to these organizations and the organizations that they created. Null means no limit',
    optional: true,
    nullable: true,
    maxItems: MAX_OPERATOR_ORGANIZATIONS,
    itemSchema: { format: 'uuid' },
    isValid: isUuid,
    message: 'organizationIds must contain UUIDs in lowercase',
  });

export class ListOperatorsQuery extends PageQuery {
  @SearchTextField('Id of an operator, or part of the email address or name') q?: string;
}

export class CountOperatorsQuery extends OmitType(ListOperatorsQuery, ['limit', 'cursor'] as const) {}

export class InviteOperatorRequest {
  @EmailField() email!: string;
  @RoleField(false) role!: OperatorRole;
  @OrganizationIdsField() organizationIds?: string[] | null;
}

export class UpdateOperatorRequest {
  @RoleField(true) role?: OperatorRole;
  @OrganizationIdsField() organizationIds?: string[] | null;
  @NameField({
    description: 'Name that other operators see. Null means that they see only the email address',
    example: 'Ada Lovelace',
  })
  name?: string | null;
}
