import { TextField } from '../../http/input/fields.js';
import { CanonicalSearchText, RejectSecrets } from '../../http/input/search-fields.js';

export class SearchQuery {
  @CanonicalSearchText()
  @TextField({
    description:
      "Id of any resource, or part of a customer's email address or name, a project's or organization's name or slug, a key's name, an endpoint's name or URL, or an operator's email address or name. A text without three consecutive letters or digits matches only the beginning of customers' email addresses and names",
    example: 'ada@example.com',
    minLength: 1,
    maxLength: 2_048,
  })
  @RejectSecrets()
  q!: string;
}
