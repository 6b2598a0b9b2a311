import { OmitType } from '@nestjs/swagger';
import { mailStates, type MailState } from '@gatehouse/domain';
import { mailKinds } from '@gatehouse/platform';
import { EmailField, OneOfField, ProjectIdField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { CustomerIdField } from '../../http/input/search-fields.js';
import { TimeField } from '../../http/input/time-field.js';

export class ListMailsQuery extends PageQuery {
  @ProjectIdField() projectId?: string;
  @CustomerIdField() customerId?: string;
  @EmailField({ optional: true, description: 'Only emails to exactly this address' }) email?: string;
  @OneOfField('Only emails of this kind', mailKinds) kind?: string;
  @OneOfField('Only emails in this state', mailStates) state?: MailState;
  @TimeField('Only emails created after this time') createdAfter?: string;
  @TimeField('Only emails created before this time') createdBefore?: string;
}

export class CountMailsQuery extends OmitType(ListMailsQuery, ['limit', 'cursor'] as const) {}
