import { toObject, type JsonObject } from '../../json-object.js';
import { NO_OPENID, OTHER_IDS, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { EXPORT_AGAIN, reasons, STORE_ELSEWHERE, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  invalidRecord,
  leaveOutOthers,
  isAbsent,
  leaveOutText,
  parseJson,
  readString,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
} from '../source-values.js';
import { assertOneTenant, findTables, readTable, requireTable, type TableShape } from '../tables.js';
import { unknown } from '../unknown-reasons.js';
import { convertLegacyHash } from './logto-hash.js';

type Table = 'users' | 'passwords';

const ownReasons = {
  missingPassword: {
    reason: 'The user has a password, but the files do not contain it',
    remedy:
      'Also pass the CSV file with the passwords from the users table to the command, or send the customer a password reset',
  },
  otherName: {
    reason: 'The user has a given or family name, so a full name that differs is left out',
    remedy: STORE_ELSEWHERE,
  },
  unsalted: {
    reason: 'The password hash has no salt, so it is not accepted',
    remedy: 'Send the customer a password reset, or let them sign in with an email code',
  },
  samePassword: {
    reason: 'The files contain another row of passwords with this id, which is used instead',
    remedy: 'Remove the wrong row, and run the command again',
  },
  emptyCell: {
    reason: 'Logto always stores this value, but it is missing from the files, so its content is unknown',
    remedy: EXPORT_AGAIN,
  },
  noFactors: {
    reason:
      'The files do not contain mfa_verifications, so it is unknown whether the user has a second factor',
    remedy:
      'Add the column mfa_verifications of the users table to the passwords file, and run the command again',
  },
  noSsoAccounts: {
    reason:
      'The files do not contain ssoIdentities, so it is unknown whether the user has single sign-on accounts',
    remedy: 'Add the column sso_identities as docs/moving-in/logto.md describes, and run the command again',
  },
} satisfies Record<string, Reason>;

/** Columns that every export should contain, with the reason to report if one is missing. */
const requiredColumns: readonly [name: string, reason: Reason][] = [
  ['isSuspended', unknown.banColumn],
  ['identities', unknown.column],
  ['ssoIdentities', ownReasons.noSsoAccounts],
  ['mfaVerifications', ownReasons.noFactors],
  ['customData', unknown.column],
];

/** Columns that are never empty in Logto, so an empty cell means that the value was lost. */
const NOT_NULL = new Set(['identities', 'mfaVerifications', 'customData']);

/** Columns whose values in the file with the passwords take precedence. */
const passwordColumns = [
  ...['passwordEncrypted', 'passwordEncryptionMethod', 'isPasswordExpired', 'mfaVerifications'],
];

const shapes: readonly TableShape<Table>[] = [
  { name: 'users', columns: ['id', 'primaryEmail'] },
  { name: 'passwords', columns: ['id', 'passwordEncrypted'] },
];

const knownColumns = new Set([
  ...[
    'id',
    'tenantId',
    'username',
    'primaryEmail',
    'primaryPhone',
    'name',
    'avatar',
    'profile',
    'customData',
  ],
  ...['passwordEncrypted', 'passwordEncryptionMethod', 'hasPassword', 'mfaVerifications', 'isSuspended'],
  ...[
    'identities',
    'ssoIdentities',
    'lastSignInAt',
    'createdAt',
    'updatedAt',
    'applicationId',
    'logtoConfig',
  ],
  ...['passwordDigest', 'passwordAlgorithm', 'isPasswordExpired', 'passwordUpdatedAt'],
]);

/** Entries of `profile` that become customer fields. */
const PROFILE_NAMES = new Set(['givenName', 'familyName', 'locale']);

/**
 * Reads Logto users: JSON from the Management API (https://openapi.logto.io/operation/operation-listusers), or the
 * database table `users`, the only source of passwords and authenticator apps
 * (https://docs.logto.io/user-management/user-data).
 */
export const logto: ImportSource = {
  name: 'logto',
  files:
    'users as JSON from the Management API or as CSV from the table users, and passwords as CSV from this table',
  providers: { google: 'google', github: 'github', apple: 'apple', discord: 'discord', gitlab: 'gitlab' },
  unusableProviders: {
    // This connector stores ids from Microsoft Graph.
    azuread: OTHER_IDS,
    ...withReason(NO_OPENID, [...SOCIAL_WITHOUT_OPENID, 'alipay', 'qq', 'wechat', 'weibo']),
  },
  async *read(files) {
    const tables = await findTables(files, shapes, 'logto');
    requireTable(tables, 'users');
    const allFiles = tables.map(({ file }) => file);
    await assertOneTenant(allFiles, 'tenantId', knownColumns);
    const secrets = new Map<string, JsonObject>();
    for (const { file, table } of tables) {
      if (table !== 'passwords') continue;
      for await (const { position, value } of readTable(file, knownColumns)) {
        const id = toText(value?.['id']);
        if (!value || !id) yield invalidRecord(position);
        else if (secrets.has(id))
          yield notImported(position, id, 'passwordEncrypted', ownReasons.samePassword);
        else secrets.set(id, value);
      }
    }
    for (const { file, table } of tables) {
      if (table !== 'users') continue;
      for await (const { position, value } of readTable(file, knownColumns))
        yield value ? convertUser(position, value, secrets) : invalidRecord(position);
    }
    for (const id of secrets.keys()) yield notImported('', id, 'id', reasons.unmatchedPassword);
  },
};

function convertUser(position: string, row: JsonObject, secrets: Map<string, JsonObject>): SourceRecord {
  const id = toText(row['id']);
  if (!id) return invalidRecord(position);
  const user = addSecrets(row, secrets.get(id) ?? {});
  secrets.delete(id);
  const isSuspended = parseBoolean(user['isSuspended']);
  if (isSuspended === null) return notImported(position, id, 'isSuspended', unknown.ban);
  const draft = new CustomerDraft()
    .setId('id', id)
    .set('email', toText(user['primaryEmail']))
    // Logto stores an email address only after it was verified, and always issues `email_verified: true`.
    .set('emailVerified', toText(user['primaryEmail']) !== '');
  setTime(draft, 'createdAt', 'createdAt', user['createdAt']);
  setTime(draft, 'updatedAt', 'updatedAt', user['updatedAt']);
  setTime(draft, 'lastLoginAt', 'lastSignInAt', user['lastSignInAt']);
  setProfile(draft, user);
  setPassword(draft, user);
  setFactors(draft, user);
  setAccounts(draft, user);
  if (isSuspended) setDisabled(draft, [user['updatedAt'], user['createdAt']]);
  // The column is not nullable, so an empty cell means that the value was lost.
  else if (isSuspended === undefined && 'isSuspended' in user)
    draft.leaveOutBan('isSuspended', unknown.banState);
  for (const [name, reason] of requiredColumns)
    if (name in user) {
      if (user[name] === null && NOT_NULL.has(name)) draft.leaveOut(name, ownReasons.emptyCell);
    } else if (name === 'isSuspended') draft.leaveOutBan(name, reason);
    else draft.leaveOut(name, reason);
  leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  leaveOutText(draft, 'primaryPhone', user['primaryPhone'], reasons.noPhone);
  leaveOutOthers(draft, user, knownColumns);
  return draft.toRecord(position, id);
}

/**
 * Adds columns from the file with the passwords to a user: the non-empty secrets, and the columns that the user lacks.
 * An empty cell in that file must not remove a ban.
 */
function addSecrets(row: JsonObject, secrets: JsonObject): JsonObject {
  const found = passwordColumns
    .map((name) => [name, secrets[name] ?? null] as const)
    .filter(([, value]) => value !== null);
  return { ...secrets, ...row, ...Object.fromEntries(found), ...findBan(row, secrets) };
}

/**
 * Returns the suspension from the file with the passwords if the row does not state one. A user counts as suspended if
 * either file states it.
 */
function findBan(row: JsonObject, secrets: JsonObject): JsonObject {
  const [own, other] = [row['isSuspended'] ?? null, secrets['isSuspended'] ?? null];
  return other !== null && (own === null || parseBoolean(own) === false) ? { isSuspended: other } : {};
}

/**
 * Returns a value from the API, or parses a JSON cell of the table. Returns null if it is empty, and undefined if it is
 * not JSON.
 */
const readValue = (value: unknown): unknown =>
  typeof value === 'string' ? parseJson(value) : (value ?? null);

/**
 * Returns the value if it is an object. Otherwise, returns an empty object, and reports the value unless it is empty.
 */
function readObject(draft: CustomerDraft, user: JsonObject, name: string): JsonObject {
  const value = readValue(user[name]);
  const object = toObject(value);
  if (!object && value !== null) draft.leaveOut(name, reasons.cellNotObject);
  return object ?? {};
}

/** Returns the objects in a list. Reports any other value, unless it is empty. */
function readList(draft: CustomerDraft, user: JsonObject, name: string): JsonObject[] {
  const value = readValue(user[name]);
  const objects = toObjects(value);
  const isList = Array.isArray(value) && objects.length === value.length;
  if (!isList && value !== null) draft.leaveOut(name, reasons.cellNotList);
  return objects;
}

function setProfile(draft: CustomerDraft, user: JsonObject): void {
  const profile = readObject(draft, user, 'profile');
  const read = (name: string): string => readString(draft, `profile.${name}`, profile[name]);
  const [firstName, lastName] = [read('givenName'), read('familyName')];
  const name = readString(draft, 'name', user['name']);
  draft
    .setName('firstName', 'profile.givenName', firstName)
    .setName('lastName', 'profile.familyName', lastName)
    .setFullName('name', name);
  if (firstName + lastName !== '' && name !== '' && name !== `${firstName} ${lastName}`.trim())
    draft.leaveOut('name', ownReasons.otherName);
  const [avatar, picture] = [readString(draft, 'avatar', user['avatar']), read('picture')];
  draft.setImage('avatar', avatar || picture);
  const locale = read('locale');
  if (locale) draft.setLocale('profile.locale', locale);
  const isOther = (each: string): boolean =>
    each === 'picture' ? avatar !== '' && picture !== avatar : !PROFILE_NAMES.has(each);
  const others = Object.fromEntries(
    Object.entries(profile).filter(([each, value]) => isOther(each) && !isAbsent(value)),
  );
  const metadata = readObject(draft, user, 'customData');
  if (Object.keys(others).length > 0) addMetadata(draft, metadata, 'profile', others);
  draft.setMetadata('metadata', 'customData', metadata);
}

function setPassword(draft: CustomerDraft, user: JsonObject): void {
  const field = 'passwordEncrypted';
  // The Management API uses the names `passwordDigest` and `passwordAlgorithm` when it creates users.
  const hash = readString(draft, field, user[field]) || toText(user['passwordDigest']);
  const method = toText(user['passwordEncryptionMethod']) || toText(user['passwordAlgorithm']);
  const isExpired = readFlag(draft, 'isPasswordExpired', user['isPasswordExpired']);
  const hasPassword = readFlag(draft, 'hasPassword', user['hasPassword']);
  if (!hash) {
    // The complete table contains `passwordEncrypted`, and the Management API returns `hasPassword`.
    const isUnknown = !('passwordEncrypted' in user) && !('hasPassword' in user);
    if (hasPassword) draft.leaveOut(field, ownReasons.missingPassword);
    else if (isUnknown) draft.leaveOut(field, unknown.column);
  } else if (isExpired) draft.leaveOut(field, reasons.passwordToReset);
  else if (['MD5', 'SHA1', 'SHA256'].includes(method)) draft.leaveOut(field, ownReasons.unsalted);
  else if (method !== 'Legacy') draft.setPasswordHash(field, hash);
  else {
    const converted = convertLegacyHash(hash);
    if (converted) draft.setPasswordHash(field, converted);
    else draft.leaveOut(field, reasons.hashAlgorithm);
  }
}

function setFactors(draft: CustomerDraft, user: JsonObject): void {
  let hasTotp = false;
  for (const { type, key } of readList(draft, user, 'mfaVerifications')) {
    if (type === 'BackupCode') draft.leaveOut('mfaVerifications', reasons.recoveryCodes);
    else if (type === 'WebAuthn') draft.leaveOut('mfaVerifications', reasons.securityKey);
    else if (type !== 'Totp') draft.leaveOut('mfaVerifications', reasons.onlyTotp);
    else if (toText(key) === '') draft.leaveOut('mfaVerifications', reasons.noSecret);
    else if (hasTotp) draft.leaveOut('mfaVerifications', reasons.oneApp);
    else {
      draft.setTotpSecret('mfaVerifications', toText(key));
      hasTotp = true;
    }
  }
}

/** Sets the accounts. The provider is the connector's target (`identities`), or `sso:` and the issuer (`ssoIdentities`). */
function setAccounts(draft: CustomerDraft, user: JsonObject): void {
  const accounts = [
    ...Object.entries(readObject(draft, user, 'identities')).map(([provider, identity]) => ({
      ...{ field: 'identities', provider },
      subject: toText(toObject(identity)?.['userId']),
    })),
    ...readList(draft, user, 'ssoIdentities').map(({ issuer, identityId }) => ({
      ...{ field: 'ssoIdentities', provider: toText(issuer) && `sso:${toText(issuer)}` },
      subject: toText(identityId),
    })),
  ];
  for (const { field, provider, subject } of accounts)
    if (!provider || !subject) draft.leaveOut(field, reasons.identityWithoutId);
  setIdentities(
    draft,
    accounts
      .filter(({ provider, subject }) => provider && subject)
      .map(({ provider, subject }) => ({ provider, subject })),
  );
}
