import { visit } from 'jsonc-parser';
import { GatehouseError } from '@gatehouse/domain';

/** The name of a text in error details, and its limits. */
export interface JsonLimits {
  name: string;
  depth: number;
  keys: number;
}

const bodyLimits: JsonLimits = { name: 'body', depth: 20, keys: 2_000 };

/** The limits of one line of NDJSON, which are those of a body. */
export const lineLimits: JsonLimits = { ...bodyLimits, name: 'line' };

const reservedKeys = new Set(['__proto__', 'constructor', 'prototype']);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const invalidJson = (detail: string): GatehouseError => new GatehouseError('invalid_json', { detail });

/**
 * Parses a body strictly (requirements IN-03 to IN-06): UTF-8 without BOM, an object at the root, at most 20
 * levels and 2,000 keys, no NUL, lone surrogate, number outside the double range or reserved key anywhere.
 * The last value of a repeated key is used.
 * @throws GatehouseError `invalid_json`
 */
export function parseStrictJson(bytes: Buffer, limits = bodyLimits): Record<string, unknown> {
  const text = decode(bytes, limits);
  // Checked before JSON.parse, which recurses: the accepted depth must not depend on the size of the stack.
  checkDepth(text, limits);
  const value = parse(text, limits);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidJson(`The ${limits.name} must be a JSON object.`);
  checkContents(value);
  return value as Record<string, unknown>;
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
 * Returns line and column of the first syntax error, both counted from 1; JSON.parse does not always report
 * them.
 */
function position(text: string): string {
  let location = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, column: number): void => {
    location = `: syntax error at line ${line + 1}, column ${column + 1}`;
    // Ends the visit: a body of 16 MiB can contain millions of errors.
    throw new SyntaxError(location);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return location;
}

/** Checks the depth and the number of keys by counting brackets and colons outside of strings. */
function checkDepth(text: string, limits: JsonLimits): void {
  let depth = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':') keys += 1;
    if (depth > limits.depth)
      throw invalidJson(`The ${limits.name} is nested deeper than ${limits.depth} levels.`);
    if (keys > limits.keys) throw invalidJson(`The ${limits.name} has more than ${limits.keys} keys.`);
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

function checkContents(root: object): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') checkString(value);
    else if (typeof value === 'number' && !Number.isFinite(value))
      throw invalidJson('A number is outside the double-precision range.');
    else if (Array.isArray(value)) for (const entry of value as unknown[]) pending.push(entry);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (reservedKeys.has(key)) throw invalidJson(`The key ${key} is reserved.`);
        checkString(key);
        pending.push(member);
      }
    }
  }
}

function checkString(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalidJson('A string contains a NUL character or a lone surrogate.');
}
