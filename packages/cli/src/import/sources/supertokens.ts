import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../cli-error.js';
import { toObject, type JsonObject } from '../../json-object.js';
import { NO_OPENID, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { decodeBase64, firebaseScryptHash } from '../password-hashes.js';
import { parseBoolean } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import { addMetadata, invalidRecord, isAbsent, parseJson, setIdentities, toTime } from '../source-values.js';
import { addTenant, findTables, readTable, requireTable, type TableShape } from '../tables.js';
import { unknown } from '../unknown-reasons.js';

type Table =
  | 'all_auth_recipe_users'
  | 'emailpassword_users'
  | 'thirdparty_users'
  | 'passwordless_users'
  | 'emailverification_verified_emails'
  | 'user_metadata'
  | 'user_roles'
  | 'totp_user_devices'
  | 'userid_mapping'
  | 'webauthn_credentials';

const ADD_TABLE =
  'Export the table, with its header even if it is empty, and also pass the file to the command';

const ownReasons = {
  noSignerKey: {
    reason: 'The hash is a Firebase hash, but the signer key is missing',
    remedy: 'Pass --signer-key <file> with the firebase_password_hashing_signer_key of the SuperTokens core',
  },
  missingAccount: {
    reason: 'The files contain no account for this user',
    remedy:
      'Also pass the files of the tables emailpassword_users, thirdparty_users and passwordless_users to the command',
  },
  noHash: {
    reason: 'The row of emailpassword_users contains no password hash',
    remedy: 'Export the table again, and run the command again, or send the customer a password reset',
  },
  missingRecipe: {
    reason: 'The files lack an account that all_auth_recipe_users lists for the user',
    remedy: 'Export all tables at the same time, and run the command again with all of them',
  },
  noVerified: {
    reason:
      'The table emailverification_verified_emails is missing, so the email address is imported as not verified',
    remedy: ADD_TABLE,
  },
  noMetadata: { reason: 'The table user_metadata is missing, so the metadata is unknown', remedy: ADD_TABLE },
  noRoles: {
    reason: 'The table user_roles is missing, so it is unknown whether the user has roles',
    remedy: ADD_TABLE,
  },
  noDevices: {
    reason: 'The table totp_user_devices is missing, so it is unknown whether the user has a second factor',
    remedy: ADD_TABLE,
  },
  noMapping: {
    reason: 'The table userid_mapping is missing, so the id of SuperTokens becomes the externalId',
    remedy: ADD_TABLE,
  },
  unknownUser: {
    reason: 'The table all_auth_recipe_users does not contain the user of this row',
    remedy: 'Export all tables at the same time, and run the command again',
  },
  passkey: {
    reason: 'SuperTokens does not store passkeys in a form that can be moved',
    remedy: 'Ask the customer to add a passkey again',
  },
} satisfies Record<string, Reason>;

const shapes: readonly TableShape<Table>[] = [
  { name: 'all_auth_recipe_users', columns: ['user_id', 'primary_or_recipe_user_id', 'recipe_id'] },
  { name: 'emailpassword_users', columns: ['user_id', 'email', 'password_hash'] },
  { name: 'thirdparty_users', columns: ['user_id', 'third_party_id', 'third_party_user_id'] },
  { name: 'passwordless_users', columns: ['user_id', 'email', 'phone_number'] },
  { name: 'webauthn_credentials', columns: ['user_id', 'rp_id', 'public_key'] },
  { name: 'totp_user_devices', columns: ['user_id', 'secret_key', 'verified'] },
  { name: 'userid_mapping', columns: ['supertokens_user_id', 'external_user_id'] },
  { name: 'user_metadata', columns: ['user_id', 'user_metadata'] },
  { name: 'user_roles', columns: ['user_id', 'role'] },
  { name: 'emailverification_verified_emails', columns: ['user_id', 'email'] },
];
/** Tables that every export should contain, with the reason to report if one is missing. */
const requiredTables: readonly [name: Table, reason: Reason][] = [
  ['emailverification_verified_emails', ownReasons.noVerified],
  ['user_metadata', ownReasons.noMetadata],
  ['user_roles', ownReasons.noRoles],
  ['totp_user_devices', ownReasons.noDevices],
  ['userid_mapping', ownReasons.noMapping],
];

/** The tables with the accounts, by `recipe_id`. */
const recipeTables: ReadonlyMap<string, Table> = new Map([
  ['emailpassword', 'emailpassword_users'],
  ['thirdparty', 'thirdparty_users'],
  ['passwordless', 'passwordless_users'],
  ['webauthn', 'webauthn_credentials'],
]);

const columnNames = new Set([
  ...shapes.flatMap(({ columns }) => columns),
  ...['app_id', 'tenant_id'],
  'time_joined',
  'period',
  'verified',
]);

/** A row in one of the tables. */
type Row = JsonObject & { position: string };

/** The rows of the tables, by user id. */
type Rows = Record<Table, Map<string, Row[]>>;

/** A primary user: the accounts that SuperTokens has linked. */
interface PrimaryUser {
  /** The id that the application uses. */
  id: string;
  /** The ids of the user's rows in the other tables. */
  ids: ReadonlySet<string>;
}

/**
 * Reads SuperTokens users from the database tables
 * (https://supertokens.com/docs/contribute/checklists/saas/tables-to-consider-for-data-migration-dev-to-prod, with the
 * columns in supertokens-postgresql-plugin/…/queries). All tables are kept in memory.
 */
export const supertokens: ImportSource = {
  name: 'supertokens',
  files: 'the tables all_auth_recipe_users, emailpassword_users and others as CSV files with a header',
  providers: { google: 'google', github: 'github', apple: 'apple', discord: 'discord', gitlab: 'gitlab' },
  unusableProviders: withReason(NO_OPENID, SOCIAL_WITHOUT_OPENID),
  options: [
    {
      flags: '--signer-key <file>',
      description:
        'file with the firebase_password_hashing_signer_key, for passwords that came from Firebase',
    },
  ],
  async *read(files, options) {
    const signerKey = await readSignerKey(options);
    const tables = await findTables(files, shapes, 'supertokens');
    requireTable(tables, 'all_auth_recipe_users');
    const rows = Object.fromEntries(shapes.map(({ name }) => [name, new Map<string, Row[]>()])) as Rows;
    const apps = new Set<string>();
    for (const { file, table } of tables) {
      for await (const { position, value } of readTable(file, columnNames)) {
        addTenant(apps, value, 'app_id');
        const id = toText(value?.['user_id']) || toText(value?.['supertokens_user_id']);
        if (!value || !id) yield invalidRecord(position);
        else rows[table].set(id, [...(rows[table].get(id) ?? []), { ...value, position }]);
      }
    }
    assertSameTenants(rows);
    const missing = requiredTables.filter(([name]) => !tables.some(({ table }) => table === name));
    const known = new Set<string>();
    for (const user of listPrimaryUsers(rows)) {
      for (const id of user.ids) known.add(id);
      const record = convertPrimaryUser(user, rows, signerKey);
      if (record.customer) for (const [field, reason] of missing) record.leftOut.push({ field, ...reason });
      yield record;
    }
    for (const { name } of shapes)
      for (const [id, [row]] of rows[name])
        if (!known.has(id)) yield notImported(row!.position, id, '', ownReasons.unknownUser);
  },
};

async function readSignerKey({ values }: SourceOptions): Promise<Buffer | null> {
  const file = values['signerKey'];
  if (file === undefined) return null;
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  const key = decodeBase64(text.trim());
  if (!key) throw usageError(`${file} contains no key in base64.`);
  return key;
}

/**
 * Rejects users from several tenants, unless each user belongs to all of them, because users of different tenants can
 * have the same address.
 * @throws CliError
 */
function assertSameTenants({ all_auth_recipe_users: users }: Rows): void {
  const tenants = new Set<string>();
  const listTenants = (rows: Row[]): Set<string> => new Set(rows.map((row) => toText(row['tenant_id'])));
  for (const rows of users.values()) for (const tenant of listTenants(rows)) tenants.add(tenant);
  for (const rows of users.values())
    if (listTenants(rows).size < tenants.size)
      throw usageError(
        'The files contain users of several tenants, who can have the same addresses.',
        'Export the users of each tenant as docs/moving-in/supertokens.md describes, and import each into a separate project.',
      );
}

function* listPrimaryUsers({
  all_auth_recipe_users: users,
  userid_mapping: mapping,
}: Rows): Generator<PrimaryUser> {
  const members = new Map<string, Set<string>>();
  for (const [userId, [row]] of users) {
    const primary = toText(row!['primary_or_recipe_user_id']) || userId;
    members.set(primary, (members.get(primary) ?? new Set([primary])).add(userId));
  }
  const externalId = (id: string): string => toText(mapping.get(id)?.[0]?.['external_user_id']);
  for (const [primary, ids] of members)
    yield {
      id: externalId(primary) || primary,
      // The tables of other features use the external id if the user has one.
      ids: new Set([...ids].flatMap((id) => [id, externalId(id)]).filter((id) => id !== '')),
    };
}

function convertPrimaryUser({ id, ids }: PrimaryUser, rows: Rows, signerKey: Buffer | null): SourceRecord {
  const list = (table: Table): Row[] => [...ids].flatMap((each) => rows[table].get(each) ?? []);
  const [passwords, thirdParty, passwordless] = [
    list('emailpassword_users'),
    list('thirdparty_users'),
    list('passwordless_users'),
  ];
  const accounts = [...passwords, ...thirdParty, ...passwordless];
  const position = accounts[0]?.position ?? list('all_auth_recipe_users')[0]!.position;
  if (accounts.length === 0 && list('webauthn_credentials').length === 0)
    return notImported(position, id, '', ownReasons.missingAccount);
  const draft = new CustomerDraft().setId('user_id', id);
  for (const recipe of listMissingRecipes(list('all_auth_recipe_users'), rows))
    draft.leaveOut(recipe, ownReasons.missingRecipe);
  setEmail(draft, accounts, list('emailverification_verified_emails'));
  setJoined(draft, accounts);
  setPassword(draft, passwords, signerKey);
  setAccounts(draft, thirdParty);
  setDevices(draft, list('totp_user_devices'));
  setUserMetadata(draft, list('user_metadata'));
  if (list('webauthn_credentials').length > 0) draft.leaveOut('webauthn_credentials', ownReasons.passkey);
  if (list('user_roles').length > 0) draft.leaveOut('user_roles', reasons.noRoles);
  if (passwordless.some((row) => toText(row['phone_number']) !== ''))
    draft.leaveOut('phone_number', reasons.noPhone);
  return { ...draft.toRecord(position, id), isBanUnknown: true };
}

/** Returns the recipes of the accounts that the files do not contain. */
function listMissingRecipes(recipes: Row[], rows: Rows): Set<string> {
  const hasRow = (table: Table, row: Row): boolean => rows[table].has(toText(row['user_id']));
  const missing = recipes.filter((row) => {
    const table = recipeTables.get(toText(row['recipe_id']));
    return table ? !hasRow(table, row) : ![...recipeTables.values()].some((each) => hasRow(each, row));
  });
  return new Set(missing.map((row) => toText(row['recipe_id']) || 'recipe_id'));
}

/** Sets the address of the account with a password. Without such an account, sets the first verified or first address. */
function setEmail(draft: CustomerDraft, accounts: Row[], verified: Row[]): void {
  const proven = new Set(verified.map((row) => toText(row['email']).toLowerCase()));
  const emails = accounts.map((row) => toText(row['email'])).filter((email) => email !== '');
  const isProven = (email: string): boolean => proven.has(email.toLowerCase());
  const hasPassword = accounts.some((row) => 'password_hash' in row && toText(row['email']) !== '');
  const email = hasPassword ? emails[0] : (emails.find(isProven) ?? emails[0]);
  draft.set('email', email);
  if (email !== undefined) draft.set('emailVerified', isProven(email));
  if (emails.some((each) => each.toLowerCase() !== email?.toLowerCase()))
    draft.leaveOut('email', reasons.oneEmail);
}

/** Sets the oldest account's creation time. */
function setJoined(draft: CustomerDraft, accounts: Row[]): void {
  const values = accounts.map((row) => row['time_joined']).filter((value) => toText(value) !== '');
  const times = values.map(toTime).filter((time) => time !== null);
  if (times.length < values.length) draft.leaveOut('time_joined', reasons.noTime);
  draft.set('createdAt', times.sort()[0]);
}

function setAccounts(draft: CustomerDraft, rows: Row[]): void {
  const identities = new Map<string, { provider: string; subject: string }>();
  for (const row of rows) {
    const [provider, subject] = [toText(row['third_party_id']), toText(row['third_party_user_id'])];
    if (provider && subject) identities.set(JSON.stringify([provider, subject]), { provider, subject });
    else draft.leaveOut('thirdparty_users', reasons.identityWithoutId);
  }
  setIdentities(draft, [...identities.values()]);
}

function setPassword(draft: CustomerDraft, passwords: Row[], signerKey: Buffer | null): void {
  const [first, ...others] = passwords.filter((row) => toText(row['password_hash']) !== '');
  const hash = toText(first?.['password_hash']);
  for (const row of others)
    if (row['user_id'] !== first!['user_id']) draft.leaveOut('password_hash', reasons.onePassword);
    // An export can contain a row twice.
    else if (toText(row['password_hash']) !== hash) draft.leaveOut('password_hash', reasons.otherRow);
  if (!hash) {
    if (passwords.length > 0) draft.leaveOut('password_hash', ownReasons.noHash);
    return;
  }
  if (!hash.startsWith('$f_scrypt$')) draft.setPasswordHash('password_hash', hash);
  else if (!signerKey) draft.leaveOut('password_hash', ownReasons.noSignerKey);
  else {
    const converted = convertFirebaseHash(hash, signerKey);
    if (converted) draft.setPasswordHash('password_hash', converted);
    else draft.leaveOut('password_hash', reasons.malformedHash);
  }
}

/** Converts `$f_scrypt$<hash>$<salt>$m=<memory cost>$r=<rounds>$s=<salt separator>`. */
function convertFirebaseHash(text: string, signerKey: Buffer): string | null {
  const [, memoryCost, rounds] = /\$m=(\d{1,3})\$r=(\d{1,3})\$s=/.exec(text) ?? [];
  const [hash, salt] = text.split('$').slice(2, 4).map(decodeBase64);
  const saltSeparator = decodeBase64(text.split('$s=')[1]);
  if (!hash || !salt || !saltSeparator || !memoryCost || !rounds) return null;
  const config = { signerKey, saltSeparator, rounds: Number(rounds), memoryCost: Number(memoryCost) };
  return firebaseScryptHash(config, salt, hash);
}

function setDevices(draft: CustomerDraft, devices: Row[]): void {
  for (const row of devices)
    // The column is not nullable, so an empty cell means that the value was lost.
    if (typeof parseBoolean(row['verified']) !== 'boolean')
      draft.leaveOut('totp_user_devices', unknown.boolean);
  // The user has never confirmed the other devices.
  const [device, ...others] = devices.filter((row) => parseBoolean(row['verified']));
  if (!device) return;
  if (toText(device['period'] ?? '30') !== '30') draft.leaveOut('totp_user_devices', reasons.totpParameters);
  else draft.setTotpSecret('totp_user_devices', toText(device['secret_key']));
  // An export can contain a row twice.
  if (others.some((row) => !isDeepStrictEqual({ ...row, position: '' }, { ...device, position: '' })))
    draft.leaveOut('totp_user_devices', reasons.oneApp);
}

/**
 * Sets the metadata of all linked accounts. If several accounts have the same key, the first value is kept, and
 * different ones are left out.
 */
function setUserMetadata(draft: CustomerDraft, rows: Row[]): void {
  const metadata: JsonObject = {};
  for (const { user_metadata: value } of rows) {
    const own = toObject(typeof value === 'string' ? parseJson(value) : value);
    if (own)
      for (const [name, each] of Object.entries(own))
        if (!isDeepStrictEqual(metadata[name], each)) addMetadata(draft, metadata, name, each);
    if (!own && (value ?? null) !== null) draft.leaveOut('user_metadata', reasons.metadataNotObject);
  }
  const { first_name: firstName, last_name: lastName, ...others } = metadata;
  draft
    .setName('firstName', 'user_metadata.first_name', toText(firstName))
    .setName('lastName', 'user_metadata.last_name', toText(lastName));
  // A value of another type stays in the metadata.
  if (toText(firstName) === '' && !isAbsent(firstName)) others['first_name'] = firstName;
  if (toText(lastName) === '' && !isAbsent(lastName)) others['last_name'] = lastName;
  draft.setMetadata('metadata', 'user_metadata', others);
}
