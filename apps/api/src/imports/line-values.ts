import {
  fitMetadata,
  isJsonObject,
  MAX_IMPORTED_IDENTITIES,
  MAX_PASSKEYS,
  METADATA_BYTES,
  METADATA_KEYS,
  type FieldError,
} from '@gatehouse/domain';
import { findMemberProblem, findStorageProblem } from '../http/bodies/strict-json.js';
import { omittedValueWarning, rootOf } from './omitted-values.js';

/** Lists whose entries can be left out one by one, with their maximum lengths. */
const listLengths = new Map([
  ['passkeys', MAX_PASSKEYS],
  ['identities', MAX_IMPORTED_IDENTITIES],
]);

const metadataFields = new Set(['metadata', 'publicMetadata']);

/**
 * Fields whose values can be left out (ADR 0103). All others are required. A line without an email address or external
 * id does not identify a customer. A ban, a required second factor and a verified address must not be lost. An unknown
 * field could be any of these.
 */
const optionalFields = new Set([
  ...listLengths.keys(),
  ...metadataFields,
  ...['passwordHash', 'totpSecret', 'firstName', 'lastName', 'locale', 'imageUrl', 'projectId'],
  ...['createdAt', 'updatedAt', 'lastLoginAt'],
]);

/** Maximum nesting depth below a metadata member, a list entry and a field. */
const LEVELS = { member: 18, entry: 18, field: 19 };

const problems: Record<string, string> = {
  invalid: 'contains a NUL character, a lone surrogate or a reserved key',
  inexact_integer: 'contains an integer that a double-precision number cannot represent exactly',
  too_deep: 'is nested too deeply: a line can have 20 levels',
  too_long: `does not fit: metadata has at most ${METADATA_KEYS} keys and ${METADATA_BYTES} bytes`,
};

/** The values in a line. Values that Gatehouse does not accept can be left out. */
export class LineValues {
  readonly warnings: FieldError[] = [];
  readonly values: Record<string, unknown>;
  /** The original positions of the remaining entries, for each list from which entries were left out. */
  private readonly positions = new Map<string, number[]>();

  constructor(line: Record<string, unknown>) {
    this.values = { ...line };
  }

  /** Returns the original position of a list entry in the line. */
  positionOf(list: string, index: number): number {
    return this.positions.get(list)?.[index] ?? index;
  }

  /**
   * Leaves out the values with errors.
   * @returns false if one of them must not be left out
   */
  omit(errors: FieldError[]): boolean {
    // A name that contains a dot can be an unknown field instead of a path.
    const root = ({ field }: FieldError) => (Object.hasOwn(this.values, field) ? field : rootOf(field));
    if (!errors.every((error) => optionalFields.has(root(error)))) return false;
    for (const name of new Set(errors.map(root)))
      this.omitFrom(
        name,
        errors.filter((error) => root(error) === name),
      );
    return true;
  }

  /**
   * Leaves out the values that cannot be stored.
   * @returns false if one of them must not be left out, or if there are none
   */
  omitUnstorable(): boolean {
    for (const [name, value] of Object.entries(this.values)) {
      if (metadataFields.has(name) && isJsonObject(value)) this.fit(name, value);
      else if (listLengths.has(name) && Array.isArray(value)) this.omitUnstorableEntries(name, value);
      else {
        const code = findMemberProblem(name, value, LEVELS.field);
        if (code === null) continue;
        if (!optionalFields.has(name)) return false;
        this.drop(name, [describe(name, code)]);
      }
    }
    return this.warnings.length > 0;
  }

  private omitUnstorableEntries(name: string, list: unknown[]): void {
    const errors = list.flatMap((entry, index) => {
      const code = findStorageProblem(entry, LEVELS.entry);
      return code === null ? [] : [describe(`${name}.${index}`, code)];
    });
    if (errors.length > 0) this.dropEntries(name, list, errors);
  }

  private omitFrom(name: string, errors: FieldError[]): void {
    const value = this.values[name];
    if (metadataFields.has(name) && isJsonObject(value)) return this.fit(name, value);
    const maxLength = listLengths.get(name);
    if (maxLength === undefined || !Array.isArray(value)) return this.drop(name, errors);
    if (errors.every(({ field }) => field !== name)) return this.dropEntries(name, value, errors);
    this.values[name] = value.slice(0, maxLength);
    this.warn(errors.filter(({ field }) => field === name));
  }

  private drop(name: string, errors: FieldError[]): void {
    delete this.values[name];
    this.warn(errors);
  }

  private fit(name: string, value: Record<string, unknown>): void {
    const { kept, dropped } = fitMetadata(value, (key, member) =>
      findMemberProblem(key, member, LEVELS.member),
    );
    if (dropped.length === 0) return;
    // An empty object would remove an existing customer's metadata.
    if (Object.keys(kept).length > 0) this.values[name] = kept;
    else delete this.values[name];
    this.warn(dropped.map(({ key, code }) => describe(`${name}.${key}`, code)));
  }

  /**
   * @param errors errors in entries of the list
   */
  private dropEntries(name: string, list: unknown[], errors: FieldError[]): void {
    const indexOf = ({ field }: FieldError) => Number(field.split('.')[1]);
    const dropped = new Set(errors.map(indexOf));
    const isKept = (_: unknown, index: number) => !dropped.has(index);
    this.warn(
      errors.map(({ field, code, message }) => {
        const index = indexOf({ field, code, message });
        const path = field.replace(`.${index}`, `.${this.positionOf(name, index)}`);
        return { field: path, code, message: message.replace(field, () => path) };
      }),
    );
    const positions = list.map((_, index) => this.positionOf(name, index));
    this.positions.set(name, positions.filter(isKept));
    this.values[name] = list.filter(isKept);
  }

  private warn(errors: FieldError[]): void {
    this.warnings.push(...errors.map(omittedValueWarning));
  }
}

/** Returns the error for a value. Replaces characters in the field name that cannot be stored. */
function describe(field: string, code: string): FieldError {
  const name = field.replaceAll('\0', '\ufffd').toWellFormed();
  return { field: name, code, message: `${name} ${problems[code] ?? problems['invalid']!}` };
}
