import { usageError } from '../cli-error.js';
import { hasRepeatedKey } from '../console-shared/repeated-keys.js';
import { toObject, type JsonObject } from '../json-object.js';
import { epochToMs, parseTime } from '../parse-time.js';
import { notImported, toText, type CustomerDraft } from './source-fields.js';
import type { ImportedCustomer, SourceRecord } from './source.js';
import { parseBoolean } from './read-boolean.js';
import { reasons, type Reason } from './reasons.js';

type TimeField = 'createdAt' | 'updatedAt' | 'lastLoginAt' | 'disabledAt';

/** Returns the objects in a list; an empty list for a value of another type. */
export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(toObject).filter((item) => item !== null) : [];

/** Returns the non-empty strings in a list, or a single string as a list; an empty list for a value of another type. */
export const toTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(toText).filter((text) => text !== '');

/** Returns the objects in a list. Reports a value or elements of another type, unless they are empty. */
export function readObjectList(draft: CustomerDraft, field: string, value: unknown): JsonObject[] {
  const objects = toObjects(value);
  const count = Array.isArray(value) ? value.filter((item) => item !== null && item !== '').length : 0;
  if (objects.length < count || (!Array.isArray(value) && !isEmpty(value)))
    draft.leaveOut(field, reasons.wrongType);
  return objects;
}

/**
 * Returns the strings in a list, or a single string as a list. Reports a value or elements of another type, unless they
 * are empty.
 */
export function readTextList(draft: CustomerDraft, field: string, value: unknown): string[] {
  const isText = (item: unknown): boolean => isEmpty(item) || toText(item) !== '';
  if (!(Array.isArray(value) ? value : [value]).every(isText)) draft.leaveOut(field, reasons.wrongType);
  return toTexts(value);
}

/**
 * Returns an object. For a value of another type, returns an empty object, and reports the value unless it is empty.
 */
export function readObject(draft: CustomerDraft, field: string, value: unknown): JsonObject {
  const object = toObject(value);
  if (!object && !isEmpty(value)) draft.leaveOut(field, reasons.wrongType);
  return object ?? {};
}

/** Returns a string. For a value of another type, returns an empty string, and reports the value unless it is empty. */
export function readString(draft: CustomerDraft, field: string, value: unknown): string {
  const text = toText(value);
  if (text === '' && !isEmpty(value)) draft.leaveOut(field, reasons.wrongType);
  return text;
}

/** Returns true if a value is true, or is neither a boolean nor empty. */
export function isSet(value: unknown): boolean {
  const parsed = parseBoolean(value);
  return parsed === true || (parsed === null && !isEmpty(value));
}

/** Returns true if a value is falsy, a blank string, an empty list or an empty object. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
}

/** Returns true if a value is empty, except for `false` and `0`. */
export const isAbsent = (value: unknown): boolean => value !== false && value !== 0 && isEmpty(value);

/** Parses JSON. Returns undefined for any other string, and for JSON in which an object contains a key twice. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasRepeatedKey(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Returns the record for a value that is not in the source's format. */
export const invalidRecord = (position: string): SourceRecord =>
  notImported(position, null, '', reasons.invalidRecord);

/**
 * Returns a time in ms since 1970, or NaN.
 * @param value a Unix timestamp in seconds, milliseconds or microseconds, or an ISO 8601 or PostgreSQL string with an
 * offset
 */
export function toMs(value: unknown): number {
  const text = toText(value);
  return /^\d+$/.test(text) ? epochToMs(Number(text)) : parseTime(text, { requiresOffset: true });
}

/** Returns a time in UTC, or null. @param value a time that `toMs` accepts */
export function toTime(value: unknown): string | null {
  const time = new Date(toMs(value));
  const year = time.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? time.toISOString() : null;
}

/** Sets a time, unless the value is empty. @param value a time that `toMs` accepts */
export function setTime(draft: CustomerDraft, name: TimeField, field: string, value: unknown): void {
  if (value !== 0 && isEmpty(value)) return;
  const time = toTime(value);
  if (time === null) draft.leaveOut(field, reasons.noTime);
  else draft.set(name, time);
}

/**
 * Disables the customer, with the first valid time in the list. Other systems do not export the time at which a user was
 * disabled. The current time is not used, because a continued import must send the same lines again.
 */
export function setDisabled(draft: CustomerDraft, times: readonly unknown[]): void {
  const known = times.map(toTime).find((time) => time !== null);
  draft.set('disabledAt', known ?? new Date(0).toISOString());
}

/** Adds a value to metadata under its name in the other system. Does not replace an existing value. */
export function addMetadata(draft: CustomerDraft, metadata: JsonObject, name: string, value: unknown): void {
  if (value === undefined || value === null || value === '') return;
  // An assignment would change the object's prototype instead of adding the value.
  if (name === '__proto__') draft.leaveOut(name, reasons.reservedName);
  else if (Object.hasOwn(metadata, name)) draft.leaveOut(name, reasons.metadataNameTaken);
  else metadata[name] = value;
}

/** Reports all values that no customer field can store. @param known the names that the source has read */
export function leaveOutOthers(draft: CustomerDraft, record: JsonObject, known: ReadonlySet<string>): void {
  for (const name of Object.keys(record))
    if (!known.has(name) && !isAbsent(record[name])) draft.leaveOut(name, reasons.noField);
}

/** Reports a value that is not empty. */
export function leaveOutText(draft: CustomerDraft, field: string, value: unknown, reason: Reason): void {
  if (!isEmpty(value)) draft.leaveOut(field, reason);
}

/** Sets the identities, unless the list is empty. */
export function setIdentities(
  draft: CustomerDraft,
  identities: NonNullable<ImportedCustomer['identities']>,
): void {
  if (identities.length > 0) draft.set('identities', identities);
}

/**
 * Yields the records in files.
 * @throws CliError if the files contain no record, so that an import with the wrong file does not look successful
 */
export async function* assertUsers(
  files: readonly string[],
  read: () => AsyncIterable<SourceRecord>,
): AsyncGenerator<SourceRecord> {
  let isEmpty = true;
  for await (const record of read()) {
    isEmpty = false;
    yield record;
  }
  if (isEmpty) throw usageError(`No users in ${files.join(', ')}.`);
}
