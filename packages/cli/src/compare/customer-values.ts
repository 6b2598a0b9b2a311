import type { ExportedCustomer, ImportedCustomer } from '@gatehouse/server';
import { toObject, type JsonObject } from '../json-object.js';
import { normalizeName, toText } from '../import/source-fields.js';
import { toObjects } from '../import/source-values.js';
import { epochToMs, parseTime } from '../parse-time.js';
import { toDigest } from '../key-index.js';

/** The fields that are compared by their values. */
export const VALUE_FIELDS = [
  'email',
  'emailVerified',
  'firstName',
  'lastName',
  'externalId',
  'locale',
  'imageUrl',
  'metadata',
  'publicMetadata',
  'mfa',
  'disabledAt',
  'identities',
  'passkeys',
  'password',
  'totpSecret',
] as const;

/** The fields that are compared as times. */
export const TIME_FIELDS = ['createdAt', 'updatedAt', 'lastLoginAt'] as const;

/** The fields that are only in exports with hashes. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set(['password', 'totpSecret']);

/** A customer in the files or in Gatehouse. */
export type Customer = ImportedCustomer | ExportedCustomer;

/** The values of a customer that a comparison keeps in memory. */
export interface CustomerValues {
  /** Digest of each value field; 0 if it has no value. */
  digests: number[];
  /** Each time field in ms since 1970; NaN if it has no time. */
  times: number[];
}

/** Returns an email address as Gatehouse stores it. */
export const normalizeEmail = (email: unknown): string =>
  toText(email).replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns a customer's values in normalized form, so that equivalent values are equal. */
export function toValues(customer: Customer): CustomerValues {
  return {
    digests: VALUE_FIELDS.map((field) => {
      const text = toComparable(field, customer);
      return text === '' ? 0 : toDigest(text);
    }),
    times: TIME_FIELDS.map((field) => toMs(customer[field])),
  };
}

/** Returns a string that is the same for equivalent values, and empty if the field has no value. */
function toComparable(field: (typeof VALUE_FIELDS)[number], customer: Customer): string {
  switch (field) {
    case 'email':
      return normalizeEmail(customer.email);
    case 'emailVerified':
      return customer.emailVerified === true ? 'true' : '';
    case 'firstName':
    case 'lastName':
      return normalizeName(toText(customer[field]));
    case 'mfa':
      return customer.mfa === 'required' ? 'required' : '';
    // Compared without the time, because most systems do not export the time at which a user was disabled.
    case 'disabledAt':
      return customer.disabledAt ? 'true' : '';
    case 'locale':
      return toLocale(toText(customer.locale));
    case 'metadata':
    case 'publicMetadata':
      return toMetadata(toObject(customer[field]) ?? {});
    case 'identities':
      return toSorted(customer.identities, ['provider', 'subject']);
    case 'passkeys':
      return toSorted(customer.passkeys, ['credentialId']);
    // Only its presence is compared, because the next sign-in replaces a hash from another system.
    case 'password':
      return customer.passwordHash || ('password' in customer && customer.password) ? 'true' : '';
    case 'totpSecret':
      return toText(customer.totpSecret)
        .replace(/[\s=-]/g, '')
        .toUpperCase();
    case 'externalId':
    case 'imageUrl':
      return toText(customer[field]);
  }
}

/** Returns the items of a list in alphabetical order. In Gatehouse's own format, `items` can be any value. */
const toSorted = (items: unknown, names: readonly string[]): string =>
  toObjects(items)
    .map((item) => names.map((name) => toText(item[name])).join(' '))
    .sort()
    .join('\n');

function toMetadata(metadata: JsonObject): string {
  const text = JSON.stringify(sortKeys(metadata));
  return text === '{}' ? '' : text;
}

/** Returns the value with object keys in alphabetical order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  const object = toObject(value);
  if (!object) return value;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sortKeys(object[key])]),
  );
}

function toLocale(locale: string): string {
  try {
    return locale && Intl.getCanonicalLocales(locale)[0]!;
  } catch {
    return locale;
  }
}

/** Returns a time in ms since 1970, or NaN. The units for numbers are the same as in imports (docs/imports.md). */
function toMs(time: unknown): number {
  const text = toText(time);
  return /^\d{1,17}$/.test(text) ? epochToMs(Number(text)) : parseTime(text);
}
