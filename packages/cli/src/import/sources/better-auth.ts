import type { JsonObject } from '../../json-object.js';
import { parseTime } from '../../parse-time.js';
import { NO_OPENID, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { encodeBase32 } from '../password-hashes.js';
import { readBoolean, readFlag } from '../read-boolean.js';
import { reasons, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  leaveOutOthers,
  leaveOutText,
  setDisabled,
  setIdentities,
  setTime,
  invalidRecord,
} from '../source-values.js';
import {
  findTables,
  readTable,
  requireTable,
  RowsByUser,
  withOffset,
  type TableFile,
  type TableShape,
} from '../tables.js';
import { unknown } from '../unknown-reasons.js';

type Table = 'user' | 'account' | 'twoFactor' | 'passkey';

/** The rows of the other tables by the id of the user. */
interface Related {
  accounts: RowsByUser<{ provider: string; subject: string; password: string }>;
  factors: RowsByUser<Factor>;
  passkeys: RowsByUser<true>;
  hasFactors: boolean;
}

interface Factor {
  secret: string;
  hasCodes: boolean;
  /** Whether the customer has confirmed the app, or null for a value that is neither true nor false. */
  isVerified: boolean | null;
}

const ownReasons = {
  encryptedSecret: {
    reason: 'Better Auth has encrypted the secret of the authenticator app',
    remedy:
      'Decrypt the secrets as docs/moving-in/better-auth.md describes. Otherwise, the customer sets up a second factor again',
  },
  missingFactors: {
    reason: 'The user has a second factor, and the files do not contain it',
    remedy: 'Add the table twoFactor to the command',
  },
  banColumn: {
    reason: 'The column is missing, so it is unknown whether the user is banned: the customer can sign in',
    remedy:
      'Export the table with this column. If you do not use the plugin admin, add the column with the value false',
  },
  factorColumn: {
    reason: 'The column is missing, so it is unknown whether the user has a second factor: none is imported',
    remedy:
      'Export the table with this column. If you do not use the plugin two-factor, add the column with the value false',
  },
  noAccounts: {
    reason: 'The table account has no rows, so the passwords and accounts of the user are unknown',
    remedy: 'Export the table account again with all rows, and run the command again',
  },
  passkey: {
    reason: 'Better Auth does not store the user handle of passkeys, without which they cannot be verified',
    remedy: 'The customer adds a passkey again',
  },
} satisfies Record<string, Reason>;

const shapes: readonly TableShape<Table>[] = [
  { name: 'passkey', columns: ['credentialID', 'publicKey', 'userId'] },
  { name: 'twoFactor', columns: ['secret', 'backupCodes', 'userId'] },
  { name: 'account', columns: ['accountId', 'providerId', 'userId'] },
  { name: 'user', columns: ['id', 'email', 'emailVerified'] },
];

/** Columns of `user` that are read, or that have no meaning outside of Better Auth. */
const knownColumns = new Set([
  ...['id', 'name', 'email', 'emailVerified', 'image', 'createdAt', 'updatedAt', 'normalizedEmail'],
  ...['role', 'banned', 'banReason', 'banExpires', 'twoFactorEnabled', 'isAnonymous'],
  ...['username', 'displayUsername', 'phoneNumber', 'phoneNumberVerified', 'lastLoginMethod'],
]);
const otherColumns = [
  ...['userId', 'accountId', 'providerId', 'password', 'secret', 'backupCodes', 'verified', 'credentialID'],
];

/**
 * Users of Better Auth: the tables of https://www.better-auth.com/docs/concepts/database#core-schema, and those of the
 * plugins two-factor, passkey, admin, username, phone-number and anonymous
 * (https://www.better-auth.com/docs/plugins/2fa#schema and the pages beside it).
 */
export const betterAuth: ImportSource = {
  name: 'better-auth',
  files: 'the tables user, account, twoFactor and passkey as CSV files with a header, or as JSON',
  // Better Auth does not document that its ids of Microsoft are the claim `sub`, which Gatehouse compares.
  providers: { google: 'google', github: 'github', apple: 'apple', discord: 'discord', gitlab: 'gitlab' },
  unusableProviders: withReason(NO_OPENID, SOCIAL_WITHOUT_OPENID),
  async *read(files) {
    const tables = await findTables(files, shapes, 'better-auth');
    requireTable(tables, 'user');
    requireTable(tables, 'account');
    const related: Related = {
      accounts: new RowsByUser(),
      factors: new RowsByUser(),
      passkeys: new RowsByUser(),
      hasFactors: tables.some(({ table }) => table === 'twoFactor'),
    };
    for (const table of tables) if (table.table !== 'user') yield* readRelated(table, related);
    for (const { file, table } of tables) {
      if (table !== 'user') continue;
      for await (const { position, value } of readTable(file, knownColumns))
        yield value ? convertUser(position, value, related) : invalidRecord(position);
    }
    const { accounts, factors, passkeys } = related;
    for (const id of new Set([accounts, factors, passkeys].flatMap(({ remainingIds }) => remainingIds)))
      yield notImported('', id, 'userId', reasons.unmatchedRow);
  },
};

async function* readRelated(
  { file, table }: TableFile<Table>,
  { accounts, factors, passkeys }: Related,
): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readTable(file, otherColumns)) {
    const userId = toText(value?.['userId']);
    const text = (name: string): string => toText(value?.[name]);
    if (!userId) yield invalidRecord(position);
    else if (table === 'passkey') passkeys.add(userId, true);
    else if (table === 'account')
      accounts.add(userId, {
        ...{ provider: text('providerId'), subject: text('accountId') },
        password: text('password'),
      });
    else
      factors.add(userId, {
        ...{ secret: text('secret'), hasCodes: text('backupCodes') !== '' },
        // Only newer versions have the column.
        isVerified: readBoolean(value?.['verified'] ?? true),
      });
  }
}

function convertUser(position: string, row: JsonObject, related: Related): SourceRecord {
  const id = toText(row['id']);
  if (!id) return invalidRecord(position);
  const taken = {
    accounts: related.accounts.take(id),
    factors: related.factors.take(id),
    passkeys: related.passkeys.take(id),
  };
  if (readBoolean(row['isAnonymous'])) return notImported(position, id, '', reasons.anonymous);
  const isBanned = readBoolean(row['banned']);
  if (isBanned === null) return notImported(position, id, 'banned', unknown.ban);
  const draft = new CustomerDraft()
    .setId('id', id)
    .set('email', toText(row['email']))
    .setFullName('name', toText(row['name']));
  draft.set('emailVerified', readFlag(draft, 'emailVerified', row['emailVerified']));
  draft.setImage('image', row['image']);
  readFlag(draft, 'isAnonymous', row['isAnonymous']);
  setTime(draft, 'createdAt', 'createdAt', withOffset(row['createdAt']));
  setTime(draft, 'updatedAt', 'updatedAt', withOffset(row['updatedAt']));
  setAccounts(draft, taken.accounts);
  if (related.accounts.isEmpty) draft.leaveOut('account', ownReasons.noAccounts);
  setFactors(draft, row, taken.factors, related.hasFactors);
  if (taken.passkeys.length > 0) draft.leaveOut('passkey', ownReasons.passkey);
  if (isBanned) setBan(draft, row);
  if (!('banned' in row)) draft.leaveOutBan('banned', ownReasons.banColumn);
  // The default of the admin plugin.
  if (toText(row['role']) !== 'user') leaveOutText(draft, 'role', row['role'], reasons.noRoles);
  leaveOutText(draft, 'username', row['username'], reasons.noUsername);
  leaveOutText(draft, 'phoneNumber', row['phoneNumber'], reasons.noPhone);
  leaveOutOthers(draft, row, knownColumns);
  return draft.toRecord(position, id);
}

function setAccounts(
  draft: CustomerDraft,
  accounts: readonly { provider: string; subject: string; password: string }[],
): void {
  const identities: { provider: string; subject: string }[] = [];
  let hasPassword = false;
  for (const { provider, subject, password } of accounts) {
    // A social account contains no password, and the credential no account elsewhere.
    if (provider === 'credential') {
      if (password && hasPassword) draft.leaveOut('account.password', reasons.onePassword);
      else if (password) draft.setPasswordHash('account.password', password);
      else draft.leaveOut('account.password', reasons.missingPassword);
      hasPassword ||= password !== '';
    } else if (provider && subject) identities.push({ provider, subject });
    else draft.leaveOut('account', reasons.identityWithoutId);
  }
  setIdentities(draft, identities);
}

function setFactors(
  draft: CustomerDraft,
  row: JsonObject,
  factors: readonly Factor[],
  hasTable: boolean,
): void {
  const isMissing = !('twoFactorEnabled' in row) && (!hasTable || factors.length > 0);
  if (isMissing) draft.leaveOut('twoFactorEnabled', ownReasons.factorColumn);
  // Before the customer has confirmed the app, the row is there, but the factor is off.
  if (!readFlag(draft, 'twoFactorEnabled', row['twoFactorEnabled'])) return;
  for (const { isVerified } of factors)
    if (isVerified === null) draft.leaveOut('twoFactor.verified', unknown.boolean);
  const [factor, ...others] = factors.filter(({ isVerified }) => isVerified);
  if (!factor?.secret)
    draft.leaveOut('twoFactorEnabled', hasTable ? reasons.noSecret : ownReasons.missingFactors);
  else if (isEncrypted(factor.secret)) draft.leaveOut('twoFactor.secret', ownReasons.encryptedSecret);
  // The bytes of the secret are its text.
  else draft.setTotpSecret('twoFactor.secret', encodeBase32(Buffer.from(factor.secret)));
  if (factor?.hasCodes) draft.leaveOut('twoFactor.backupCodes', reasons.recoveryCodes);
  if (others.length > 0) draft.leaveOut('twoFactor', reasons.oneApp);
}

/** Returns whether a secret is the output of `symmetricEncrypt`: at least a nonce and a tag in hexadecimal digits. */
const isEncrypted = (secret: string): boolean => /^(\$ba\$\d+\$)?([0-9a-f]{2}){40,}$/.test(secret);

/** Disables a banned customer, unless the ban has ended. */
function setBan(draft: CustomerDraft, row: JsonObject): void {
  const text = toText(withOffset(row['banExpires']));
  const end = /^\d+$/.test(text) ? Number(text) : parseTime(text);
  if (end <= Date.now()) return;
  setDisabled(draft, [withOffset(row['updatedAt']), withOffset(row['createdAt'])]);
  const metadata: JsonObject = {};
  addMetadata(draft, metadata, 'banReason', row['banReason']);
  draft.setMetadata('metadata', 'banReason', metadata);
  if (text !== '') draft.leaveOut('banExpires', reasons.banWithoutEnd);
}
