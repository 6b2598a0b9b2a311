import { OmitType } from '@nestjs/swagger';
import { isPageOrigin, isSecureOrigin, isSlug } from '@gatehouse/domain';
import { CheckedField, TextSetField } from '../../http/input/fields.js';
import { NameTextField } from '../../http/input/name-fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { urlSchema } from '../../http/input/text-schemas.js';
import { SearchTextField } from '../../http/input/search-fields.js';

const name = { description: 'Display name', minLength: 1, maxLength: 100 };

export class CreateOrganizationRequest {
  @NameTextField({ ...name, example: 'Menabrea' }) name!: string;

  @CheckedField({
    description: 'Short name, unique in this installation: 3 to 48 characters of a-z, 0-9 and -',
    example: 'menabrea',
    isValid: isSlug,
    message: '$property must be 3 to 48 characters of a-z, 0-9 and -',
  })
  slug!: string;
}

/** Filters for the list of organizations in the operator API. */
export class SearchOrganizationsQuery extends PageQuery {
  @SearchTextField('Id of an organization, or part of its name or slug') q?: string;
}

export class CountOrganizationsQuery extends OmitType(SearchOrganizationsQuery, [
  'limit',
  'cursor',
] as const) {}

export class UpdateOrganizationRequest {
  @NameTextField({ ...name, optional: true }) name?: string;

  @TextSetField({
    description: 'Origins that the billing portal may link back to. An empty list or null allows any origin',
    example: ['https://app.example.com'],
    optional: true,
    nullable: true,
    maxItems: 50,
    itemSchema: urlSchema,
    isValid: (text) => isPageOrigin(text) && isSecureOrigin(text),
    message:
      '$property must contain https origins such as https://app.example.com, or http origins of localhost',
  })
  billingReturnOrigins?: string[] | null;
}
