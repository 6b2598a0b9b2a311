import { canonicalEmail, isUuid } from '#domain';
import { CheckedField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

export class MailboxQuery extends PageQuery {
  @CheckedField({
    description: 'Only mails to this address',
    optional: true,
    isValid: (text) => canonicalEmail(text) !== null,
    message: 'email must be an e-mail address',
  })
  email?: string;

  @CheckedField({
    description: 'Only this project',
    optional: true,
    isValid: isUuid,
    message: 'projectId must be a UUID',
  })
  projectId?: string;
}
