import { TextField } from '../../http/input/fields.js';
import { CanonicalSearchText, RejectSecrets } from '../../http/input/search-fields.js';

export class SearchQuery {
  @CanonicalSearchText()
  @TextField({
    description:
      "Id of any resource, or part of the email address or name of a customer, of the name or slug of a project or organization, of the name of a key, of the name or URL of an endpoint, or of the email address or name of an operator. A text without three consecutive letters or digits is compared with the beginning of customers' email addresses and names",
    example: 'ada@example.com',
    minLength: 1,
    maxLength: 2_048,
  })
  @RejectSecrets()
  q!: string;
}
