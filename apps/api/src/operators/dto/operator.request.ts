import { OmitType } from '@nestjs/swagger';
import { operatorRoles, type OperatorRole } from '@gatehouse/domain';
import { CheckedField, EmailField, NameField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { SearchTextField } from '../../http/search-fields.js';

const RoleField = (optional: boolean): PropertyDecorator =>
  CheckedField({
    description:
      '`viewer` can read. `operator` can also redeliver events, disable and enable endpoints and customers, and revoke sessions. `admin` can also manage settings, keys and operators',
    optional,
    values: operatorRoles,
    isValid: (text) => (operatorRoles as readonly string[]).includes(text),
    message: `role must be one of ${operatorRoles.join(', ')}`,
  });

export class ListOperatorsQuery extends PageQuery {
  @SearchTextField('Id of an operator, or part of the email address or name') q?: string;
}

export class CountOperatorsQuery extends OmitType(ListOperatorsQuery, ['limit', 'cursor'] as const) {}

export class InviteOperatorRequest {
  @EmailField() email!: string;
  @RoleField(false) role!: OperatorRole;
}

export class UpdateOperatorRequest {
  @RoleField(true) role?: OperatorRole;
  @NameField({
    description: 'Name that other operators see. null: only the email address',
    example: 'Ada Lovelace',
  })
  name?: string | null;
}
