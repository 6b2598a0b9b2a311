import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { canonicalEmail, isUuid } from '#domain';

/** Strict: an unknown keyword or format is an error. Formats mean what the contract says, section 2. */
export const strictAjv = (options: Options = {}): Ajv2020 =>
  new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    formats: {
      uuid: isUuid,
      email: (text: string) => canonicalEmail(text) === text,
      uri: (text: string) => URL.canParse(text),
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    },
    ...options,
  });
