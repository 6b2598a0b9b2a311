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
import { readJson } from '../read-files.js';
import { CustomerDraft, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import {
  assertUsers,
  invalidRecord,
  leaveOutOthers,
  leaveOutText,
  parseJson,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
} from '../source-values.js';
import { reasons } from '../reasons.js';

/** The text that Firebase writes instead of a hash for an account that must not read hashes: `REDACTED` in base64. */
const REDACTED = 'UkVEQUNURUQ=';

/** Names of fields that are read, or that have no meaning outside of Firebase. */
const knownFields = new Set([
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'version', 'displayName', 'phoneNumber'],
  ...['disabled', 'customAttributes', 'providerUserInfo', 'createdAt', 'lastSignedInAt', 'lastLoginAt'],
  ...['passwordUpdatedAt', 'validSince', 'lastRefreshAt', 'tenantId', 'emailLinkSignin', 'mfaInfo'],
]);

/**
 * Reads the file of `firebase auth:export users.json`.
 * Sources: https://firebase.google.com/docs/cli/auth, and src/accountExporter.ts of firebase-tools
 */
export const firebase: ImportSource = {
  name: 'firebase',
  files: 'the JSON file of `firebase auth:export`',
  // Firebase does not document that its ids of Microsoft are the claim `sub`, which Gatehouse compares.
  providers: { 'google.com': 'google', 'github.com': 'github', 'apple.com': 'apple' },
  options: [
    {
      flags: '--hash-config <file>',
      description:
        'file with the password hash parameters of the Firebase project, as its console shows them',
    },
  ],
  read: readFirebase,
};

async function* readFirebase(
  files: readonly string[],
  { values }: SourceOptions,
): AsyncGenerator<SourceRecord> {
  const config = await readHashConfig(values['hashConfig']);
  yield* assertUsers(files, async function* () {
    for (const file of files)
      for await (const { position, value } of readJson(file, '$.users.*'))
        yield value ? convertFirebaseUser(position, value, config) : invalidRecord(position);
  });
}

async function readHashConfig(file: string | undefined): Promise<FirebaseHashConfig> {
  if (file === undefined)
    throw usageError(
      'The password hash parameters of the Firebase project are missing.',
      'Save them from the console of Firebase (Authentication, Users, ⋮) and add --hash-config <file>.',
    );
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  const config = parseHashConfig(text);
  if (typeof config === 'string') throw usageError(`${file} has no valid parameters: ${config}.`);
  return config;
}

/** Returns the parameters of a `hash_config` block or of the same fields as JSON, or the problem of the text. */
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

/** Returns a user of an export. */
export function convertFirebaseUser(
  position: string,
  user: JsonObject,
  config: FirebaseHashConfig,
): SourceRecord {
  const draft = new CustomerDraft();
  const sourceId = toText(user['localId']);
  draft.setId('localId', sourceId);
  draft.set('email', toText(user['email'])).set('emailVerified', user['emailVerified'] === true);
  draft.setFullName('displayName', toText(user['displayName']));
  setHash(draft, user, config);
  setProviders(draft, user);
  setMetadata(draft, user);
  leaveOutText(draft, 'phoneNumber', user['phoneNumber'], reasons.noPhone);
  const lastLoginAt = user['lastSignedInAt'] ?? user['lastLoginAt'];
  setTime(draft, 'createdAt', 'createdAt', user['createdAt']);
  setTime(draft, 'lastLoginAt', 'lastSignedInAt', lastLoginAt);
  if (user['disabled'] === true) setDisabled(draft, [lastLoginAt, user['createdAt']]);
  if (toObjects(user['mfaInfo']).length > 0) draft.leaveOut('mfaInfo', reasons.firebaseFactor);
  leaveOutOthers(draft, user, knownFields);
  return { position, sourceId: sourceId || null, customer: draft.finish(), leftOut: draft.leftOut };
}

function setHash(draft: CustomerDraft, user: JsonObject, config: FirebaseHashConfig): void {
  const text = toText(user['passwordHash']);
  if (text === '') return;
  const [hash, salt] = [toHash(decodeBase64(text)), decodeBase64(user['salt'])];
  if (text === REDACTED) draft.leaveOut('passwordHash', reasons.hashRedacted);
  // Version 0 is the scrypt of Firebase. Other hashes were imported into Firebase and not used since.
  else if ((user['version'] ?? 0) !== 0) draft.leaveOut('passwordHash', reasons.noFirebaseHash);
  else if (!hash || !salt) draft.leaveOut('passwordHash', reasons.hashNotBase64);
  else draft.setPasswordHash('passwordHash', firebaseScryptHash(config, salt, hash));
}

function setProviders(draft: CustomerDraft, user: JsonObject): void {
  const identities = [];
  for (const info of toObjects(user['providerUserInfo'])) {
    const [provider, subject] = [toText(info['providerId']), toText(info['rawId'])];
    if (provider === 'password' || provider === 'phone') continue;
    if (provider.startsWith('saml.')) draft.leaveOut('providerUserInfo', reasons.noSaml);
    else if (provider === '' || subject === '') draft.leaveOut('providerUserInfo', reasons.identityWithoutId);
    else identities.push({ provider, subject });
  }
  setIdentities(draft, identities);
}

function setMetadata(draft: CustomerDraft, user: JsonObject): void {
  const text = toText(user['customAttributes']);
  const claims = text === '' ? {} : toObject(parseJson(text));
  if (!claims) draft.leaveOut('customAttributes', reasons.customClaimsNotObject);
  draft.setMetadata('metadata', 'customAttributes', claims ?? {});
}
