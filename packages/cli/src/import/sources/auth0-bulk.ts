import { toObject, type JsonObject } from '../../json-object.js';
import { decodeBase64, decodeHex, scryptHash } from '../password-hashes.js';
import { reasons } from '../reasons.js';
import { toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import type { Passwords } from './auth0-identities.js';
import { convertAuth0User } from './auth0-user.js';

/** User export fields that are not in the bulk import schema. */
const EXPORTED = [
  'identities',
  'logins_count',
  'last_login',
  'last_ip',
  'created_at',
  'updated_at',
  'multifactor',
];

/** Returns true if a user is from a bulk import file. The ids in such a file have no prefix: Auth0 adds `auth0|`. */
export function isBulkUser(user: JsonObject | null): user is JsonObject {
  const id = toText(user?.['user_id']);
  return user !== null && id !== '' && !id.includes('|') && EXPORTED.every((name) => !(name in user));
}

/** The values from the files that are not part of the user's record. */
interface BulkFiles {
  /** The hashes in the password export. The conversion removes the user's hash. */
  passwords: Passwords;
  /** The fields that no user in the files has. */
  missing: ReadonlySet<string>;
  /** Returns true if a user in the files has a password. */
  hasPasswords: () => Promise<boolean>;
}

/**
 * Converts a user in a bulk import file, such as the files that `gatehouse customers export --to auth0` writes
 * (https://auth0.com/docs/manage-users/user-migration/bulk-user-import-database-schema-and-examples).
 */
export async function convertBulkUser(
  position: string,
  user: JsonObject,
  { passwords, missing, hasPasswords }: BulkFiles,
): Promise<SourceRecord> {
  const { password_hash: bcrypt, custom_password_hash: custom, ...others } = user;
  const id = toText(user['user_id']);
  const hash = toText(bcrypt) || readCustomHash(toObject(custom) ?? {});
  const exported = passwords.get(id);
  if (hash) passwords.set(id, hash);
  // The bulk import schema has no accounts with providers, and its other fields have default values.
  const record = convertAuth0User(
    position,
    { identities: [], ...others, user_id: `auth0|${id}` },
    passwords,
    missing.has('blocked') ? ONLY_BAN : undefined,
  );
  if (hash && exported && exported !== hash)
    record.leftOut.push({ field: 'passwordHash', ...reasons.otherRow });
  if (custom && hash === null)
    record.leftOut.push({ field: 'custom_password_hash', ...reasons.hashAlgorithm });
  // If the files contain passwords at all, a user without one has none in Auth0 either.
  if (hash || exported || !(await hasPasswords())) return record;
  return { ...record, leftOut: record.leftOut.filter(({ field }) => field !== 'passwordHash') };
}

const ONLY_BAN: ReadonlySet<string> = new Set(['blocked']);

/** Returns a hash in the format that Gatehouse accepts, or null if it does not accept the algorithm. */
function readCustomHash(custom: JsonObject): string | null {
  const [hash, salt] = [toObject(custom['hash']), toObject(custom['salt'])];
  const value = toText(hash?.['value']);
  // Auth0 adds a separate salt to the password before it computes these hashes.
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
