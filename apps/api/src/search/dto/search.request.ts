import { Transform } from 'class-transformer';
import { TextField } from '../../http/fields.js';
import { RejectSecrets } from '../../http/search-fields.js';

export class SearchQuery {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @TextField({
    description:
      'Id of any resource, or the beginning of the email address or name of a customer, of the name of a project or organization, of a key, or of the URL of an endpoint',
    example: 'ada@example.com',
    minLength: 1,
    maxLength: 2_048,
  })
  @RejectSecrets()
  q!: string;
}
