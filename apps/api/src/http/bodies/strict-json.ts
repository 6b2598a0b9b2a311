import { getLocation, visit } from 'jsonc-parser';
import { GatehouseError } from '@gatehouse/domain';
import { endOfString, findRepeatedKey } from './json-strings.js';

/** The limits of a JSON text, and its name in error details. */
export interface JsonLimits {
  name: string;
  depth: number;
  keys: number;
  /**
   * Maximum number of elements and members in the text, even in a single object or array. Default: unlimited.
   */
  values?: number;
  /**
   * Maximum number of keys per object. Default: `keys`. The work for one object grows with the square of this
   * number.
   */
  keysPerObject?: number;
  /** True to reject an object that contains a key twice. By default, the last value is used. */
  hasUniqueKeys?: boolean;
}

/** The properties of a JSON text that determine the memory for its values. */
export interface JsonStructure {
  /** Number of keys and values. */
  count: number;
  /** True if the text contains characters outside Latin-1. */
  isWide: boolean;
}

/** Called before the values are created in memory. May throw. */
export type OnStructure = (structure: JsonStructure) => void;

const bodyLimits: JsonLimits = { name: 'body', depth: 20, keys: 2_000 };

/** The limits of an NDJSON line, which are the same as for a body. */
export const lineLimits: JsonLimits = { ...bodyLimits, name: 'line' };

const widePattern = /[^\0-\xff]/;

const reservedKeys = new Set(['__proto__', 'constructor', 'prototype']);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const invalidJson = (detail: string): GatehouseError => new GatehouseError('invalid_json', { detail });

/**
 * Parses a body strictly (requirements IN-03 to IN-06): UTF-8 without BOM, an object at the root, at most 20
 * levels and 2,000 keys, no NUL, lone surrogate, rounded integer or reserved key anywhere. The last value of a
 * repeated key is used, unless the limits require unique keys.
 * @throws GatehouseError `invalid_json`
 */
export function parseStrictJson(
  bytes: Buffer,
  limits = bodyLimits,
  onStructure?: OnStructure,
): Record<string, unknown> {
  return parseRoot(bytes, { limits, onStructure }, 'a JSON object', isJsonObject);
}

/** Parses a body like `parseStrictJson`, but also accepts an array at the root. */
export function parseStrictJsonOrList(bytes: Buffer, limits: JsonLimits, onStructure?: OnStructure): object {
  return parseRoot(bytes, { limits, onStructure }, 'a JSON object or array', isObjectOrArray);
}

const isObjectOrArray = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  isObjectOrArray(value) && !Array.isArray(value);

function parseRoot<Root extends object>(
  bytes: Buffer,
  { limits, onStructure }: { limits: JsonLimits; onStructure: OnStructure | undefined },
  root: string,
  isRoot: (value: unknown) => value is Root,
): Root {
  const text = decode(bytes, limits);
  // Checked before JSON.parse, which recurses: the accepted depth must not depend on the stack size.
  const { keys, values, roundedAt } = checkStructure(text, limits);
  onStructure?.({ count: keys + values, isWide: widePattern.test(text) });
  const value = parse(text, limits);
  if (!isRoot(value)) throw invalidJson(`The ${limits.name} must be ${root}.`);
  // JSON.parse retains only the last of several equal keys.
  if (limits.hasUniqueKeys && countKeys(value) < keys) throw repeatedKeyError(text);
  if (roundedAt !== null) throw roundedIntegerError(text, roundedAt);
  checkContents(value);
  return value;
}

function decode(bytes: Buffer, { name }: JsonLimits): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalidJson(`The ${name} is not valid UTF-8.`);
  }
  if (text.startsWith('\ufeff')) throw invalidJson(`The ${name} must not start with a byte order mark.`);
  return text;
}

function parse(text: string, { name }: JsonLimits): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson(`The ${name} is not valid JSON${position(text)}.`);
  }
}

/**
 * Returns the line and column of the first syntax error, both starting at 1. JSON.parse does not always report
 * them.
 */
function position(text: string): string {
  let location = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, column: number): void => {
    location = `: syntax error at line ${line + 1}, column ${column + 1}`;
    // Ends the visit, because a 16 MiB body can contain millions of errors.
    throw new SyntaxError(location);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return location;
}

/**
 * Checks the depth and the numbers of keys and values by counting brackets, colons and commas outside strings.
 * Each value is the first in an object or array, or follows a comma.
 * @returns the numbers of keys and values, and the offset of the first number that would be rounded to another
 *   integer, or null
 */
function checkStructure(
  text: string,
  limits: JsonLimits,
): { keys: number; values: number; roundedAt: number | null } {
  const { values: maxValues = Infinity, keysPerObject: maxPerObject = limits.keys } = limits;
  let [depth, keys, values] = [0, 0, 0];
  /** The number of keys in each object around the current offset, outermost first. */
  const keysAt: number[] = [];
  let roundedAt: number | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]!;
    if (character === '"') index = endOfString(text, index);
    else if (character === '{' || character === '[') {
      depth += 1;
      values += 1;
      keysAt[depth] = 0;
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':') {
      keys += 1;
      keysAt[depth] = (keysAt[depth] ?? 0) + 1;
      if (keysAt[depth]! > maxPerObject)
        throw invalidJson(`The ${limits.name} has an object with more than ${maxPerObject} keys.`);
    } else if (character === ',') values += 1;
    else if (character >= '0' && character <= '9') {
      const end = endOfNumber(text, index);
      if (isRounded(text.slice(index, end))) roundedAt ??= index;
      index = end - 1;
    }
    if (depth > limits.depth)
      throw invalidJson(`The ${limits.name} is nested deeper than ${limits.depth} levels.`);
    if (keys > limits.keys) throw invalidJson(`The ${limits.name} has more than ${limits.keys} keys.`);
    if (values > maxValues) throw invalidJson(`The ${limits.name} has more than ${maxValues} values.`);
  }
  return { keys, values, roundedAt };
}

function endOfNumber(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && '0123456789.eE+-'.includes(text[index]!)) index += 1;
  return index;
}

/** Counts the keys of all objects in a value. Recursion is safe, because the depth is limited. */
function countKeys(value: unknown): number {
  if (!isObjectOrArray(value)) return 0;
  const members: unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += countKeys(member);
  return count;
}

/** Returns the error for an object that contains a key twice. A reader could use either value. */
function repeatedKeyError(text: string): GatehouseError {
  // An offset inside the key, so that the path includes the key.
  const field = fieldAt(text, findRepeatedKey(text)! + 1);
  return new GatehouseError('invalid_json', {
    detail: 'An object contains the same key twice.',
    errors: [{ field, code: 'repeated_key', message: `${field} must not occur twice` }],
  });
}

/** Returns the path to the value or key at an offset. */
const fieldAt = (text: string, offset: number): string =>
  getLocation(text, offset)
    .path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');

/** Returns the error for a rounded number, with the path of its field. */
function roundedIntegerError(text: string, offset: number): GatehouseError {
  const field = fieldAt(text, offset);
  const rule = 'must not be an integer that a double-precision number cannot represent exactly';
  return new GatehouseError('invalid_json', {
    detail: `A number ${rule}. Send it as a string.`,
    errors: [{ field, code: 'inexact_integer', message: `${field} ${rule}` }],
  });
}

/**
 * Returns true if JSON.parse converts an unsigned number to a different integer. Up to 2^53, it rounds only
 * fractions. Beyond that, a number is exact if its shortest representation, in which it is stored and returned,
 * has the same value. Returns false for a string that is not a number.
 */
function isRounded(number: string): boolean {
  const value = Number(number);
  if (!(value >= 2 ** 53)) return false;
  return value === Infinity || normalizeDecimal(number) !== normalizeDecimal(String(value));
}

/**
 * Returns the digits and the exponent of a decimal number, which are the same for all its notations. Takes
 * linear time for any number of zeros.
 */
function normalizeDecimal(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = integer + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/**
 * Rejects strings that PostgreSQL cannot store, and reserved keys. Recursion is safe, because the depth is
 * limited.
 */
function checkContents(root: object): void {
  const path = findInvalidString(root);
  if (path === null) return;
  const field = path.replace(/^\./, '');
  const message = `${field} must not contain a NUL character or a lone surrogate`;
  throw new GatehouseError('invalid_json', {
    detail: 'A string contains a NUL character or a lone surrogate.',
    // A key at the top level has no enclosing field to report.
    ...(field && { errors: [{ field, code: 'invalid', message }] }),
  });
}

/**
 * Returns the path, relative to a value, of the first string that cannot be stored, or of the object with the
 * first such key. Returns null if everything can be stored.
 */
function findInvalidString(value: unknown): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : '';
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const path = findInvalidString(entry);
      if (path !== null) return `[${index}]${path}`;
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (reservedKeys.has(key)) throw invalidJson(`The key ${key} is reserved.`);
      if (!isStorable(key)) return '';
      const path = findInvalidString(member);
      if (path !== null) return `.${key}${path}`;
    }
  }
  return null;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const isStorableKey = (key: string): boolean => !reservedKeys.has(key) && isStorable(key);

/** The problem with a value that `parseStrictJson` rejects. */
export type StorageProblem = 'invalid' | 'inexact_integer' | 'too_deep';

/**
 * Returns the reason why a member of a parsed object cannot be stored, or null. Every unsafe integer counts as
 * inexact, because it may have been rounded by the parser.
 * @param levels maximum depth of the value
 */
export const findMemberProblem = (key: string, value: unknown, levels: number): StorageProblem | null =>
  isStorableKey(key) ? findStorageProblem(value, levels) : 'invalid';

/** Returns the reason why a parsed value cannot be stored, or null. */
export function findStorageProblem(value: unknown, levels: number): StorageProblem | null {
  if (typeof value === 'string') return isStorable(value) ? null : 'invalid';
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? null : 'inexact_integer';
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return 'too_deep';
  for (const [key, member] of Object.entries(value)) {
    const problem = findMemberProblem(key, member, levels - 1);
    if (problem !== null) return problem;
  }
  return null;
}
