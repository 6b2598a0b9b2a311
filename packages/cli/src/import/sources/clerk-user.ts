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
import { convertClerkHash } from './clerk-hash.js';
import { parseBoolean } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';

/** Names of fields that are read, or that have no meaning outside of Clerk. */
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

/** The values that only the CSV export contains. */
export interface ClerkSecrets {
  digest: string;
  hasher: string;
  totpSecret: string;
}

/** The addresses of a user: `primary`, or without it the first one, is the address of the customer. */
interface Addresses {
  verified: string[];
  unverified: string[];
  primary?: string;
}

/**
 * Returns the user of a JSON export: an object of `GET /v1/users` of the Backend API, or one of `clerk migrate export
 * clerk`, which has the names of the columns of the CSV export and contains a primary address only if it is verified.
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
  const isBanned = parseBoolean(user['banned']);
  if (isBanned === null) return notImported(position, sourceId, 'banned', unknown.ban);
  draft.setId('id', sourceId);
  const addresses = Array.isArray(user['email_addresses']) ? apiAddresses(user) : exportAddresses(user);
  setEmail(draft, addresses);
  draft.setName('firstName', 'first_name', readString(draft, 'first_name', user['first_name']));
  draft.setName('lastName', 'last_name', readString(draft, 'last_name', user['last_name']));
  leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  // Clerk also stores an image for users without one.
  leaveOutIf(draft, isSet(user['has_image']), 'image_url', reasons.imageOfClerk);
  leaveOutIf(draft, hasPhone(user), 'phone_numbers', reasons.noPhone);
  setMetadata(draft, user);
  setClerkIdentities(draft, user);
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_sign_in_at', user['last_sign_in_at']);
  if (isBanned) setDisabled(draft, [user['updated_at'], user['created_at']]);
  const locale = readString(draft, 'locale', user['locale']);
  if (locale !== '') draft.setLocale('locale', locale);
  if (secrets) setSecrets(draft, secrets, isSet(user['requires_password_reset']));
  leaveOutSecrets(draft, user, secrets, isCsvMissing);
  leaveOutFactors(draft, user);
  leaveOutUnknown(draft, user);
  leaveOutOthers(draft, user, knownFields);
  return draft.toRecord(position, sourceId);
}

/** Sets the first address, and whether it is verified. */
export function setEmail(draft: CustomerDraft, { verified, unverified, primary }: Addresses): void {
  const email = primary || verified[0] || unverified[0] || '';
  const isEmail = (other: string) => other.toLowerCase() === email.toLowerCase();
  const [isVerified, isUnverified] = [verified.some(isEmail), unverified.some(isEmail)];
  draft.set('email', email).set('emailVerified', isVerified && !isUnverified);
  if (email !== '' && isVerified === isUnverified)
    draft.leaveOut('primary_email_address', unknown.verification);
  if (![...verified, ...unverified].every(isEmail)) draft.leaveOut('email_addresses', reasons.oneEmail);
}

/** Sets the password hash and the secret of the authenticator app. */
export function setSecrets(
  draft: CustomerDraft,
  { digest, hasher, totpSecret }: ClerkSecrets,
  mustReset = false,
): void {
  if (digest !== '' && mustReset) draft.leaveOut('password_digest', reasons.passwordToReset);
  else if (digest !== '') {
    const converted = convertClerkHash(hasher, digest);
    if ('hash' in converted) draft.setPasswordHash('password_digest', converted.hash);
    else draft.leaveOut('password_digest', converted.problem);
  }
  if (totpSecret !== '') draft.setTotpSecret('totp_secret', totpSecret);
}

/**
 * Returns the addresses of a user of `clerk migrate export clerk`, which writes neither empty lists nor an unverified primary
 * address, or of the CSV export in the form of JSON, which lists the primary address in one of the two fields.
 */
function exportAddresses(user: JsonObject): Addresses {
  const primary = toText(user['primary_email_address']);
  const fields = [user['verified_email_addresses'], user['unverified_email_addresses']];
  const [verified = [], unverified = []] = fields.map((value) =>
    Array.isArray(value) ? toTexts(value) : splitList(toText(value)),
  );
  const isListed = [...verified, ...unverified].some(
    (email) => email.toLowerCase() === primary.toLowerCase(),
  );
  const isMigrateExport = fields.every(
    (value) => value === undefined || (Array.isArray(value) && value.length > 0),
  );
  const isVerified = primary !== '' && !isListed && isMigrateExport;
  return { verified: isVerified ? [primary, ...verified] : verified, unverified, primary };
}

/** Returns the texts of a cell with several ones. */
export const splitList = (cell: string): string[] =>
  cell
    .split(/[|,]/)
    .map((text) => text.trim())
    .filter((text) => text !== '');

function apiAddresses(user: JsonObject): Addresses {
  const isPrimary = ({ id }: JsonObject) => id === user['primary_email_address_id'];
  const all = toObjects(user['email_addresses']);
  const list = (isVerified: boolean) =>
    [...all.filter(isPrimary), ...all.filter((address) => !isPrimary(address))]
      .filter((address) => isVerifiedObject(address) === isVerified)
      .map((address) => toText(address['email_address']))
      .filter((email) => email !== '');
  const primary = all.find(isPrimary);
  // An unverified primary address must not be replaced by a verified one with which the customer does not sign in.
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
  // Customers can change these values themselves in Clerk, so they stay apart from those that only a server has set.
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

/** Reports a password and an authenticator app that the user has, or may have, but the files do not contain. */
function leaveOutSecrets(
  draft: CustomerDraft,
  user: JsonObject,
  secrets: ClerkSecrets | undefined,
  isCsvMissing: boolean,
): void {
  // Without a row of the CSV export, a missing value does not mean that there is none.
  const isLost = (isEnabled: unknown, secret: string | undefined) =>
    secrets ? isSet(isEnabled) && secret === '' : parseBoolean(isEnabled) !== false;
  const reason = (ofMissingFile: Reason) => (isCsvMissing ? ofMissingFile : unknown.clerkCsv);
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

function leaveOutFactors(draft: CustomerDraft, user: JsonObject): void {
  const hasTextMessages = toObjects(user['phone_numbers']).some((phone) =>
    isSet(phone['reserved_for_second_factor']),
  );
  leaveOutIf(draft, hasTextMessages, 'phone_numbers', reasons.onlyTotp);
  leaveOutIf(draft, isSet(user['backup_code_enabled']), 'backup_codes', reasons.clerkBackupCodes);
  leaveOutIf(draft, isSet(user['passkeys']), 'passkeys', reasons.clerkPasskeys);
  leaveOutIf(draft, isSet(user['locked']), 'locked', reasons.lockout);
  for (const name of ['enterprise_accounts', 'saml_accounts', 'web3_wallets'])
    leaveOutIf(draft, isSet(user[name]), name, reasons.accountKind);
}

/** Reports values that this kind of JSON export does not contain. That of `clerk migrate export` contains bans only if there are. */
function leaveOutUnknown(draft: CustomerDraft, user: JsonObject): void {
  if (!Array.isArray(user['external_accounts'])) draft.leaveOut('external_accounts', unknown.clerkAccounts);
  if (!Array.isArray(user['email_addresses'])) return;
  if (parseBoolean(user['banned']) === undefined) draft.leaveOutBan('banned', unknown.clerkField);
  leaveOutIf(draft, user['private_metadata'] === undefined, 'private_metadata', unknown.clerkField);
}

/** Both JSON exports list phone numbers in fields with these names. */
const hasPhone = (user: JsonObject): boolean =>
  ['phone_numbers', 'primary_phone_number', 'verified_phone_numbers', 'unverified_phone_numbers'].some(
    (name) => !isEmpty(user[name]),
  );

function leaveOutIf(draft: CustomerDraft, condition: boolean, field: string, reason: Reason): void {
  if (condition) draft.leaveOut(field, reason);
}
