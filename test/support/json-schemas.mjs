import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalEmail, isUuid } from '@gatehouse/domain';

/** The formats from section 2 of the contract. @type {Record<string, import('ajv').Format>} */
export const formats = {
  uuid: isUuid,
  email: (text) => canonicalEmail(text) === text,
  uri: (text) => URL.canParse(text),
  double: true,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/**
 * Creates a strict validator, which throws for unknown keywords and formats.
 * @param {import('ajv/dist/2020.js').Options} [options]
 */
export const strictAjv = (options = {}) =>
  new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    strict: true,
    formats,
    ...options,
  });
