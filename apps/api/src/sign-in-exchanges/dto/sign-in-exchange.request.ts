import { ExchangeFields } from '../../sign-in/dto/exchange.fields.js';
import { LocaleField } from '../../http/input/fields.js';

export class ExchangeRequest extends ExchangeFields {
  @LocaleField({
    description: 'Preferred language of the customer if this request creates one, as a BCP 47 tag',
  })
  locale?: string | null;
}
