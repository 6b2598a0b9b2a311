import { usageError } from '../../cli-error.js';
import { toObject, type JsonObject } from '../../json-object.js';
import { findDeadProvider, NO_OPENID, OTHER_IDS, withReason } from '../dead-providers.js';
import { readObjects } from '../read-files.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import { leaveOutOthers, setDisabled, setIdentities, setTime } from '../source-values.js';
import { reasons, type Reason } from '../reasons.js';
import { convertBulkUser, isBulkUser } from './auth0-bulk.js';

/** The part of a password export that is imported, by the id of the user. */
type Passwords = Map<string, string>;

/** Providers that are no accounts elsewhere: passwords, and codes by email or text message. */
const OWN_PROVIDERS = new Set(['auth0', 'email', 'sms']);

/** Providers whose connections are separate identity providers, and whose ids begin with the connection. */
const SHARED_PROVIDERS = new Set(['oauth2', 'oidc', 'okta']);

/** The strategies of Auth0 whose ids never match an account at Gatehouse. */
export const deadProviders: Readonly<Record<string, Reason>> = {
  ...withReason(reasons.noSaml, ['adfs', 'pingfederate', 'samlp']),
  // Microsoft: the id of an older API, or the object id instead of the claim sub. Google Workspace: the email address.
  ...withReason(OTHER_IDS, ['google-apps', 'office365', 'waad', 'windowslive']),
  ...withReason(NO_OPENID, ['ad', 'auth0-adldap', 'ip', 'sharepoint']),
  ...withReason(NO_OPENID, ['amazon', 'baidu', 'bitbucket', 'evernote', 'facebook', 'fitbit', 'instagram']),
  ...withReason(NO_OPENID, ['renren', 'shopify', 'soundcloud', 'thirtysevensignals', 'twitter']),
  ...withReason(NO_OPENID, ['vkontakte', 'weibo', 'wordpress', 'yammer', 'yandex']),
};

const isDead = (provider: string): boolean => findDeadProvider(deadProviders, provider) !== null;

const NOT_MOVED: Record<string, Reason> = {
  username: reasons.noUsername,
  phone_number: reasons.noPhone,
};

/** Names of fields that are read, or that have no meaning outside of Auth0. */
const knownFields = new Set([
  ...[
    'user_id',
    'email',
    'email_verified',
    'given_name',
    'family_name',
    'name',
    'nickname',
    'picture',
    'locale',
  ],
  ...['created_at', 'updated_at', 'last_login', 'last_ip', 'last_password_reset', 'logins_count', 'blocked'],
  ...['app_metadata', 'user_metadata', 'identities', 'username', 'phone_number', 'phone_verified'],
  ...['mfa_factors', 'multifactor', 'multifactor_last_modified', 'guardian_authenticators'],
]);

/**
 * Users of Auth0: the user export (https://auth0.com/docs/manage-users/user-migration/bulk-user-exports) with the fields
 * of https://auth0.com/docs/manage-users/user-accounts/user-profiles/user-profile-structure, and the password export of the
 * support (https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0).
 */
export const auth0: ImportSource = {
  name: 'auth0',
  files: 'the user export, and the password export from its support, both with one JSON object per line',
  providers: {
    'google-oauth2': 'google',
    github: 'github',
    apple: 'apple',
    discord: 'discord',
    gitlab: 'gitlab',
  },
  deadProviders,
  async *read(files) {
    const kinds = await Promise.all(files.map(async (file) => ({ file, isUsers: await isUserExport(file) })));
    const userFiles = kinds.filter(({ isUsers }) => isUsers);
    if (userFiles.length === 0)
      throw usageError('None of the files is a user export, whose lines have user_id.');
    const passwords: Passwords = new Map();
    for (const { file, isUsers } of kinds) if (!isUsers) yield* readPasswords(file, passwords);
    const hasPasswords = userFiles.length < kinds.length;
    for (const { file } of userFiles) {
      for await (const { position, value } of readObjects(file))
        yield isBulkUser(value)
          ? convertBulkUser(position, value, convertUser)
          : convertUser(position, value, hasPasswords ? passwords : null);
    }
    for (const id of passwords.keys()) yield notImported('', id, 'passwordHash', reasons.unmatchedPassword);
  },
};

/** @throws CliError for a file that is neither of the two exports */
async function isUserExport(file: string): Promise<boolean> {
  for await (const { value } of readObjects(file)) {
    if (value && 'user_id' in value) return true;
    if (value && '_id' in value) return false;
    break;
  }
  throw usageError(
    `${file} is neither a user export nor a password export of Auth0.`,
    'Use files whose lines have user_id (users), or _id and passwordHash (passwords).',
  );
}

/** Adds the passwords of a file. Yields the rows without a password or an id. */
async function* readPasswords(file: string, passwords: Passwords): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readObjects(file)) {
    const id = toText(value?.['alt_id']) || toText(toObject(value?.['_id'])?.['$oid']);
    const hash = toText(value?.['passwordHash']);
    if (id && hash) passwords.set(id, hash);
    else yield notImported(position, id || null, 'passwordHash', reasons.invalidRecord);
  }
}

function convertUser(position: string, user: JsonObject | null, passwords: Passwords | null): SourceRecord {
  const id = toText(user?.['user_id']);
  if (!user || !id) return notImported(position, null, '', reasons.invalidRecord);
  const draft = new CustomerDraft()
    .setId('user_id', id)
    .set('email', toText(user['email']))
    .set('emailVerified', user['email_verified'] === true)
    .setName('firstName', 'given_name', toText(user['given_name']))
    .setName('lastName', 'family_name', toText(user['family_name']))
    .setMetadata('metadata', 'app_metadata', toObject(user['app_metadata']) ?? {})
    .setMetadata('publicMetadata', 'user_metadata', toObject(user['user_metadata']) ?? {});
  const name = toText(user['name']);
  if (name && name !== toText(user['email'])) draft.setFullName('name', name);
  const locale = toText(user['locale']);
  if (locale) draft.setLocale('locale', locale);
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_login', user['last_login']);
  if (user['blocked'] === true) setDisabled(draft, [user['updated_at'], user['created_at']]);
  for (const [field, reason] of Object.entries(NOT_MOVED))
    if (toText(user[field])) draft.leaveOut(field, reason);
  convertFactors(draft, user);
  convertIdentities(draft, id, user, passwords);
  leaveOutOthers(draft, user, knownFields);
  return { position, sourceId: id, customer: draft.finish(), leftOut: draft.leftOut };
}

/** Sets the authenticator app of `mfa_factors`, the field of the bulk import schema of Auth0. */
function convertFactors(draft: CustomerDraft, user: JsonObject): void {
  const factors = Array.isArray(user['mfa_factors']) ? user['mfa_factors'].map(toObject) : [];
  for (const factor of factors) {
    const secret = toText(toObject(factor?.['totp'])?.['secret']);
    if (secret) draft.setTotpSecret('mfa_factors', secret);
    else draft.leaveOut('mfa_factors', reasons.onlyTotp);
  }
  const hasFactors = Array.isArray(user['multifactor']) && user['multifactor'].length > 0;
  if (hasFactors && factors.length === 0) draft.leaveOut('multifactor', reasons.noSecret);
}

function convertIdentities(
  draft: CustomerDraft,
  userId: string,
  user: JsonObject,
  passwords: Passwords | null,
): void {
  const identities: { provider: string; subject: string }[] = [];
  const hashes: string[] = [];
  for (const { provider, connection, subject } of listIdentities(userId, user)) {
    if (provider === 'auth0') {
      const hash = passwords?.get(subject);
      passwords?.delete(subject);
      if (hash) hashes.push(hash);
      else draft.leaveOut('passwordHash', reasons.missingPassword);
    } else if (subject === '' && !OWN_PROVIDERS.has(provider)) {
      draft.leaveOut('identities', reasons.identityWithoutId);
    } else if (provider === 'google-apps' && !subject.includes('@')) {
      // The connection was created with "Use ID instead of Email for Auth0 User ID".
      identities.push({ provider: connection, subject: withoutPrefix(subject, connection) });
    } else if (isDead(provider)) {
      const name = connection === provider ? provider : `${provider}:${connection}`;
      identities.push({ provider: name, subject });
    } else if (SHARED_PROVIDERS.has(provider)) {
      identities.push({ provider: connection, subject: withoutPrefix(subject, connection) });
    } else if (!OWN_PROVIDERS.has(provider)) {
      identities.push({ provider, subject });
    }
  }
  setIdentities(draft, identities);
  // The first one belongs to the email address of the user, the others to linked accounts.
  const [hash, ...others] = hashes;
  if (hash !== undefined) draft.setPasswordHash('passwordHash', hash);
  if (others.length > 0) draft.leaveOut('passwordHash', reasons.onePassword);
}

/** Returns the identities of a user: those of the export, or the one that the id of the user contains. */
function listIdentities(
  userId: string,
  user: JsonObject,
): { provider: string; connection: string; subject: string }[] {
  const listed = Array.isArray(user['identities']) ? user['identities'].map(toObject) : [];
  if (listed.length === 0) {
    const [provider = '', ...rest] = userId.split('|');
    const subject = rest.join('|');
    return [{ provider, connection: rest.length > 1 ? rest[0]! : provider, subject }];
  }
  return listed.map((identity) => {
    const provider = toText(identity?.['provider']);
    return {
      provider,
      connection: toText(identity?.['connection']) || provider,
      subject: withoutPrefix(toText(identity?.['user_id']), provider),
    };
  });
}

/** Returns an id without the prefix that Auth0 adds: `google-oauth2|123` is `123`. */
const withoutPrefix = (id: string, prefix: string): string =>
  id.startsWith(`${prefix}|`) ? id.slice(prefix.length + 1) : id;
