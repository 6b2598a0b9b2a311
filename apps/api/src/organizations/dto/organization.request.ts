import { OmitType } from '@nestjs/swagger';
import { isPageOrigin, isSecureOrigin, isSlug } from '#domain';
import { CheckedField, TextField, TextSetField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { SearchTextField } from '../../http/search-fields.js';

const name = { description: 'What people call it', minLength: 1, maxLength: 100 };

export class CreateOrganizationRequest {
  @TextField({ ...name, example: 'Menabrea' }) name!: string;

  @CheckedField({
    description: 'A short name of its own, the only one in the house: 3 to 48 of a-z, 0-9 and -',
    example: 'menabrea',
    isValid: isSlug,
    message: '$property must be 3 to 48 of a-z, 0-9 and -',
  })
  slug!: string;
}

/** What operators list organizations by. */
export class SearchOrganizationsQuery extends PageQuery {
  @SearchTextField('The id of an organization, or the beginning of its name or slug') q?: string;
}

export class CountOrganizationsQuery extends OmitType(SearchOrganizationsQuery, [
  'limit',
  'cursor',
] as const) {}

export class UpdateOrganizationRequest {
  @TextField({ ...name, optional: true }) name?: string;

  @TextSetField({
    description: 'Where the billing portal may lead back to; empty or null: anywhere',
    example: ['https://app.example.com'],
    optional: true,
    nullable: true,
    maxItems: 50,
    isValid: (text) => isPageOrigin(text) && isSecureOrigin(text),
    message:
      '$property must hold https origins such as https://app.example.com, or http ones of this machine',
  })
  billingReturnOrigins?: string[] | null;
}
