import { LocaleField } from './fields.js';
import { NameField } from './name-fields.js';

/** The fields that customers set themselves, and that secret keys and imports set for them. */
export class CustomerProfileFields {
  @NameField({ description: 'Given name', example: 'Ada' }) firstName?: string | null;
  @NameField({ description: 'Family name', example: 'Lovelace' }) lastName?: string | null;
  @LocaleField({ description: 'Preferred language, as a BCP 47 tag' })
  locale?: string | null;
}
