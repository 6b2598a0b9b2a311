import { GatehouseError, invalidField, type FieldError } from '@gatehouse/domain';
import { InputPipe } from '../http/input/input.pipe.js';
import { findRepeatedKey } from '../http/bodies/json-strings.js';
import { lineLimits, parseStrictJson } from '../http/bodies/strict-json.js';
import { ImportedCustomer } from './dto/import.request.js';
import { LineValues } from './line-values.js';

/**
 * Maximum number of times that a line is validated again after its invalid values have been left out. Once may not be
 * enough, because a list that is too long hides the errors in its entries.
 */
const MAX_ROUNDS = 3;

const target = { type: 'body', metatype: ImportedCustomer } as const;

/** The fields of a line that Gatehouse accepts. */
export interface ReadLine {
  input: ImportedCustomer;
  /** Warnings about values that were left out. */
  warnings: FieldError[];
  /** Returns the original position of a `passkeys` or `identities` entry in the line. */
  positionOf: (list: string, index: number) => number;
}

/** A parsed line. */
interface ParsedLine {
  value: Record<string, unknown>;
  /** The values that can be stored, or null if all of them can. */
  storable: LineValues | null;
}

const limits = { ...lineLimits, hasUniqueKeys: true };

const input = new InputPipe();

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads an NDJSON line. @throws GatehouseError `validation_failed`, `invalid_json` */
export function readLine(bytes: Buffer | null): ReadLine {
  if (!bytes) throw invalidField('', 'too_long', 'The line is longer than 64 KiB.');
  return validate(parseLine(bytes));
}

/** Reads a list entry. @throws GatehouseError `validation_failed` */
export function readEntry(value: unknown): ReadLine {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) throw invalidField('', 'invalid_type', 'A customer must be a JSON object.');
  return validate({ value: value as Record<string, unknown>, storable: null });
}

/** Validates the fields. Where possible, leaves out an invalid field instead of failing the line. */
function validate({ value, storable }: ParsedLine): ReadLine {
  let values = storable;
  for (let round = 0; ; round += 1) {
    try {
      const valid = input.transform(values?.values ?? value, target) as ImportedCustomer;
      const positionOf = (list: string, index: number) => values?.positionOf(list, index) ?? index;
      return { input: valid, warnings: values?.warnings ?? [], positionOf };
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'validation_failed') throw error;
      values ??= new LineValues(value);
      if (round === MAX_ROUNDS || !values.omit(error.details.errors ?? [])) throw error;
    }
  }
}

function parseLine(bytes: Buffer): ParsedLine {
  try {
    return { value: parseStrictJson(bytes, limits), storable: null };
  } catch (error) {
    const storable = parseStorable(bytes);
    if (!storable) throw error;
    return { value: storable.values, storable };
  }
}

/** Returns the values of a line that can be stored, or null if the line must fail. */
function parseStorable(bytes: Buffer): LineValues | null {
  try {
    const text = decoder.decode(bytes);
    const line = JSON.parse(text) as Record<string, unknown>;
    // With repeated keys, `JSON.parse` uses the last value, which could lift a ban.
    if (findRepeatedKey(text) !== null) return null;
    const values = new LineValues(line);
    if (!values.omitUnstorable()) return null;
    parseStrictJson(Buffer.from(JSON.stringify(values.values)), lineLimits);
    return values;
  } catch {
    return null;
  }
}
