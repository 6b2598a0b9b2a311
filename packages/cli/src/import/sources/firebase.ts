import { readFile } from 'node:fs/promises';
import { usageError } from '../../cli-error.js';
import { toObject, type JsonObject } from '../../json-object.js';
import {
  decodeBase64,
  firebaseScryptHash,
  readPositiveInteger,
  toHash,
  type FirebaseHashConfig,
} from '../password-hashes.js';
import { NO_OPENID, OTHER_IDS, withReason } from '../unusable-providers.js';
import { readDocuments } from '../read-documents.js';
import { isCsv, type FileRecord } from '../read-files.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, LeftOut, SourceOptions, SourceRecord } from '../source.js';
import {
  assertUsers,
  invalidRecord,
  isSet,
  leaveOutOthers,
  leaveOutText,
  parseJson,
  readObjectList,
  readString,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
} from '../source-values.js';
import { readBoolean, readFlag, readVerified } from '../read-boolean.js';
import { reasons } from '../reasons.js';
import { unknown } from '../unknown-reasons.js';
import { readFirebaseCsv, type CsvUser } from './firebase-csv.js';
import { firebaseReasons } from './firebase-reasons.js';

/** `REDACTED` in base64, which Firebase exports instead of a hash if the exporting account may not read hashes. */
const REDACTED = 'UkVEQUNURUQ=';

/** Fields that are read, or that have no meaning outside Firebase. */
const knownFields = new Set([
  ...[
    'localId',
    'email',
    'emailVerified',
    'passwordHash',
    'salt',
    'version',
    'displayName',
    'phoneNumber',
    'photoUrl',
  ],
  ...['disabled', 'customAttributes', 'providerUserInfo', 'createdAt', 'lastSignedInAt', 'lastLoginAt'],
  ...['passwordUpdatedAt', 'validSince', 'lastRefreshAt', 'tenantId', 'emailLinkSignin', 'mfaInfo'],
]);

/**
 * Reads the files from `firebase auth:export`. Sources: https://firebase.google.com/docs/cli/auth, and
 * src/accountExporter.ts in firebase-tools
 */
export const firebase: ImportSource = {
  name: 'firebase',
  files: 'the JSON or CSV file of `firebase auth:export`',
  // Firebase does not document that its Microsoft ids are the `sub` claim, which Gatehouse compares.
  providers: { 'google.com': 'google', 'github.com': 'github', 'apple.com': 'apple' },
  unusableProviders: {
    'microsoft.com': OTHER_IDS,
    saml: reasons.noSaml,
    ...withReason(NO_OPENID, ['facebook.com', 'gc.apple.com', 'playgames.google.com', 'twitter.com']),
  },
  options: [
    {
      flags: '--hash-config <file>',
      description:
        "file with the Firebase project's password hash parameters, as shown in the Firebase console",
    },
  ],
  read: readFirebase,
};

async function* readFirebase(
  files: readonly string[],
  { values }: SourceOptions,
): AsyncGenerator<SourceRecord> {
  const { hashConfig } = values;
  const config = hashConfig === undefined ? null : await readHashConfig(hashConfig);
  // Without the parameters, all passwords in the files would be lost.
  if (!config) await assertNoHashes(files);
  yield* assertUsers(files, async function* () {
    for (const file of files)
      for await (const { position, value } of readUsers(file)) {
        const { user, leftOut } = value;
        if (user) yield convertFirebaseUser(position, user, config, leftOut);
        else if (isCsv(file)) yield notImported(position, null, '', firebaseReasons.invalidRow);
        else yield invalidRecord(position);
      }
  });
}

async function* readUsers(file: string): AsyncGenerator<FileRecord<CsvUser>> {
  if (isCsv(file)) yield* readFirebaseCsv(file);
  else
    for await (const { position, value } of readDocuments(file, ['$.users.*']))
      yield { position, value: { user: toObject(value), leftOut: [] } };
}

/** Checks that no password hash needs the parameters. @throws CliError if a user has a password hash */
async function assertNoHashes(files: readonly string[]): Promise<void> {
  for (const file of files)
    for await (const { value } of readUsers(file))
      if (toText(value.user?.['passwordHash']) !== '')
        throw usageError(
          "The Firebase project's password hash parameters are missing.",
          'Save them from the Firebase console (Authentication, Users, ⋮) and add --hash-config <file>.',
        );
}

async function readHashConfig(file: string): Promise<FirebaseHashConfig> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  const config = parseHashConfig(text);
  if (typeof config === 'string') throw usageError(`${file} has no valid parameters: ${config}.`);
  return config;
}

/**
 * Parses the parameters in a `hash_config` block or in JSON with the same fields. Returns the problem as a string if
 * they are invalid.
 */
export function parseHashConfig(text: string): FirebaseHashConfig | string {
  const fields = new Map(
    [...text.matchAll(/"?(\w+)"?\s*:\s*"?([^\s",{}]+)/g)].map(([, name, value]) => [name, value]),
  );
  const algorithm = fields.get('algorithm');
  if (algorithm !== 'SCRYPT') return 'algorithm must be SCRYPT, the algorithm of Firebase';
  const [signerKey, saltSeparator] = ['base64_signer_key', 'base64_salt_separator'].map((name) =>
    decodeBase64(fields.get(name)),
  );
  const [rounds, memoryCost] = ['rounds', 'mem_cost'].map((name) => readPositiveInteger(fields.get(name)));
  if (!signerKey || !saltSeparator)
    return 'base64_signer_key or base64_salt_separator is missing or not base64';
  if (!rounds || !memoryCost) return 'rounds or mem_cost is missing or not a positive integer';
  return { signerKey, saltSeparator, rounds, memoryCost };
}

/**
 * Converts a user in an export.
 * @param config the hash parameters; null if the files contain no hashes
 * @param unstated the values of the user that the file does not state
 */
export function convertFirebaseUser(
  position: string,
  user: JsonObject,
  config: FirebaseHashConfig | null,
  unstated: readonly LeftOut[] = [],
): SourceRecord {
  const sourceId = toText(user['localId']);
  const isDisabled = readBoolean(user['disabled']);
  if (isDisabled === null) return notImported(position, sourceId || null, 'disabled', unknown.ban);
  const draft = new CustomerDraft();
  draft.setId('localId', sourceId);
  draft.set('email', toText(user['email']));
  setVerified(draft, user);
  draft.setFullName('displayName', readString(draft, 'displayName', user['displayName']));
  draft.setImage('photoUrl', readString(draft, 'photoUrl', user['photoUrl']));
  setHash(draft, user, config);
  setProviders(draft, user);
  setMetadata(draft, user);
  leaveOutText(draft, 'phoneNumber', user['phoneNumber'], reasons.noPhone);
  const lastLoginAt = user['lastSignedInAt'] ?? user['lastLoginAt'];
  setTime(draft, 'createdAt', 'createdAt', user['createdAt']);
  setTime(draft, 'lastLoginAt', 'lastSignedInAt', lastLoginAt);
  if (isDisabled) setDisabled(draft, [lastLoginAt, user['createdAt']]);
  if (isSet(user['mfaInfo'])) draft.leaveOut('mfaInfo', reasons.firebaseFactor);
  leaveOutText(draft, 'tenantId', user['tenantId'], firebaseReasons.noTenants);
  leaveOutOthers(draft, user, knownFields);
  for (const { field, ...reason } of unstated)
    if (field === 'disabled') draft.leaveOutBan(field, reason);
    else draft.leaveOut(field, reason);
  return draft.toRecord(position, sourceId);
}

/** Sets whether the email address is verified. A SAML provider can set any address for its users. */
function setVerified(draft: CustomerDraft, user: JsonObject): void {
  const isVerified = readVerified(draft, 'emailVerified', user['emailVerified']);
  const hasSaml = toObjects(user['providerUserInfo']).some(({ providerId }) => isSaml(toText(providerId)));
  draft.set('emailVerified', isVerified && !hasSaml);
  if (isVerified && hasSaml) draft.leaveOut('emailVerified', reasons.companyAddress);
}

const isSaml = (provider: string): boolean => provider.toLowerCase().startsWith('saml.');

function setHash(draft: CustomerDraft, user: JsonObject, config: FirebaseHashConfig | null): void {
  const text = readString(draft, 'passwordHash', user['passwordHash']);
  if (text === '' || !config) return;
  const [hash, salt] = [toHash(decodeBase64(text)), decodeBase64(user['salt'])];
  if (text === REDACTED) draft.leaveOut('passwordHash', reasons.hashRedacted);
  // Version 0 is Firebase's scrypt. Other hashes were imported into Firebase and have not been used since.
  else if ((user['version'] ?? 0) !== 0) draft.leaveOut('passwordHash', reasons.noFirebaseHash);
  else if (!hash || !salt) draft.leaveOut('passwordHash', reasons.hashNotBase64);
  else draft.setPasswordHash('passwordHash', firebaseScryptHash(config, salt, hash));
}

function setProviders(draft: CustomerDraft, user: JsonObject): void {
  const identities = [];
  const accounts = readObjectList(draft, 'providerUserInfo', user['providerUserInfo']);
  // The Firebase CLI omits accounts with OpenID and SAML providers, and hashes that Firebase has never verified.
  const hasMethod =
    ['passwordHash', 'phoneNumber'].some((name) => toText(user[name]) !== '') ||
    readFlag(draft, 'emailLinkSignin', user['emailLinkSignin']);
  if (accounts.length === 0 && !hasMethod) draft.leaveOut('providerUserInfo', firebaseReasons.noMethod);
  for (const info of accounts) {
    const [provider, subject] = [toText(info['providerId']), toText(info['rawId'])];
    if (provider === 'password' || provider === 'phone') continue;
    if (isSaml(provider)) draft.leaveOut('providerUserInfo', reasons.noSaml);
    else if (provider === '' || subject === '') draft.leaveOut('providerUserInfo', reasons.identityWithoutId);
    else identities.push({ provider, subject });
  }
  setIdentities(draft, identities);
}

function setMetadata(draft: CustomerDraft, user: JsonObject): void {
  const value = user['customAttributes'];
  const claims = toObject(typeof value === 'string' && value.trim() !== '' ? parseJson(value) : value || {});
  if (!claims) draft.leaveOut('customAttributes', reasons.customClaimsNotObject);
  draft.setMetadata('metadata', 'customAttributes', claims ?? {});
}
