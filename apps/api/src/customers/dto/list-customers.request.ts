import { OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { canonicalName } from '@gatehouse/domain';
import { EmailField, OneOfField, ProjectIdField, TextField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { RejectSecrets } from '../../http/input/search-fields.js';
import { TimeField } from '../../http/input/time-field.js';

type Flag = 'true' | 'false';
const flags: readonly Flag[] = ['true', 'false'];

const CustomerTextField =
  (description: string): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? canonicalName(value).replace(/ +/g, ' ') : value,
    )(target, property);
    RejectSecrets()(target, property);
    const options = { example: 'ada lo', optional: true, minLength: 2, maxLength: 254 };
    TextField({ description, ...options })(target, property);
  };

export class ListCustomersQuery extends PageQuery {
  @ProjectIdField() projectId?: string;
  @EmailField({ optional: true, description: 'Only the customer with exactly this email address' })
  email?: string;

  @TextField({
    description: 'Only the customer with this external id',
    optional: true,
    minLength: 1,
    maxLength: 255,
  })
  externalId?: string;

  @CustomerTextField(
    'Only customers whose email address, first name, last name, or first and last name separated by a space, begins with this string. Not case-sensitive',
  )
  q?: string;

  @OneOfField(
    '`true`: only customers with a verified email address. `false`: only customers without one',
    flags,
  )
  emailVerified?: Flag;
  @OneOfField('`true`: only disabled customers. `false`: only customers who are not disabled', flags)
  disabled?: Flag;
  @TimeField('Only customers created after this time') createdAfter?: string;
  @TimeField('Only customers created before this time') createdBefore?: string;
  @TimeField('Only customers whose last sign-in was after this time') lastLoginAfter?: string;
  @TimeField(
    'Only customers whose last sign-in was before this time. Excludes customers who have never signed in',
  )
  lastLoginBefore?: string;
}

/** The customer filters for operators. */
export class ListOperatorCustomersQuery extends OmitType(ListCustomersQuery, ['q'] as const) {
  @CustomerTextField(
    'Only customers whose email address, or whose first and last name separated by a space, contains this text. A text without three consecutive letters or digits matches only at the beginning of these values or of the last name. Not case-sensitive',
  )
  q?: string;
  @OneOfField(
    '`true`: only customers who are locked after failed sign-ins, sorted by the end of the lock, latest first',
    ['true'],
  )
  locked?: 'true';
}

export class CountOperatorCustomersQuery extends OmitType(ListOperatorCustomersQuery, [
  'limit',
  'cursor',
] as const) {}
