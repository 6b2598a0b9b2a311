import { usageError } from '../../cli-error.js';
import { toObject, type JsonObject } from '../../json-object.js';
import { parseTime } from '../../parse-time.js';
import { readColumns, readCsv, type Row } from '../read-files.js';
import { CustomerDraft, notImported } from '../source-fields.js';
import type { ImportSource, LeftOut, SourceRecord } from '../source.js';
import { leaveOutOthers, parseJson, setDisabled, setIdentities, setTime } from '../source-values.js';
import { reasons, type Reason } from '../reasons.js';
import { deadProviders, ownProviders } from './supabase-providers.js';

/** The identities of the users by their ids, one per line: the provider and its id of the user. A text takes little memory. */
type Identities = Map<string, string>;

/** The second factors of one user. */
interface Factors {
  totpSecret: string | null;
  leftOut: LeftOut[];
}

/** The rows of the other tables by the id of the user. */
interface Related {
  identities: Identities;
  factors: Map<string, Factors>;
}

/** Entries of `raw_user_meta_data` and `raw_app_meta_data` that Supabase writes, and that other columns contain. */
const OWN_METADATA = new Set(['sub', 'iss', 'email', 'email_verified', 'phone_verified', 'provider_id']);
const OWN_APP_METADATA = new Set(['provider', 'providers']);

/** Columns of `auth.users` that are read, or that have no meaning outside of Supabase. */
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

/**
 * Users of Supabase: the tables `auth.users`, `auth.identities` and `auth.mfa_factors` as CSV files with a header
 * (https://supabase.com/docs/guides/auth/architecture). The header shows which table a file contains.
 */
export const supabase: ImportSource = {
  name: 'supabase',
  files: 'auth.users, auth.identities and auth.mfa_factors as CSV files with a header',
  providers: {
    google: 'google',
    github: 'github',
    apple: 'apple',
    azure: 'microsoft',
    discord: 'discord',
    gitlab: 'gitlab',
  },
  deadProviders,
  async *read(files) {
    const tables = await Promise.all(files.map(async (file) => ({ file, table: await findTable(file) })));
    if (!tables.some(({ table }) => table === 'users'))
      throw usageError('None of the files is the table auth.users, which has the columns id and email.');
    const related: Related = { identities: new Map(), factors: new Map() };
    for (const { file, table } of tables) {
      if (table === 'identities') yield* readIdentities(file, related.identities);
      if (table === 'mfa_factors') yield* readFactors(file, related.factors);
    }
    for (const { file, table } of tables) {
      if (table !== 'users') continue;
      for await (const { position, value } of readCsv(file)) yield convertUser(position, value, related);
    }
    for (const id of new Set([...related.identities.keys(), ...related.factors.keys()]))
      yield notImported('', id, 'user_id', reasons.unmatchedRow);
  },
};

/** @throws CliError for another table */
async function findTable(file: string): Promise<'users' | 'identities' | 'mfa_factors'> {
  const columns = new Set(await readColumns(file));
  if (columns.has('user_id') && columns.has('provider_id')) return 'identities';
  if (columns.has('user_id') && columns.has('factor_type')) return 'mfa_factors';
  if (columns.has('id') && columns.has('email') && !columns.has('user_id')) return 'users';
  throw usageError(
    `${file} is none of the tables auth.users, auth.identities and auth.mfa_factors.`,
    'Export the tables with a header, as docs/moving-in/supabase.md describes.',
  );
}

async function* readIdentities(file: string, identities: Identities): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readCsv(file)) {
    const { user_id: userId, provider, provider_id: subject } = value;
    if (!userId || !provider || !subject || /\s/.test(provider + subject))
      yield notImported(position, userId || null, '', reasons.invalidRecord);
    else if (!ownProviders.has(provider)) {
      const others = identities.get(userId);
      const line = `${provider} ${subject}`;
      identities.set(userId, others === undefined ? line : `${others}\n${line}`);
    }
  }
}

function toIdentities(lines: string | undefined): { provider: string; subject: string }[] {
  return (lines?.split('\n') ?? []).map((line) => {
    const [provider, subject] = line.split(' ');
    return { provider: provider!, subject: subject! };
  });
}

async function* readFactors(file: string, factors: Map<string, Factors>): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readCsv(file)) {
    const { user_id: userId, status, factor_type: type, secret } = value;
    if (!userId) {
      yield notImported(position, null, '', reasons.invalidRecord);
      continue;
    }
    // The customer has never confirmed it.
    if (status === 'unverified') continue;
    const user = factors.get(userId) ?? { totpSecret: null, leftOut: [] };
    factors.set(userId, user);
    const problem = findFactorProblem(user, type, secret);
    if (problem) user.leftOut.push({ field: 'mfa_factors', ...problem });
    else user.totpSecret = secret!;
  }
}

function findFactorProblem(
  user: Factors,
  type: string | undefined,
  secret: string | undefined,
): Reason | null {
  if (type !== 'totp') return reasons.onlyTotp;
  if (!secret) return reasons.noSecret;
  if (secret.startsWith('{')) return reasons.supabaseSecret;
  return user.totpSecret === null ? null : reasons.oneApp;
}

function convertUser(position: string, row: Row, related: Related): SourceRecord {
  const { id } = row;
  if (!id) return notImported(position, null, '', reasons.invalidRecord);
  const identities = toIdentities(related.identities.get(id));
  const factors = related.factors.get(id);
  related.identities.delete(id);
  related.factors.delete(id);
  if (row['deleted_at']) return notImported(position, id, '', reasons.deleted);
  if (isTrue(row['is_anonymous'])) return notImported(position, id, '', reasons.anonymous);
  const draft = new CustomerDraft()
    .setId('id', id)
    .set('email', row['email'])
    .set('emailVerified', Boolean(row['email_confirmed_at']) && !isTrue(row['is_sso_user']));
  setTime(draft, 'createdAt', 'created_at', row['created_at']);
  setTime(draft, 'updatedAt', 'updated_at', row['updated_at']);
  setTime(draft, 'lastLoginAt', 'last_sign_in_at', row['last_sign_in_at']);
  if (row['encrypted_password']) draft.setPasswordHash('encrypted_password', row['encrypted_password']);
  if (row['phone']) draft.leaveOut('phone', reasons.noPhone);
  // Supabase allows several such users with the address of another one.
  if (row['email_confirmed_at'] && isTrue(row['is_sso_user']))
    draft.leaveOut('email_confirmed_at', reasons.addressOfCompany);
  convertBan(draft, row);
  convertMetadata(draft, row);
  if (factors?.totpSecret) draft.setTotpSecret('mfa_factors', factors.totpSecret);
  setIdentities(draft, identities);
  draft.leftOut.push(...(factors?.leftOut ?? []));
  leaveOutOthers(draft, row, knownColumns);
  return { position, sourceId: id, customer: draft.finish(), leftOut: draft.leftOut };
}

/** Disables a customer whose ban has not ended. */
function convertBan(draft: CustomerDraft, row: Row): void {
  const until = row['banned_until'];
  if (!until) return;
  const end = parseTime(until);
  // PostgreSQL writes a ban without an end as `infinity`, which is no date.
  if (end <= Date.now()) return;
  setDisabled(draft, [row['updated_at'], row['created_at']]);
  draft.leaveOut('banned_until', reasons.banWithoutEnd);
}

function convertMetadata(draft: CustomerDraft, row: Row): void {
  const app = parseMetadata(row['raw_app_meta_data']);
  const user = parseMetadata(row['raw_user_meta_data']);
  if (!app) draft.leaveOut('raw_app_meta_data', reasons.metadataNotObject);
  if (!user) draft.leaveOut('raw_user_meta_data', reasons.metadataNotObject);
  draft.setMetadata('metadata', 'raw_app_meta_data', without(app ?? {}, OWN_APP_METADATA));
  draft.setMetadata('publicMetadata', 'raw_user_meta_data', without(user ?? {}, OWN_METADATA));
  const text = (name: string): string => (typeof user?.[name] === 'string' ? user[name] : '');
  draft
    .setName('firstName', 'first_name', text('first_name') || text('given_name'))
    .setName('lastName', 'last_name', text('last_name') || text('family_name'))
    .setFullName('full_name', text('full_name') || text('name'));
}

/** Returns null for a text that is not an object. */
function parseMetadata(text: string | undefined): JsonObject | null {
  return text ? toObject(parseJson(text)) : {};
}

const without = (metadata: JsonObject, names: Set<string>): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.has(name)));

/** PostgreSQL writes `t`, the SQL editor of Supabase `true`. */
const isTrue = (cell: string | undefined): boolean => cell === 't' || cell === 'true';
