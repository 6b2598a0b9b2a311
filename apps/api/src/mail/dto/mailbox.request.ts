import { OmitType } from '@nestjs/swagger';
import { canonicalEmail } from '@gatehouse/domain';
import { CheckedField, ProjectIdField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';

export class MailboxQuery extends PageQuery {
  @CheckedField({
    description: 'Only emails to this address',
    optional: true,
    isValid: (text) => canonicalEmail(text) !== null,
    message: 'email must be an email address',
  })
  email?: string;

  @ProjectIdField() projectId?: string;
}

export class CountMailboxQuery extends OmitType(MailboxQuery, ['limit', 'cursor'] as const) {}
