import type { ExportedCustomer, ImportedCustomer } from '@gatehouse/server';
import { toText } from '../import/source-fields.js';
import {
  normalizeEmail,
  SECRET_FIELDS,
  TIME_FIELDS,
  toValues,
  VALUE_FIELDS,
  type Customer,
  type CustomerValues,
} from './customer-values.js';
import { GrowingArray } from './growing-array.js';
import { KeyIndex } from '../key-index.js';

/** All fields, in the order in which their results are stored. */
export const FIELDS: readonly string[] = [...VALUE_FIELDS, ...TIME_FIELDS];

/** The result for one person's field. */
export const FieldResult = { equal: 0, onlyInFiles: 1, onlyInGatehouse: 2, different: 3 } as const;
export type FieldResult = (typeof FieldResult)[keyof typeof FieldResult];

/** The values by which a customer was found, from the weakest to the strongest. */
const Match = { none: 0, email: 1, id: 2, externalId: 3 } as const;

/** A customer in Gatehouse whom the files do not contain. */
export type Unknown = Pick<ExportedCustomer, 'id' | 'email'>;

/**
 * The people in the files, in constant memory for each: 8 bytes from a hash for each id, 4 bytes for each value, and
 * the comparison results. A person in the files is identified by the number of their record, counted from 0.
 */
export class FilePeople {
  count = 0;
  private readonly index = new KeyIndex();
  private readonly digests = new GrowingArray(Uint32Array, VALUE_FIELDS.length);
  private readonly times = new GrowingArray(Float64Array, TIME_FIELDS.length);
  private readonly matches = new GrowingArray(Uint8Array, 1);
  private readonly results = new GrowingArray(Uint8Array, FIELDS.length);
  /** The customers who were found by their email address, and whose place a customer with the same id can take. */
  private readonly weak = new Map<number, Unknown>();

  /** @param withSecrets true if the customers in Gatehouse have their password hashes and TOTP secrets */
  constructor(private readonly withSecrets: boolean) {}

  /** Adds the next person in the files. */
  add(customer: ImportedCustomer): void {
    const person = this.count;
    this.count += 1;
    for (const [key] of keysOf(customer)) this.index.add(key, person);
    const { digests, times } = toValues(customer);
    this.digests.push(digests);
    this.times.push(times);
    this.matches.push([Match.none]);
    this.results.push(FIELDS.map(() => FieldResult.equal));
  }

  /**
   * Compares a customer in Gatehouse with the person in the files who has the same `externalId`, otherwise `id`,
   * otherwise email address. Returns the customer whom the files do not contain: this one, one whose place it takes, or
   * null.
   */
  compare(customer: ExportedCustomer): Unknown | null {
    for (const [key, match] of keysOf(customer)) {
      const person = this.index.find(key);
      if (person === null || this.matches.get(person, 0) >= match) continue;
      const replaced = this.weak.get(person) ?? null;
      this.matches.set(person, 0, match);
      if (match === Match.email) this.weak.set(person, { id: customer.id, email: customer.email });
      else this.weak.delete(person);
      this.setResults(person, toValues(customer));
      return replaced;
    }
    return customer;
  }

  /** Returns true if Gatehouse has the person. */
  isInGatehouse(person: number): boolean {
    return this.matches.get(person, 0) !== Match.none;
  }

  /** Returns a person's fields that differ. */
  listDifferences(person: number): { field: string; result: FieldResult }[] {
    return FIELDS.map((field, index) => ({
      field,
      result: this.results.get(person, index) as FieldResult,
    })).filter(({ result }) => result !== FieldResult.equal);
  }

  private setResults(person: number, { digests, times }: CustomerValues): void {
    for (const [index, field] of VALUE_FIELDS.entries())
      if (this.withSecrets || !SECRET_FIELDS.has(field))
        this.results.set(person, index, compareDigests(this.digests.get(person, index), digests[index]!));
    for (const [index, field] of TIME_FIELDS.entries())
      this.results.set(
        person,
        VALUE_FIELDS.length + index,
        compareTimes(this.times.get(person, index), times[index]!, field !== 'createdAt'),
      );
  }
}

/** Returns a customer's keys, the strongest first. */
function keysOf({ externalId, id, email }: Customer): [key: string, match: number][] {
  const keys: [string, string, number][] = [
    ['externalId', toText(externalId), Match.externalId],
    ['id', toText(id).toLowerCase(), Match.id],
    ['email', normalizeEmail(email), Match.email],
  ];
  return keys.filter(([, text]) => text !== '').map(([name, text, match]) => [`${name} ${text}`, match]);
}

function compareDigests(inFiles: number, inGatehouse: number): FieldResult {
  if (inFiles === inGatehouse) return FieldResult.equal;
  if (inGatehouse === 0) return FieldResult.onlyInFiles;
  return inFiles === 0 ? FieldResult.onlyInGatehouse : FieldResult.different;
}

/**
 * Gatehouse sets the times that the files do not contain.
 * @param canBeNewer true if the time grows when the customer uses Gatehouse
 */
function compareTimes(inFiles: number, inGatehouse: number, canBeNewer: boolean): FieldResult {
  if (Number.isNaN(inFiles) || inFiles === inGatehouse) return FieldResult.equal;
  if (Number.isNaN(inGatehouse)) return FieldResult.onlyInFiles;
  return canBeNewer && inGatehouse > inFiles ? FieldResult.equal : FieldResult.different;
}
