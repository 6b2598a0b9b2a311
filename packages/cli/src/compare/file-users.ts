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

/** The result for one user field. */
export const FieldResult = { equal: 0, onlyInFiles: 1, onlyInGatehouse: 2, different: 3 } as const;
export type FieldResult = (typeof FieldResult)[keyof typeof FieldResult];

/** The values by which a customer can match a user, from the weakest to the strongest. */
const Match = { none: 0, email: 1, id: 2, externalId: 3 } as const;

/** A customer in Gatehouse that is not in the files. */
export type UnmatchedCustomer = Pick<ExportedCustomer, 'id' | 'email'>;

/**
 * The users in the files, in constant memory per user: 8 hash bytes for each id, 4 bytes for each value, 8 bytes for
 * each time, and the comparison results. A user is identified by the record's number, counted from 0.
 */
export class FileUsers {
  count = 0;
  private readonly index = new KeyIndex();
  private readonly digests = new GrowingArray(Uint32Array, VALUE_FIELDS.length);
  private readonly times = new GrowingArray(Float64Array, TIME_FIELDS.length);
  private readonly matches = new GrowingArray(Uint8Array, 1);
  private readonly results = new GrowingArray(Uint8Array, FIELDS.length);
  /** For each user that matches only by email address, the customer. A match by id replaces it. */
  private readonly weak = new Map<number, UnmatchedCustomer>();

  /** @param withSecrets true if the customers in Gatehouse contain password hashes and TOTP secrets */
  constructor(private readonly withSecrets: boolean) {}

  /** Adds the next user in the files. */
  add(customer: ImportedCustomer): void {
    const user = this.count;
    this.count += 1;
    for (const [key] of keysOf(customer)) this.index.add(key, user);
    const { digests, times } = toValues(customer);
    this.digests.push(digests);
    this.times.push(times);
    this.matches.push([Match.none]);
    this.results.push(FIELDS.map(() => FieldResult.equal));
  }

  /**
   * Compares a customer in Gatehouse with the user in the files that has the same `externalId`, otherwise `id`,
   * otherwise email address.
   * @returns the customer that turns out not to be in the files: this one, the one that it replaces, or null
   */
  compare(customer: ExportedCustomer): UnmatchedCustomer | null {
    for (const [key, match] of keysOf(customer)) {
      const user = this.index.find(key);
      if (user === null || this.matches.get(user, 0) >= match) continue;
      const replaced = this.weak.get(user) ?? null;
      this.matches.set(user, 0, match);
      if (match === Match.email) this.weak.set(user, { id: customer.id, email: customer.email });
      else this.weak.delete(user);
      this.setResults(user, toValues(customer));
      return replaced;
    }
    return customer;
  }

  /** Returns true if a customer matches the user. */
  isInGatehouse(user: number): boolean {
    return this.matches.get(user, 0) !== Match.none;
  }

  /** Returns the fields in which a user differs. */
  listDifferences(user: number): { field: string; result: FieldResult }[] {
    return FIELDS.map((field, index) => ({
      field,
      result: this.results.get(user, index) as FieldResult,
    })).filter(({ result }) => result !== FieldResult.equal);
  }

  private setResults(user: number, { digests, times }: CustomerValues): void {
    for (const [index, field] of VALUE_FIELDS.entries())
      if (this.withSecrets || !SECRET_FIELDS.has(field))
        this.results.set(user, index, compareDigests(this.digests.get(user, index), digests[index]!));
    for (const [index, field] of TIME_FIELDS.entries())
      this.results.set(
        user,
        VALUE_FIELDS.length + index,
        compareTimes(this.times.get(user, index), times[index]!, field !== 'createdAt'),
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
 * Compares times. A time that the files do not contain counts as equal, because Gatehouse has set it.
 * @param canBeNewer true if the time advances when the customer uses Gatehouse
 */
function compareTimes(inFiles: number, inGatehouse: number, canBeNewer: boolean): FieldResult {
  if (Number.isNaN(inFiles) || inFiles === inGatehouse) return FieldResult.equal;
  if (Number.isNaN(inGatehouse)) return FieldResult.onlyInFiles;
  return canBeNewer && inGatehouse > inFiles ? FieldResult.equal : FieldResult.different;
}
