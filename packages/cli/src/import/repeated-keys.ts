import { explainLineError } from '../console-shared/line-remedies.js';
import type { LeftOut } from './source.js';

/** The fields that occur twice, by record position. */
const fields = new Map<string, string>();

/**
 * Stores that a field in a record occurs twice. Returns null as the record's value, which every source reports as
 * invalid.
 */
export function rejectRepeatedKey(position: string, field: string): null {
  fields.set(position, field);
  return null;
}

/**
 * Returns the reason, in the server's words, if a record is invalid because it contains a key twice; otherwise null.
 */
export function explainRepeatedKey(position: string): LeftOut | null {
  const field = fields.get(position);
  if (field === undefined) return null;
  fields.delete(position);
  const message = `${field} must not occur twice`;
  return { field, ...explainLineError({ field, code: 'repeated_key', message }) };
}
