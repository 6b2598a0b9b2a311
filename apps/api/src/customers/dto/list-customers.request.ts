import { OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { EmailField, OneOfField, ProjectIdField, TextField, TimeField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { NoSecret } from '../../http/search-fields.js';

type Flag = 'true' | 'false';
const flags: readonly Flag[] = ['true', 'false'];

export class ListCustomersQuery extends PageQuery {
  @ProjectIdField() projectId?: string;
  @EmailField({ optional: true, description: 'Only who has exactly this address' }) email?: string;

  @TextField({
    description: 'Only who has this id in your system',
    optional: true,
    minLength: 1,
    maxLength: 255,
  })
  externalId?: string;

  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim().replace(/ +/g, ' ') : value,
  )
  @TextField({
    description:
      'Only who has an e-mail address, a first name, a last name, or a first and last name with a space between them that begin with this, in any case',
    example: 'ada lo',
    optional: true,
    minLength: 2,
    maxLength: 254,
  })
  @NoSecret()
  q?: string;

  @OneOfField('Whether the address is verified', flags) emailVerified?: Flag;
  @OneOfField('Whether the customer is disabled', flags) disabled?: Flag;
  @TimeField('Only who was created later') createdAfter?: string;
  @TimeField('Only who was created earlier') createdBefore?: string;
  @TimeField('Only whose last login was later') lastLoginAfter?: string;
  @TimeField('Only whose last login was earlier; not who never logged in') lastLoginBefore?: string;
}

export class CountCustomersQuery extends OmitType(ListCustomersQuery, ['limit', 'cursor'] as const) {}
