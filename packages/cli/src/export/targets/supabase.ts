import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../json-object.js';
import {
  addEntry,
  convertIdentities,
  copyMetadata,
  Differences,
  hasEntries,
  NO_DISABLED_TIME,
  NO_IMAGE,
  NO_MFA_REQUIREMENT,
  NO_PASSKEYS,
  RESERVED_NAME,
  type NamedIdentity,
} from '../differences.js';
import { argon2Text, convertPassword, fbscryptText, type PortableHash } from '../portable-hash.js';
import type { ConvertedCustomer, ExportedCustomer, ExportTarget, Reason } from '../target.js';

const USER_COLUMNS = [
  ...['instance_id', 'id', 'aud', 'role', 'email', 'encrypted_password', 'email_confirmed_at'],
  ...['confirmation_token', 'recovery_token', 'email_change_token_new', 'email_change', 'last_sign_in_at'],
  ...['raw_app_meta_data', 'raw_user_meta_data', 'created_at', 'updated_at', 'banned_until'],
];
const IDENTITY_COLUMNS = ['provider_id', 'user_id', 'identity_data', 'provider', 'created_at', 'updated_at'];
const FACTOR_COLUMNS = [
  ...['id', 'user_id', 'friendly_name', 'factor_type', 'status', 'created_at', 'updated_at', 'secret'],
];

const INSTANCE_ID = '00000000-0000-0000-0000-000000000000';

/** The end of a permanent ban. Supabase Auth cannot read the PostgreSQL value `infinity`. */
const NEVER = '2999-12-31T00:00:00.000Z';

/** The Supabase Auth limits for argon2, and for the `encrypted_password` column. */
const MAX_ARGON2 = { memory: 2 ** 20, passes: 20, lanes: 16 };
const MAX_HASH_LENGTH = 255;

/** The metadata entries that Supabase Auth sets. */
const OWN_APP_METADATA = new Set(['provider', 'providers']);
const OWN_USER_METADATA = new Set(['sub', 'iss', 'email', 'email_verified', 'phone_verified', 'provider_id']);
const rejectNames =
  (names: ReadonlySet<string>) =>
  (name: string): Reason | null =>
    names.has(name) ? RESERVED_NAME : null;

const IN_APP_METADATA: Reason = {
  reason: 'Supabase has no external id: the value becomes external_id in raw_app_meta_data',
  remedy: 'Read app_metadata.external_id in your application',
};
const userMetadataReason = (name: string): Reason => ({
  reason: `Supabase has no such column: the value becomes ${name} in raw_user_meta_data`,
  remedy: `Read user_metadata.${name} in your application`,
});
const EDITABLE: Reason = {
  reason: 'It becomes raw_user_meta_data, which Supabase users can edit',
  remedy:
    'Before the export, move entries that control access into metadata, which becomes raw_app_meta_data',
};

const csv = (columns: readonly string[]): { head: string; separator: string; tail: string } => ({
  head: `${columns.join(',')}\n`,
  separator: '',
  tail: '',
});

/**
 * Writes the tables `auth.users`, `auth.identities` and `auth.mfa_factors` as CSV files, for `\copy` in psql. Source of
 * the columns and hash formats: the migrations and internal/crypto/password.go in Supabase Auth
 * (https://github.com/supabase/auth).
 */
export const supabase: ExportTarget = {
  name: 'supabase',
  description: 'users.csv, identities.csv and mfa_factors.csv, for the tables of the auth schema',
  files: [
    { name: 'users.csv', ...csv(USER_COLUMNS) },
    { name: 'identities.csv', ...csv(IDENTITY_COLUMNS) },
    { name: 'mfa_factors.csv', ...csv(FACTOR_COLUMNS) },
  ],
  providers: {
    google: 'google',
    github: 'github',
    apple: 'apple',
    microsoft: 'azure',
    discord: 'discord',
    gitlab: 'gitlab',
  },
  convert(customer, options) {
    const differences = new Differences();
    const identities = convertIdentities(customer, options, differences);
    differences.leaveOutIfSet(customer, {
      ...{ passkeys: NO_PASSKEYS, mfa: NO_MFA_REQUIREMENT, imageUrl: NO_IMAGE },
    });
    if (customer.disabledAt) differences.change('disabledAt', NO_DISABLED_TIME);
    const password = convertPassword(customer, differences, toHash);
    // Users who only sign in with a provider have no email identity.
    const hasEmailIdentity = password !== null || identities.length === 0;
    const methods = hasEmailIdentity
      ? [{ provider: 'email', subject: customer.id }, ...identities]
      : identities;
    const user = toUser(customer, password, methods, differences);
    return {
      records: [[user], methods.map((method) => toIdentityRow(customer, method)), toFactorRows(customer)],
      differences: differences.list,
    } satisfies ConvertedCustomer;
  },
};

function toUser(
  customer: ExportedCustomer,
  password: string | null,
  methods: readonly NamedIdentity[],
  differences: Differences,
): string {
  const providers = [...new Set(methods.map(({ provider }) => provider))];
  const app = { provider: providers[0], providers, ...toAppMetadata(customer, differences) };
  const user = toUserMetadata(customer, differences);
  const { id, email, createdAt, updatedAt, lastLoginAt } = customer;
  // Supabase Auth cannot read null tokens.
  const tokens = ['', '', '', ''];
  return toRow([
    ...[INSTANCE_ID, id, 'authenticated', 'authenticated', email, password],
    ...[customer.emailVerified ? createdAt : null, ...tokens, lastLoginAt],
    ...[JSON.stringify(app), JSON.stringify(user), createdAt, updatedAt, customer.disabledAt ? NEVER : null],
  ]);
}

/** Returns the hash, or null for a hash that Supabase Auth cannot verify. */
function toHash(hash: PortableHash): string | null {
  if (hash.scheme === 'bcrypt') return hash.text;
  if (hash.scheme === 'fbscrypt') {
    const text = fbscryptText(hash);
    return text.length <= MAX_HASH_LENGTH ? text : null;
  }
  if (hash.scheme !== 'argon2') return null;
  const isAccepted =
    hash.memory <= MAX_ARGON2.memory && hash.passes <= MAX_ARGON2.passes && hash.lanes <= MAX_ARGON2.lanes;
  return isAccepted ? argon2Text(hash) : null;
}

function toAppMetadata({ id, externalId, metadata }: ExportedCustomer, differences: Differences): JsonObject {
  const app = copyMetadata('metadata', metadata, rejectNames(OWN_APP_METADATA), differences);
  const value = externalId === id ? null : externalId;
  addEntry(app, 'external_id', { field: 'externalId', value, change: IN_APP_METADATA }, differences);
  return app;
}

function toUserMetadata(customer: ExportedCustomer, differences: Differences): JsonObject {
  const user = copyMetadata(
    'publicMetadata',
    customer.publicMetadata,
    rejectNames(OWN_USER_METADATA),
    differences,
  );
  if (hasEntries(user)) differences.change('publicMetadata', EDITABLE);
  for (const [field, name] of [
    ['firstName', 'first_name'],
    ['lastName', 'last_name'],
    ['locale', 'locale'],
  ] as const)
    addEntry(user, name, { field, value: customer[field], change: userMetadataReason(name) }, differences);
  return user;
}

function toIdentityRow(customer: ExportedCustomer, { provider, subject }: NamedIdentity): string {
  const { id, email, emailVerified, createdAt, updatedAt } = customer;
  // The email address at another provider is unknown, and Supabase links accounts by email address.
  const data = { sub: subject, ...(provider === 'email' && { email, email_verified: emailVerified }) };
  return toRow([subject, id, JSON.stringify(data), provider, createdAt, updatedAt]);
}

function toFactorRows({ id, totpSecret, createdAt, updatedAt }: ExportedCustomer): string[] {
  if (!totpSecret) return [];
  return [toRow([randomUUID(), id, 'Gatehouse', 'totp', 'verified', createdAt, updatedAt, totpSecret])];
}

/** Returns a CSV row. PostgreSQL reads an empty cell as null, and `""` as an empty string. */
const toRow = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => (cell === null ? '' : quote(cell))).join(',')}\n`;

const quote = (text: string): string =>
  text === '' || /[",\r\n\\]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
