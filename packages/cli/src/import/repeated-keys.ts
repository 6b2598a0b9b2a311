import { explainLineError } from '../console-shared/line-remedies.js';
import type { LeftOut } from './source.js';

/** The fields that occur twice, by the positions of the records. */
const fields = new Map<string, string>();

/** Remembers that a field of a record occurs twice. Its reader returns null instead of the record, which every source reports. */
export function rejectRepeatedKey(position: string, field: string): null {
  fields.set(position, field);
  return null;
}

/** Returns why a record is not in the format of a source if it contains a key twice, in the words of the server; otherwise null. */
export function explainRepeatedKey(position: string): LeftOut | null {
  const field = fields.get(position);
  if (field === undefined) return null;
  fields.delete(position);
  const message = `${field} must not occur twice`;
  return { field, ...explainLineError({ field, code: 'repeated_key', message }) };
}
