import type { CustomerDraft } from './source-fields.js';
import { unknown } from './unknown-reasons.js';

const TRUE = ['true', 't', 'yes', 'y', '1', '1.0'];
const FALSE = ['false', 'f', 'no', 'n', '0', '0.0'];
/** The strings that databases, JSON serializers, MySQL and Python write instead of an empty value. */
const EMPTY = ['', 'null', '\\n', 'none'];

/**
 * The boolean for each value, or undefined for an empty one. A map lookup is fast, and files contain several such
 * values per user.
 */
const values: ReadonlyMap<unknown, boolean | undefined> = new Map<unknown, boolean | undefined>([
  ...[true, 1, ...TRUE].map((value): [unknown, boolean] => [value, true]),
  ...[false, 0, ...FALSE].map((value): [unknown, boolean] => [value, false]),
  ...[undefined, null, ...EMPTY].map((value): [unknown, undefined] => [value, undefined]),
]);

/**
 * Parses a boolean in any form that JSON, databases (`t`, `1`), spreadsheets (`TRUE`) and Python (`True`, `1.0`) use.
 * Returns undefined for an empty value, and null for anything else.
 */
export function parseBoolean(value: unknown): boolean | null | undefined {
  const key = values.has(value) || typeof value !== 'string' ? value : value.trim().toLowerCase();
  return values.has(key) ? values.get(key) : null;
}

/** Returns a boolean, or null for anything else. An empty value is false. */
export function readBoolean(value: unknown): boolean | null {
  const parsed = parseBoolean(value);
  return parsed === undefined ? false : parsed;
}

/**
 * Returns true if an email address is verified. A value that is missing, or neither true nor false, is reported and
 * counts as false.
 */
export function readVerified(draft: CustomerDraft, field: string, value: unknown): boolean {
  if (parseBoolean(value) === undefined) draft.leaveOut(field, unknown.verification);
  return readFlag(draft, field, value);
}

/** Returns true if a value is true. A value that is neither true nor false is reported and counts as false. */
export function readFlag(draft: CustomerDraft, field: string, value: unknown): boolean {
  const parsed = parseBoolean(value);
  if (parsed === null) draft.leaveOut(field, unknown.boolean);
  return parsed === true;
}
