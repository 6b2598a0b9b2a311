import { toObject, type JsonObject } from '../../json-object.js';
import { decodeBase64, decodeHex, scryptHash } from '../password-hashes.js';
import { reasons } from '../reasons.js';
import { toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';

/** Converts a user of the user export. */
type Convert = (position: string, user: JsonObject, passwords: Map<string, string>) => SourceRecord;

/** Returns whether a user is one of a bulk import file: Auth0 adds the prefix `auth0|` to its id. */
export const isBulkUser = (user: JsonObject | null): user is JsonObject =>
  user !== null && toText(user['user_id']) !== '' && !toText(user['user_id']).includes('|');

/**
 * Converts a user of a bulk import file, such as `gatehouse customers export --to auth0` writes
 * (https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples).
 */
export function convertBulkUser(position: string, user: JsonObject, convert: Convert): SourceRecord {
  const { password_hash: bcrypt, custom_password_hash: custom, ...others } = user;
  const id = toText(user['user_id']);
  const hash = toText(bcrypt) || readCustomHash(toObject(custom) ?? {});
  const passwords = new Map(hash === null || hash === '' ? [] : [[id, hash]]);
  // The schema of bulk imports has no accounts at providers.
  const record = convert(position, { identities: [], ...others, user_id: `auth0|${id}` }, passwords);
  if (hash) return record;
  // A user without a password has none in Auth0 either.
  const leftOut = record.leftOut.filter(({ field }) => field !== 'passwordHash');
  if (custom) leftOut.push({ field: 'custom_password_hash', ...reasons.hashAlgorithm });
  return { ...record, leftOut };
}

/** Returns the text form of a hash, or null for an algorithm that Gatehouse does not accept. */
function readCustomHash(custom: JsonObject): string | null {
  const [hash, salt] = [toObject(custom['hash']), toObject(custom['salt'])];
  const value = toText(hash?.['value']);
  // A salt beside these hashes would be added to the password.
  if (['bcrypt', 'argon2', 'pbkdf2'].includes(toText(custom['algorithm']))) return salt ? null : value;
  if (custom['algorithm'] !== 'scrypt') return null;
  const [bytes, saltBytes] = [decode(hash), decode(salt)];
  const { cost = 16_384, blockSize = 8, parallelization = 1 } = custom;
  const ln = Math.log2(Number(cost));
  if (!bytes || !saltBytes || !Number.isInteger(ln)) return null;
  return scryptHash({ ln, r: Number(blockSize), p: Number(parallelization) }, saltBytes, bytes);
}

function decode(part: JsonObject | null): Buffer | null {
  const { value, encoding } = part ?? {};
  if (encoding === 'base64') return decodeBase64(value);
  if (encoding === 'hex') return decodeHex(value);
  return typeof value === 'string' ? Buffer.from(value) : null;
}
