import type { JsonObject } from '../../json-object.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { CustomerDraft, normalizeName, notImported, toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import {
  leaveOutOthers,
  leaveOutText,
  readObject,
  readString,
  setDisabled,
  setTime,
} from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { convertFactors } from './auth0-factors.js';
import { companyProviders, convertIdentities, type Passwords } from './auth0-identities.js';

/** The reason to report for each field that no user in the files has. Auth0 exports only the selected fields. */
const missingFields: Readonly<Record<string, Reason>> = {
  blocked: unknown.banField,
  email_verified: unknown.verificationField,
  multifactor: unknown.factorField,
  app_metadata: unknown.field,
  user_metadata: unknown.field,
};

/** The fields that every user export should contain. */
export const requiredFields: readonly string[] = Object.keys(missingFields);

const NONE: ReadonlySet<string> = new Set();

const METADATA = [
  ['metadata', 'app_metadata'],
  ['publicMetadata', 'user_metadata'],
] as const;

const NOT_MOVED: Record<string, Reason> = {
  username: reasons.noUsername,
  phone_number: reasons.noPhone,
};

/** Fields that are read, or that have no meaning outside Auth0. */
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
  ...['mfa_factors', 'multifactor', 'multifactor_last_modified', 'guardian_authenticators', 'passkeys'],
]);

/**
 * Converts a user in a user export.
 * @param passwords the hashes in the password export, from which the user's hash is removed
 * @param missing the required fields that no user in the files has
 */
export function convertAuth0User(
  position: string,
  user: JsonObject | null,
  passwords: Passwords,
  missing = NONE,
): SourceRecord {
  const id = toText(user?.['user_id']);
  if (!user || !id) return notImported(position, null, '', reasons.invalidRecord);
  const isBlocked = parseBoolean(user['blocked']);
  if (isBlocked === null) return notImported(position, id, 'blocked', unknown.ban);
  const draft = new CustomerDraft().setId('user_id', id).set('email', toText(user['email']));
  const read = (field: string): string => readString(draft, field, user[field]);
  draft
    .setName('firstName', 'given_name', read('given_name'))
    .setName('lastName', 'family_name', read('family_name'));
  for (const [name, field] of METADATA) draft.setMetadata(name, field, readObject(draft, field, user[field]));
  setFullName(draft, user, read);
  const locale = read('locale');
  if (locale) draft.setLocale('locale', locale);
  draft.setImage('picture', read('picture'));
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_login', user['last_login']);
  if (isBlocked) setDisabled(draft, [user['updated_at'], user['created_at']]);
  for (const field of missing)
    if (field === 'blocked') draft.leaveOutBan(field, unknown.banField);
    else draft.leaveOut(field, missingFields[field]!);
  for (const [field, reason] of Object.entries(NOT_MOVED)) leaveOutText(draft, field, user[field], reason);
  convertFactors(draft, user);
  setVerified(draft, user, [convertIdentities(draft, id, user, passwords), id.split('|', 1)[0]!]);
  leaveOutOthers(draft, user, knownFields);
  return draft.toRecord(position, id);
}

/** Sets the name from the full name if its parts are missing. Reports a full name or nickname that adds information. */
function setFullName(draft: CustomerDraft, user: JsonObject, read: (field: string) => string): void {
  const [name, nickname] = [read('name'), read('nickname')];
  if (name === '' && nickname === '') return;
  const email = toText(user['email']);
  const parts = [toText(user['given_name']), toText(user['family_name'])].filter((part) => part !== '');
  const fullName = parts.join(' ');
  if (name !== '' && name !== email) {
    if (fullName === '') draft.setFullName('name', name);
    else if (normalizeName(name) !== normalizeName(fullName)) draft.leaveOut('name', reasons.noField);
  }
  // Auth0 derives a default nickname from the email address.
  const derived = [email.split('@', 1)[0], email, name, fullName, parts[0], toText(user['username'])];
  if (nickname !== '' && !derived.includes(nickname)) draft.leaveOut('nickname', reasons.noField);
}

/**
 * Sets whether the email address is verified.
 * @param providers the provider that has set the address, and the one in the user id
 */
function setVerified(draft: CustomerDraft, user: JsonObject, providers: readonly [string, string]): void {
  const isVerified = readFlag(draft, 'email_verified', user['email_verified']);
  // Auth0 omits the field for a user without a value, so an empty field means that the value was lost.
  if (user['email_verified'] !== undefined && parseBoolean(user['email_verified']) === undefined)
    draft.leaveOut('email_verified', unknown.verification);
  const isCompanyAddress = companyProviders.has(providers[0]) || companyProviders.has(providers[1]);
  const isUnknown = providers[0] === '';
  draft.set('emailVerified', isVerified && !isCompanyAddress && !isUnknown);
  if (isVerified && isCompanyAddress) draft.leaveOut('email_verified', reasons.companyAddress);
  else if (isVerified && isUnknown) draft.leaveOut('email_verified', unknown.provenance);
}
