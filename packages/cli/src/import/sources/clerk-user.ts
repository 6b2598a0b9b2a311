import { toObject, type JsonObject } from '../../json-object.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import {
  addMetadata,
  invalidRecord,
  isEmpty,
  isSet,
  leaveOutOthers,
  leaveOutText,
  readObject,
  readObjectList,
  readString,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
  toTexts,
} from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { parseBoolean } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { setEmail, type Addresses } from './clerk-addresses.js';
import { mergeAddresses, mergeRow, splitList } from './clerk-row.js';
import { setSecrets, type ClerkSecrets } from './clerk-secrets.js';

/** Fields that are read, or that have no meaning outside Clerk. */
const knownFields = new Set([
  ...['id', 'object', 'external_id', 'first_name', 'last_name', 'username', 'locale', 'legal_accepted_at'],
  ...['email_addresses', 'primary_email_address_id', 'primary_email_address'],
  ...['verified_email_addresses', 'unverified_email_addresses'],
  ...['phone_numbers', 'primary_phone_number_id', 'primary_phone_number'],
  ...['verified_phone_numbers', 'unverified_phone_numbers'],
  ...['external_accounts', 'enterprise_accounts', 'saml_accounts', 'web3_wallets', 'primary_web3_wallet_id'],
  ...['public_metadata', 'private_metadata', 'unsafe_metadata', 'banned', 'locked'],
  ...['lockout_expires_in_seconds', 'verification_attempts_remaining'],
  ...['created_at', 'updated_at', 'last_sign_in_at', 'last_active_at'],
  ...['password_enabled', 'password_last_updated_at', 'requires_password_reset', 'bypass_client_trust'],
  ...['two_factor_enabled', 'totp_enabled', 'backup_code_enabled', 'mfa_enabled_at', 'mfa_disabled_at'],
  ...['passkeys', 'has_image', 'image_url', 'profile_image_url'],
  ...['delete_self_enabled', 'create_organization_enabled', 'create_organizations_limit'],
]);

/** The address lists in `clerk migrate export`, which does not write empty lists. */
const LISTS = ['verified_email_addresses', 'unverified_email_addresses'];

/** Fields that `clerk migrate export` writes only with a value. */
const OPTIONAL = ['first_name', 'last_name', 'username', 'primary_email_address', 'primary_phone_number'];

/** Backend API or CSV export fields that `clerk migrate export` never writes. */
const FOREIGN = ['email_addresses', 'external_accounts', 'totp_secret', 'password_digest', 'password_hasher'];

/**
 * Converts a user in a JSON export: an object from `GET /v1/users` of the Backend API, or from `clerk migrate export
 * clerk`, which uses the CSV export's column names and contains a primary address only if it is verified.
 */
export function convertClerkUser(
  position: string,
  user: JsonObject,
  secrets?: ClerkSecrets,
  isCsvMissing = true,
): SourceRecord {
  const draft = new CustomerDraft();
  const sourceId = toText(user['id']);
  if (sourceId === '') return invalidRecord(position);
  const row = secrets?.row;
  const bans = [parseBoolean(user['banned']), parseBoolean(row?.['banned'])];
  if (bans.includes(null)) return notImported(position, sourceId, 'banned', unknown.ban);
  draft.setId('id', sourceId);
  const addresses = Array.isArray(user['email_addresses']) ? apiAddresses(user) : exportAddresses(user);
  setEmail(draft, row ? mergeAddresses(draft, addresses, row) : addresses);
  draft.setName('firstName', 'first_name', readString(draft, 'first_name', user['first_name']));
  draft.setName('lastName', 'last_name', readString(draft, 'last_name', user['last_name']));
  leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  leaveOutIf(draft, hasImage(user), 'image_url', reasons.clerkImage);
  leaveOutIf(draft, hasPhone(user), 'phone_numbers', reasons.noPhone);
  setMetadata(draft, user);
  setClerkIdentities(draft, user);
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_sign_in_at', user['last_sign_in_at']);
  if (bans.includes(true)) setDisabled(draft, [user['updated_at'], user['created_at']]);
  leaveOutIf(draft, bans.includes(true) && bans.includes(false), 'banned', unknown.clerkBans);
  const locale = readString(draft, 'locale', user['locale']);
  if (locale !== '') draft.setLocale('locale', locale);
  if (secrets) setSecrets(draft, secrets, isSet(user['requires_password_reset']));
  leaveOutSecrets(draft, user, secrets, isCsvMissing);
  leaveOutFactors(draft, user);
  leaveOutUnknown(draft, user, bans);
  if (row) mergeRow(draft, user, row);
  leaveOutOthers(draft, user, knownFields);
  return draft.toRecord(position, sourceId);
}

/**
 * Returns a user's addresses, from either of two formats. `clerk migrate export clerk` writes neither empty lists nor an
 * unverified primary address. The CSV export converted to JSON has the primary address in one of the two lists.
 */
function exportAddresses(user: JsonObject): Addresses {
  const primary = toText(user['primary_email_address']);
  const [verified = [], unverified = []] = LISTS.map((name) => {
    const value = user[name];
    return Array.isArray(value) ? toTexts(value) : splitList(toText(value));
  });
  const isListed = [...verified, ...unverified].some(
    (email) => email.toLowerCase() === primary.toLowerCase(),
  );
  const isVerified = primary !== '' && !isListed && isFromMigrateExport(user);
  return { verified: isVerified ? [primary, ...verified] : verified, unverified, primary };
}

/** Returns true if a user has the format of `clerk migrate export`. */
const isFromMigrateExport = (user: JsonObject): boolean =>
  FOREIGN.every((name) => user[name] === undefined) &&
  OPTIONAL.every((name) => user[name] === undefined || toText(user[name]) !== '') &&
  LISTS.every((name) => user[name] === undefined || (Array.isArray(user[name]) && !isEmpty(user[name])));

function apiAddresses(user: JsonObject): Addresses {
  const isPrimary = ({ id }: JsonObject) => id === user['primary_email_address_id'];
  const all = toObjects(user['email_addresses']);
  const list = (isVerified: boolean) =>
    [...all.filter(isPrimary), ...all.filter((address) => !isPrimary(address))]
      .filter((address) => isVerifiedObject(address) === isVerified)
      .map((address) => toText(address['email_address']))
      .filter((email) => email !== '');
  const primary = all.find(isPrimary);
  // Do not replace an unverified primary address with a verified one that the customer does not sign in with.
  if (primary && !isVerifiedObject(primary))
    return { verified: [], unverified: [...list(false), ...list(true)] };
  return { verified: list(true), unverified: list(false) };
}

const isVerifiedObject = ({ verification }: JsonObject): boolean =>
  toObject(verification)?.['status'] === 'verified';

function setMetadata(draft: CustomerDraft, user: JsonObject): void {
  const metadata = { ...readObject(draft, 'private_metadata', user['private_metadata']) };
  addMetadata(draft, metadata, 'external_id', readString(draft, 'external_id', user['external_id']));
  addMetadata(draft, metadata, 'legal_accepted_at', user['legal_accepted_at']);
  // Users can change these values in Clerk, so they stay separate from values that only a server can set.
  const unsafe = {
    field: 'unsafe_metadata',
    value: readObject(draft, 'unsafe_metadata', user['unsafe_metadata']),
  };
  const isNameTaken = Object.hasOwn(metadata, unsafe.field) && Object.keys(unsafe.value).length > 0;
  if (isNameTaken) draft.leaveOut(unsafe.field, reasons.metadataNameTaken);
  draft.setMetadata('metadata', 'private_metadata', metadata, isNameTaken ? undefined : unsafe);
  const publicMetadata = readObject(draft, 'public_metadata', user['public_metadata']);
  draft.setMetadata('publicMetadata', 'public_metadata', publicMetadata);
}

function setClerkIdentities(draft: CustomerDraft, user: JsonObject): void {
  const identities = [];
  const accounts = Array.isArray(user['external_accounts']) ? user['external_accounts'] : [];
  for (const account of readObjectList(draft, 'external_accounts', accounts)) {
    const subject = toText(account['provider_user_id']);
    if (!isVerifiedObject(account)) draft.leaveOut('external_accounts', reasons.identityNotVerified);
    else if (subject === '') draft.leaveOut('external_accounts', reasons.identityWithoutId);
    else identities.push({ provider: toText(account['provider']).replace(/^oauth_/, ''), subject });
  }
  setIdentities(draft, identities);
}

/** Reports a password or an authenticator app that the user has or may have, but the files do not contain. */
function leaveOutSecrets(
  draft: CustomerDraft,
  user: JsonObject,
  secrets: ClerkSecrets | undefined,
  isCsvMissing: boolean,
): void {
  // If the user has no row in the CSV export, only an explicit `false` means that nothing is lost.
  const isLost = (isEnabled: unknown, secret: string | undefined) =>
    secrets ? isSet(isEnabled) && secret === '' : parseBoolean(isEnabled) !== false;
  const reason = (missingFile: Reason) => (isCsvMissing ? missingFile : unknown.clerkCsv);
  leaveOutIf(
    draft,
    isLost(user['password_enabled'], secrets?.digest),
    'password_digest',
    reason(reasons.passwordInCsv),
  );
  leaveOutIf(
    draft,
    isLost(user['totp_enabled'], secrets?.totpSecret),
    'totp_secret',
    reason(reasons.secretInCsv),
  );
}

const FACTORS = new Set(['totp_secret', 'backup_codes', 'phone_numbers']);

/** Returns true if a user has second factors, and none is imported or reported. */
const hasOtherFactor = (draft: CustomerDraft, user: JsonObject): boolean =>
  isSet(user['two_factor_enabled']) &&
  !draft.hasTotpSecret &&
  !draft.leftOut.some(({ field, reason }) => FACTORS.has(field) && reason !== reasons.noPhone.reason);

function leaveOutFactors(draft: CustomerDraft, user: JsonObject): void {
  const hasTextMessages = toObjects(user['phone_numbers']).some((phone) =>
    isSet(phone['reserved_for_second_factor']),
  );
  leaveOutIf(draft, hasTextMessages, 'phone_numbers', reasons.onlyTotp);
  leaveOutIf(draft, isSet(user['backup_code_enabled']), 'backup_codes', reasons.clerkBackupCodes);
  leaveOutIf(draft, isSet(user['passkeys']), 'passkeys', reasons.clerkPasskeys);
  leaveOutIf(draft, isSet(user['locked']), 'locked', reasons.lockout);
  leaveOutIf(draft, hasOtherFactor(draft, user), 'two_factor_enabled', reasons.noSecret);
  for (const name of ['enterprise_accounts', 'saml_accounts', 'web3_wallets'])
    leaveOutIf(draft, isSet(user[name]), name, reasons.accountKind);
}

/**
 * Reports values that are missing from this kind of JSON export. `clerk migrate export` writes bans and metadata only
 * for users that have them.
 * @param bans the ban state in the files
 */
function leaveOutUnknown(
  draft: CustomerDraft,
  user: JsonObject,
  bans: readonly (boolean | null | undefined)[],
): void {
  if (!Array.isArray(user['external_accounts'])) draft.leaveOut('external_accounts', unknown.clerkAccounts);
  if (isFromMigrateExport(user)) return;
  if (bans.every((isBanned) => isBanned === undefined)) draft.leaveOutBan('banned', unknown.clerkField);
  leaveOutIf(draft, user['private_metadata'] === undefined, 'private_metadata', unknown.clerkField);
}

/** Returns true if a user has an image. If not, Clerk generates one, and `has_image` is false. */
function hasImage(user: JsonObject): boolean {
  const isStated = parseBoolean(user['has_image']);
  if (isStated !== undefined) return isStated !== false;
  return !isEmpty(user['image_url']) || !isEmpty(user['profile_image_url']);
}

/** Returns true if a user has a phone number. These are the field names of both JSON exports. */
const hasPhone = (user: JsonObject): boolean =>
  ['phone_numbers', 'primary_phone_number', 'verified_phone_numbers', 'unverified_phone_numbers'].some(
    (name) => !isEmpty(user[name]),
  );

function leaveOutIf(draft: CustomerDraft, condition: boolean, field: string, reason: Reason): void {
  if (condition) draft.leaveOut(field, reason);
}
