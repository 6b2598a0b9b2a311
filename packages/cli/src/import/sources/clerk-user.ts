import { toObject, type JsonObject } from '../../json-object.js';
import { CustomerDraft, toText } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import {
  addMetadata,
  leaveOutText,
  setDisabled,
  setIdentities,
  setTime,
  toObjects,
  toTexts,
} from '../source-values.js';
import { convertClerkHash } from './clerk-hash.js';
import { reasons, type Reason } from '../reasons.js';

/** The values that only the CSV export contains. */
export interface ClerkSecrets {
  digest: string;
  hasher: string;
  totpSecret: string;
}

/** The addresses of a user, primary first. */
interface Addresses {
  verified: string[];
  unverified: string[];
}

/**
 * Returns the user of a JSON export: an object of `GET /v1/users` of the Backend API, or one of `clerk migrate export
 * clerk`, which has the names of the columns of the CSV export and contains a primary address only if it is verified.
 */
export function convertClerkUser(position: string, user: JsonObject, secrets?: ClerkSecrets): SourceRecord {
  const draft = new CustomerDraft();
  const sourceId = toText(user['id']);
  draft.setId('id', sourceId);
  setEmail(draft, Array.isArray(user['email_addresses']) ? apiAddresses(user) : exportAddresses(user));
  draft.setName('firstName', 'first_name', toText(user['first_name']));
  draft.setName('lastName', 'last_name', toText(user['last_name']));
  leaveOutText(draft, 'username', user['username'], reasons.noUsername);
  leaveOutIf(draft, hasPhone(user), 'phone_numbers', reasons.noPhone);
  setMetadata(draft, user);
  setClerkIdentities(draft, user);
  setTime(draft, 'createdAt', 'created_at', user['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', user['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_sign_in_at', user['last_sign_in_at']);
  if (user['banned'] === true) setDisabled(draft, [user['updated_at'], user['created_at']]);
  if (secrets) setSecrets(draft, secrets);
  leaveOutFactors(draft, user, secrets);
  return { position, sourceId: sourceId || null, customer: draft.finish(), leftOut: draft.leftOut };
}

/** Sets the first address, and whether it is verified. */
export function setEmail(draft: CustomerDraft, { verified, unverified }: Addresses, primary = ''): void {
  const email = primary || verified[0] || unverified[0] || '';
  const isEmail = (other: string) => other.toLowerCase() === email.toLowerCase();
  draft.set('email', email).set('emailVerified', verified.some(isEmail));
  if (![...verified, ...unverified].every(isEmail)) draft.leaveOut('email_addresses', reasons.oneEmail);
}

/** Sets the password hash and the secret of the authenticator app. */
export function setSecrets(draft: CustomerDraft, { digest, hasher, totpSecret }: ClerkSecrets): void {
  if (digest !== '') {
    const converted = convertClerkHash(hasher, digest);
    if ('hash' in converted) draft.setPasswordHash('password_digest', converted.hash);
    else draft.leaveOut('password_digest', converted.problem);
  }
  if (totpSecret !== '') draft.setTotpSecret('totp_secret', totpSecret);
}

function exportAddresses(user: JsonObject): Addresses {
  const primary = toText(user['primary_email_address']);
  const verified = toTexts(user['verified_email_addresses']);
  return {
    verified: primary === '' ? verified : [primary, ...verified],
    unverified: toTexts(user['unverified_email_addresses']),
  };
}

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
  const metadata = { ...toObject(user['private_metadata']) };
  addMetadata(draft, metadata, 'external_id', toText(user['external_id']));
  addMetadata(draft, metadata, 'legal_accepted_at', user['legal_accepted_at']);
  // Customers can change these values themselves in Clerk, so they stay apart from those that only a server has set.
  const unsafe = toObject(user['unsafe_metadata']);
  if (unsafe && Object.keys(unsafe).length > 0) addMetadata(draft, metadata, 'unsafe_metadata', unsafe);
  draft.setMetadata('metadata', 'private_metadata', metadata);
  draft.setMetadata('publicMetadata', 'public_metadata', { ...toObject(user['public_metadata']) });
}

function setClerkIdentities(draft: CustomerDraft, user: JsonObject): void {
  const identities = [];
  for (const account of toObjects(user['external_accounts'])) {
    const subject = toText(account['provider_user_id']);
    if (!isVerifiedObject(account)) draft.leaveOut('external_accounts', reasons.identityNotVerified);
    else if (subject === '') draft.leaveOut('external_accounts', reasons.identityWithoutId);
    else identities.push({ provider: toText(account['provider']).replace(/^oauth_/, ''), subject });
  }
  setIdentities(draft, identities);
}

function leaveOutFactors(draft: CustomerDraft, user: JsonObject, secrets?: ClerkSecrets): void {
  const isListed = (name: string) => toObjects(user[name]).length > 0;
  leaveOutIf(
    draft,
    user['password_enabled'] === true && !secrets?.digest,
    'password_digest',
    reasons.passwordInCsv,
  );
  leaveOutIf(
    draft,
    user['totp_enabled'] === true && !secrets?.totpSecret,
    'totp_secret',
    reasons.secretInCsv,
  );
  leaveOutIf(draft, user['backup_code_enabled'] === true, 'backup_codes', reasons.clerkBackupCodes);
  leaveOutIf(draft, isListed('passkeys'), 'passkeys', reasons.clerkPasskeys);
  for (const name of ['enterprise_accounts', 'saml_accounts', 'web3_wallets'])
    leaveOutIf(draft, isListed(name), name, reasons.accountKind);
}

/** Both JSON exports list phone numbers in fields with these names. */
const hasPhone = (user: JsonObject): boolean =>
  ['phone_numbers', 'primary_phone_number', 'verified_phone_numbers', 'unverified_phone_numbers'].some(
    (name) => {
      const value = user[name];
      return Array.isArray(value) ? value.length > 0 : toText(value) !== '';
    },
  );

function leaveOutIf(draft: CustomerDraft, condition: boolean, field: string, reason: Reason): void {
  if (condition) draft.leaveOut(field, reason);
}
