import { explainLineError } from '../console-shared/line-remedies.js';
import type { LeftOut } from './source.js';

/** The fields that occur twice, by the records' positions. */
const fields = new Map<string, string>();

/**
 * Stores that a field in a record occurs twice. Its reader returns null instead of the record, which every source
 * reports.
 */
export function rejectRepeatedKey(position: string, field: string): null {
  fields.set(position, field);
  return null;
}

/**
 * Returns the reason why a record is not in a source's format if it contains a key twice, in the server's words;
 * otherwise null.
 */
export function explainRepeatedKey(position: string): LeftOut | null {
  const field = fields.get(position);
  if (field === undefined) return null;
  fields.delete(position);
  const message = `${field} must not occur twice`;
  return { field, ...explainLineError({ field, code: 'repeated_key', message }) };
}
