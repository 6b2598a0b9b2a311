import type { JsonObject } from '../../json-object.js';
import { parseBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
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

const METADATA = [
  ['metadata', 'app_metadata'],
  ['publicMetadata', 'user_metadata'],
] as const;

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
  ...['mfa_factors', 'multifactor', 'multifactor_last_modified', 'guardian_authenticators', 'passkeys'],
]);

/**
 * Returns the user of a user export.
 * @param passwords the hashes of the password export, from which this one is removed
 * @param isBanKnown whether a user of the files has the field `blocked`
 */
export function convertAuth0User(
  position: string,
  user: JsonObject | null,
  passwords: Passwords,
  isBanKnown = true,
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
  const name = read('name');
  if (name && name !== toText(user['email'])) draft.setFullName('name', name);
  const locale = read('locale');
  if (locale) draft.setLocale('locale', locale);
  draft.setImage('picture', read('picture'));
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_login', user['last_login']);
  if (isBlocked) setDisabled(draft, [user['updated_at'], user['created_at']]);
  if (!isBanKnown) draft.leaveOutBan('blocked', unknown.banField);
  for (const [field, reason] of Object.entries(NOT_MOVED)) leaveOutText(draft, field, user[field], reason);
  convertFactors(draft, user);
  setVerified(draft, user, convertIdentities(draft, id, user, passwords));
  leaveOutOthers(draft, user, knownFields);
  return draft.toRecord(position, id);
}

/** Sets whether the address is verified. @param provider the provider that has set it */
function setVerified(draft: CustomerDraft, user: JsonObject, provider: string): void {
  const isVerified = readFlag(draft, 'email_verified', user['email_verified']);
  const isOfCompany = companyProviders.has(provider);
  draft.set('emailVerified', isVerified && !isOfCompany);
  if (isVerified && isOfCompany) draft.leaveOut('email_verified', reasons.addressOfCompany);
}
