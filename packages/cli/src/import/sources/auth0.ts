import { usageError } from '../../cli-error.js';
import { toObject } from '../../json-object.js';
import { addId, assertSameUsers, type CompanionFile } from '../companion-files.js';
import { isCsv } from '../read-files.js';
import { matchText } from '../match-text.js';
import { readUserObjects } from '../read-user-objects.js';
import { reasons } from '../reasons.js';
import { notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import { convertBulkUser, isBulkUser } from './auth0-bulk.js';
import { unusableProviders, passwordIds, type Passwords } from './auth0-identities.js';
import { convertAuth0User, requiredFields } from './auth0-user.js';

const NO_PASSWORDS = 'No file is a password export: customers with a password are imported without it.';

/**
 * Reads Auth0 users: the user export (https://auth0.com/docs/manage-users/user-migration/bulk-user-exports) with the
 * fields in https://auth0.com/docs/manage-users/user-accounts/user-profiles/user-profile-structure, and the password
 * export from Auth0 support
 * (https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0).
 */
export const auth0: ImportSource = {
  name: 'auth0',
  files: 'the user export, and the password export from Auth0 support, both with one JSON object per line',
  providers: {
    'google-oauth2': 'google',
    github: 'github',
    apple: 'apple',
    discord: 'discord',
    gitlab: 'gitlab',
  },
  unusableProviders,
  read: readAuth0,
};

async function* readAuth0(files: readonly string[], { note }: SourceOptions): AsyncGenerator<SourceRecord> {
  const kinds = await Promise.all(files.map(async (file) => ({ file, isUsers: await isUserExport(file) })));
  const userFiles = kinds.filter(({ isUsers }) => isUsers).map(({ file }) => file);
  if (userFiles.length === 0)
    throw usageError('None of the files is a user export, in which every line has user_id.');
  const passwords: Passwords = new Map();
  const companions: CompanionFile[] = [];
  for (const { file, isUsers } of kinds) {
    if (isUsers) continue;
    const ids = new Set<string>();
    companions.push({ file, ids });
    yield* readPasswords(file, passwords, ids);
  }
  await assertSameUsers(companions, () => readPasswordIds(userFiles));
  const missing = await findMissingFields(userFiles);
  let hashes: Promise<boolean> | null = null;
  const hasPasswords = (): Promise<boolean> => (hashes ??= hasBulkPasswords(userFiles));
  const totals = { stated: 0, read: 0 };
  let isNoted = companions.length > 0;
  for (const file of userFiles)
    for await (const { position, value } of readUserObjects(file, totals))
      if (isBulkUser(value))
        yield await convertBulkUser(position, value, { passwords, missing, hasPasswords });
      else {
        if (!isNoted) await note?.(NO_PASSWORDS);
        isNoted = true;
        yield convertAuth0User(position, value, passwords, missing);
      }
  if (totals.stated > totals.read) yield notImported('', null, 'total', reasons.missingPages);
  for (const id of passwords.keys()) yield notImported('', id, 'passwordHash', reasons.unmatchedPassword);
}

/** Returns true for a user export, and false for a password export. @throws CliError for any other file */
async function isUserExport(file: string): Promise<boolean> {
  if (isCsv(file))
    throw usageError(
      `${file} is a CSV file, which does not contain all provider accounts and all metadata.`,
      'Create the user export with the format json.',
    );
  for await (const { value } of readUserObjects(file)) {
    if (value && 'user_id' in value) return true;
    if (value && '_id' in value) return false;
    if (value) break;
  }
  throw usageError(
    `${file} is neither a user export nor a password export from Auth0.`,
    'Use files whose lines have user_id (users), or _id and passwordHash (passwords).',
  );
}

const PASSWORD_FIELDS = ['password_hash', 'custom_password_hash'];

const hasBulkPasswords = async (files: readonly string[]): Promise<boolean> =>
  (await findFields(files, PASSWORD_FIELDS, 1)).size > 0;

/**
 * Returns the required fields that no user in the files has. Auth0 exports a field only if it was selected, and only
 * for users that have a value.
 */
async function findMissingFields(files: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await findFields(files, requiredFields, requiredFields.length);
  return new Set(requiredFields.filter((name) => !found.has(name)));
}

/** Returns the fields that at least one user in the files has. @param count the number of fields after which to stop */
async function findFields(
  files: readonly string[],
  names: readonly string[],
  count: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const file of files) {
    // The search also finds fields of nested objects.
    const candidates = await findNames(
      file,
      names.filter((name) => !found.has(name)),
    );
    if (candidates.size === 0) continue;
    for await (const { value } of readUserObjects(file)) {
      for (const name of candidates)
        if (value && name in value) {
          found.add(name);
          candidates.delete(name);
        }
      if (candidates.size === 0 || found.size >= count) break;
    }
    if (found.size >= count) break;
  }
  return found;
}

/** Returns the field names that occur anywhere in a file, without parsing it. */
async function findNames(file: string, names: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const [, name] of matchText(file, new RegExp(`"(${names.join('|')})"\\s{0,99}:`, 'g'))) {
    found.add(name!);
    if (found.size === names.length) break;
  }
  return found;
}

/**
 * Adds the passwords and the first ids of a file. Yields a report for each row without a password or an id, and for
 * each further row of a user with a different hash.
 */
async function* readPasswords(
  file: string,
  passwords: Passwords,
  ids: Set<string>,
): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readUserObjects(file)) {
    const id = toText(value?.['alt_id']) || toText(toObject(value?.['_id'])?.['$oid']);
    const hash = toText(value?.['passwordHash']);
    if (id) addId(ids, id);
    if (id && hash && (passwords.get(id) ?? hash) !== hash)
      yield notImported(position, id, 'passwordHash', reasons.otherRow);
    else if (id && hash) passwords.set(id, hash);
    else yield notImported(position, id || null, 'passwordHash', reasons.invalidRecord);
  }
}

async function* readPasswordIds(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files)
    for await (const { value } of readUserObjects(file)) if (value) yield* passwordIds(value);
}
