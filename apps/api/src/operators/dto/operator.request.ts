import { OmitType } from '@nestjs/swagger';
import { operatorRoles, type OperatorRole } from '#domain';
import { CheckedField, EmailField, NameField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { SearchTextField } from '../../http/search-fields.js';

const RoleField = (optional: boolean): PropertyDecorator =>
  CheckedField({
    description:
      'viewer: reads. operator: also redelivers, and helps customers. admin: also settings, keys and operators',
    optional,
    values: operatorRoles,
    isValid: (text) => (operatorRoles as readonly string[]).includes(text),
    message: `role must be one of ${operatorRoles.join(', ')}`,
  });

export class ListOperatorsQuery extends PageQuery {
  @SearchTextField('The id of an operator, or a part of their e-mail address or name') q?: string;
}

export class CountOperatorsQuery extends OmitType(ListOperatorsQuery, ['limit', 'cursor'] as const) {}

export class InviteOperatorRequest {
  @EmailField() email!: string;
  @RoleField(false) role!: OperatorRole;
}

export class UpdateOperatorRequest {
  @RoleField(true) role?: OperatorRole;
  @NameField({ description: 'What others see; null: only the address', example: 'Ada Lovelace' })
  name?: string | null;
}
