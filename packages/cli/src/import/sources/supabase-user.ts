import { toObject, type JsonObject } from '../../json-object.js';
import { findUnusableProvider } from '../unusable-providers.js';
import type { Row } from '../read-files.js';
import { readBoolean } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { CustomerDraft, notImported } from '../source-fields.js';
import type { SourceRecord } from '../source.js';
import {
  leaveOutOthers,
  parseJson,
  readTextList,
  setDisabled,
  setIdentities,
  setTime,
} from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { unusableProviders, ownProviders } from './supabase-providers.js';
import type { Identity, RelatedRows } from './supabase-related.js';
import { hasTime, readBanEnd } from './supabase-table.js';

/**
 * Entries of `raw_user_meta_data` and `raw_app_meta_data` that Supabase sets, and whose values are also in other
 * columns.
 */
const OWN_METADATA = new Set(['sub', 'iss', 'email', 'email_verified', 'phone_verified', 'provider_id']);
const OWN_APP_METADATA = new Set(['provider', 'providers']);

/** The PostgreSQL roles of ordinary users. */
const USUAL_ROLES = new Set(['', 'authenticated', 'anon']);

/** Columns of `auth.users` that are read, or that have no meaning outside Supabase. */
const knownColumns = new Set([
  ...[
    'instance_id',
    'id',
    'aud',
    'role',
    'email',
    'encrypted_password',
    'raw_app_meta_data',
    'raw_user_meta_data',
  ],
  ...['created_at', 'updated_at', 'last_sign_in_at', 'invited_at', 'confirmed_at', 'email_confirmed_at'],
  ...['confirmation_token', 'confirmation_sent_at', 'recovery_token', 'recovery_sent_at'],
  ...['email_change', 'email_change_token_new', 'email_change_token_current', 'email_change_sent_at'],
  ...['email_change_confirm_status', 'reauthentication_token', 'reauthentication_sent_at'],
  ...['phone', 'phone_confirmed_at', 'phone_change', 'phone_change_token', 'phone_change_sent_at'],
  ...['is_super_admin', 'is_sso_user', 'is_anonymous', 'banned_until', 'deleted_at'],
]);

/** Columns that every export should contain, with the reason to report if one is missing. */
const requiredColumns: readonly [name: string, reason: Reason][] = [
  ['banned_until', unknown.banColumn],
  ['encrypted_password', unknown.column],
  ['raw_app_meta_data', unknown.column],
  ['raw_user_meta_data', unknown.column],
  ['email_confirmed_at', unknown.confirmationColumn],
  ['deleted_at', unknown.deletionColumn],
  ['is_anonymous', unknown.anonymousColumn],
  ['role', unknown.roleColumn],
  ['is_super_admin', unknown.roleColumn],
];

/** Converts an `auth.users` row. */
export function convertSupabaseUser(position: string, row: Row, related: RelatedRows): SourceRecord {
  const { id } = row;
  if (!id) return notImported(position, null, '', reasons.invalidRecord);
  const { identities, factors } = related.take(id);
  if (hasTime(row['deleted_at'])) return notImported(position, id, '', reasons.deleted);
  if (readBoolean(row['is_anonymous'])) return notImported(position, id, '', reasons.anonymous);
  const banEnd = readBanEnd(row['banned_until']);
  if (banEnd === null) return notImported(position, id, 'banned_until', unknown.ban);
  const draft = new CustomerDraft().setId('id', id).set('email', row['email']);
  setTime(draft, 'createdAt', 'created_at', row['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', row['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_sign_in_at', row['last_sign_in_at']);
  if (row['encrypted_password']) draft.setPasswordHash('encrypted_password', row['encrypted_password']);
  if (row['phone']) draft.leaveOut('phone', reasons.noPhone);
  if (banEnd > Date.now()) {
    setDisabled(draft, [row['updated_at'], row['created_at']]);
    draft.leaveOut('banned_until', reasons.banWithoutEnd);
  }
  const app = convertMetadata(draft, row);
  const providers = readProviders(draft, app);
  setVerified(draft, row, [...providers, ...identities.map(({ provider }) => provider)]);
  if (factors?.totpSecret) draft.setTotpSecret('mfa_factors', factors.totpSecret);
  setIdentities(draft, identities);
  draft.leftOut.push(...(factors?.leftOut ?? []));
  leaveOutRoles(draft, row);
  leaveOutUnknown(draft, row, related);
  leaveOutMissing(draft, providers, identities, related);
  leaveOutOthers(draft, row, knownColumns);
  return draft.toRecord(position, id);
}

/** Returns the providers in `raw_app_meta_data`. `provider` is the first one. `providers` may lack it. */
function readProviders(draft: CustomerDraft, app: JsonObject | null): string[] {
  const field = (name: string): string[] => readTextList(draft, `raw_app_meta_data.${name}`, app?.[name]);
  return [...new Set([...field('providers'), ...field('provider')].map((name) => name.toLowerCase()))];
}

/** Sets whether the email address is verified. A value that is missing or cannot be read makes it unverified. */
function setVerified(draft: CustomerDraft, row: Row, providers: readonly string[]): void {
  const isConfirmed = hasTime(row['email_confirmed_at']);
  const isSso = readSso(row, providers);
  draft.set('emailVerified', isConfirmed === true && isSso === false);
  if (isConfirmed === null) draft.leaveOut('email_confirmed_at', unknown.confirmation);
  const cell = row['is_sso_user'];
  if (isSso === null && (isConfirmed !== false || cell !== ''))
    draft.leaveOut('is_sso_user', cell ? unknown.boolean : unknown.provenance);
  // Supabase allows several users with the same address if single sign-on has set it.
  if (isConfirmed && isSso) draft.leaveOut('email_confirmed_at', reasons.companyAddress);
}

/**
 * Returns true if a company has set the address through single sign-on, and null if that is unknown. Such a user has no
 * other provider.
 */
function readSso(row: Row, providers: readonly string[]): boolean | null {
  if (providers.some((provider) => /^sso(:|$)/.test(provider))) return true;
  // The column is never empty in Supabase, so an empty cell means that the value was lost.
  if (row['is_sso_user']) return readBoolean(row['is_sso_user']);
  return providers.length > 0 ? false : null;
}

/** Reports the permissions that a user has beyond the usual ones. */
function leaveOutRoles(draft: CustomerDraft, row: Row): void {
  const isAdmin = readBoolean(row['is_super_admin']);
  if (isAdmin !== false) draft.leaveOut('is_super_admin', isAdmin ? reasons.noRoles : unknown.boolean);
  if (!USUAL_ROLES.has(row['role'] ?? '')) draft.leaveOut('role', reasons.noRoles);
}

/** Reports the values that are unknown for the user. */
function leaveOutUnknown(draft: CustomerDraft, row: Row, { hasFactors }: RelatedRows): void {
  for (const [name, reason] of requiredColumns)
    if (name in row) continue;
    else if (name === 'banned_until') draft.leaveOutBan(name, reason);
    else draft.leaveOut(name, reason);
  if (hasTime(row['deleted_at']) === null) draft.leaveOut('deleted_at', unknown.deletion);
  if (readBoolean(row['is_anonymous']) === null) draft.leaveOut('is_anonymous', unknown.boolean);
  if (!hasFactors) draft.leaveOut('mfa_factors', unknown.factors);
}

/** Reports the user's provider accounts that the files do not contain. */
function leaveOutMissing(
  draft: CustomerDraft,
  providers: readonly string[],
  identities: readonly Identity[],
  { hasIdentities }: RelatedRows,
): void {
  const unknownReason = hasIdentities ? unknown.identityRow : unknown.identities;
  for (const provider of providers) {
    const isListed = identities.some((identity) => identity.provider === provider);
    if (ownProviders.has(provider) || isListed) continue;
    draft.leaveOut(
      `identity ${provider}`,
      findUnusableProvider(unusableProviders, provider) ?? unknownReason,
    );
  }
  if (providers.length === 0 && !hasIdentities) draft.leaveOut('identities', unknown.identities);
}

/** Sets the metadata and the names. @returns `raw_app_meta_data`, or null if it is not an object */
function convertMetadata(draft: CustomerDraft, row: Row): JsonObject | null {
  const app = parseMetadata(row['raw_app_meta_data']);
  const user = parseMetadata(row['raw_user_meta_data']);
  if (!app) draft.leaveOut('raw_app_meta_data', reasons.metadataNotObject);
  if (!user) draft.leaveOut('raw_user_meta_data', reasons.metadataNotObject);
  draft.setMetadata('metadata', 'raw_app_meta_data', omitNames(app ?? {}, OWN_APP_METADATA));
  draft.setMetadata('publicMetadata', 'raw_user_meta_data', omitNames(user ?? {}, OWN_METADATA));
  const text = (name: string): string => (typeof user?.[name] === 'string' ? user[name] : '');
  draft
    .setName('firstName', 'first_name', text('first_name') || text('given_name'))
    .setName('lastName', 'last_name', text('last_name') || text('family_name'))
    .setFullName('full_name', text('full_name') || text('name'));
  return app;
}

/** Parses metadata. Returns null if it is not a JSON object. */
function parseMetadata(text: string | undefined): JsonObject | null {
  return text ? toObject(parseJson(text)) : {};
}

const omitNames = (metadata: JsonObject, names: Set<string>): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.has(name)));
