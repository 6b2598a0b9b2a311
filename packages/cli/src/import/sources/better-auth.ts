import type { JsonObject } from '../../json-object.js';
import { NO_OPENID, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { encodeBase32 } from '../password-hashes.js';
import { parseBoolean, readBoolean, readFlag } from '../read-boolean.js';
import { reasons, STORE_ELSEWHERE, type Reason } from '../reasons.js';
import { CustomerDraft, notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceRecord } from '../source.js';
import {
  addMetadata,
  leaveOutOthers,
  leaveOutText,
  setDisabled,
  setIdentities,
  setTime,
  toMs,
  invalidRecord,
  isEmpty,
  readString,
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

/** The rows of the other tables, by user id. */
interface Related {
  accounts: RowsByUser<{ provider: string; subject: string; password: string }>;
  factors: RowsByUser<Factor>;
  passkeys: RowsByUser<true>;
  hasFactors: boolean;
}

interface Factor {
  secret: string;
  hasCodes: boolean;
  /**
   * True if the user has confirmed the app; undefined if the row does not state it, null if the value cannot be read.
   */
  isVerified: boolean | null | undefined;
}

const ownReasons = {
  encryptedSecret: {
    reason: 'Better Auth has encrypted the secret of the authenticator app',
    remedy:
      'Decrypt the secrets as docs/moving-in/better-auth.md describes. Otherwise, ask the customer to set up a second factor again',
  },
  missingFactors: {
    reason: 'The user has a second factor, but the files do not contain it',
    remedy: 'Also pass the CSV file of the twoFactor table to the command',
  },
  banColumn: {
    reason: 'The column is missing, so it is unknown whether the user is banned: the customer can sign in',
    remedy:
      'Export the table with this column. If you do not use the admin plugin, add the column with the value false',
  },
  banEnd: {
    reason:
      'The end of the ban is not a time after the user was created, so the customer is disabled indefinitely',
    remedy: 'Correct the value in the file, or enable the customer when the ban ends',
  },
  noBan: {
    reason: 'The user is not marked as banned, so the reason or the end of the ban is left out',
    remedy: 'Correct the row if the user is banned, or store the value in metadata',
  },
  endedBan: { reason: 'The ban has ended, so its reason is left out', remedy: STORE_ELSEWHERE },
  noPassword: {
    reason: 'The row in the table account contains no password',
    remedy:
      'Export the table account with the column password, and run the command again, or send the customer a password reset',
  },
  disabledFactor: {
    reason: 'The customer has confirmed the authenticator app, but twoFactorEnabled is not true',
    remedy:
      'Set twoFactorEnabled to true in the file if the user needs a code to sign in, and run the command again',
  },
  factorColumn: {
    reason: 'The column is missing, so it is unknown whether the user has a second factor: none is imported',
    remedy:
      'Export the table with this column. If you do not use the two-factor plugin, add the column with the value false',
  },
  noAccounts: {
    reason: 'The table account has no rows, so the passwords and accounts of the user are unknown',
    remedy: 'Export the table account again with all rows, and run the command again',
  },
  passkey: {
    reason: 'Better Auth does not store the user handle, which Gatehouse needs to verify a passkey',
    remedy: 'Ask the customer to add a passkey again',
  },
} satisfies Record<string, Reason>;

const shapes: readonly TableShape<Table>[] = [
  { name: 'passkey', columns: ['credentialID', 'publicKey', 'userId'] },
  { name: 'twoFactor', columns: ['secret', 'backupCodes', 'userId'] },
  { name: 'account', columns: ['accountId', 'providerId', 'userId'] },
  { name: 'user', columns: ['id', 'email', 'emailVerified'] },
];

/** Columns of `user` that are read, or that have no meaning outside Better Auth. */
const knownColumns = new Set([
  ...['id', 'name', 'email', 'emailVerified', 'image', 'createdAt', 'updatedAt', 'normalizedEmail'],
  ...['role', 'banned', 'banReason', 'banExpires', 'twoFactorEnabled', 'isAnonymous'],
  ...['username', 'displayUsername', 'phoneNumber', 'phoneNumberVerified', 'lastLoginMethod'],
]);
const otherColumns = [
  ...['userId', 'accountId', 'providerId', 'password', 'secret', 'backupCodes', 'verified', 'credentialID'],
];

/**
 * Reads Better Auth users: the tables in https://www.better-auth.com/docs/concepts/database#core-schema, and
 * the tables that the plugins two-factor, passkey, admin, username, phone-number and anonymous add
 * (https://www.better-auth.com/docs/plugins/2fa#schema and the pages of the other plugins).
 */
export const betterAuth: ImportSource = {
  name: 'better-auth',
  files: 'the tables user, account, twoFactor and passkey as CSV files with a header, or as JSON',
  // Better Auth does not document that its Microsoft ids are the `sub` claim, which Gatehouse compares.
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
        ...{ secret: text('secret'), hasCodes: !isEmpty(value?.['backupCodes']) },
        isVerified: parseBoolean(value?.['verified']),
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
  const draft = new CustomerDraft().setId('id', id).set('email', toText(row['email']));
  draft.setFullName('name', readString(draft, 'name', row['name']));
  draft.set('emailVerified', readFlag(draft, 'emailVerified', row['emailVerified']));
  if (parseBoolean(row['emailVerified']) === undefined) draft.leaveOut('emailVerified', unknown.verification);
  draft.setImage('image', readString(draft, 'image', row['image']));
  readFlag(draft, 'isAnonymous', row['isAnonymous']);
  setTime(draft, 'createdAt', 'createdAt', withOffset(row['createdAt']));
  setTime(draft, 'updatedAt', 'updatedAt', withOffset(row['updatedAt']));
  setAccounts(draft, taken.accounts);
  if (related.accounts.isEmpty) draft.leaveOut('account', ownReasons.noAccounts);
  setFactors(draft, row, taken.factors, related.hasFactors);
  if (taken.passkeys.length > 0) draft.leaveOut('passkey', ownReasons.passkey);
  setBan(draft, row);
  // `user` is the admin plugin's default.
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
    // A `credential` account has a password and no provider; all others have a provider and no password.
    if (provider === 'credential') {
      if (password && hasPassword) draft.leaveOut('account.password', reasons.onePassword);
      else if (password) draft.setPasswordHash('account.password', password);
      else draft.leaveOut('account.password', ownReasons.noPassword);
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
  for (const { isVerified } of factors)
    if (isVerified === null) draft.leaveOut('twoFactor.verified', unknown.boolean);
  if (!readFlag(draft, 'twoFactorEnabled', row['twoFactorEnabled'])) {
    // Until the user has confirmed the app, the row exists, but the factor is off.
    if (factors.some(({ isVerified }) => isVerified)) draft.leaveOut('twoFactor', ownReasons.disabledFactor);
    return;
  }
  const [factor, ...others] = factors.filter(({ isVerified }) => isVerified === undefined || isVerified);
  if (!factor?.secret)
    draft.leaveOut('twoFactorEnabled', hasTable ? reasons.noSecret : ownReasons.missingFactors);
  else if (isEncrypted(factor.secret)) draft.leaveOut('twoFactor.secret', ownReasons.encryptedSecret);
  // Better Auth uses the secret's UTF-8 bytes, not its base32 decoding.
  else draft.setTotpSecret('twoFactor.secret', encodeBase32(Buffer.from(factor.secret)));
  if (factor?.hasCodes) draft.leaveOut('twoFactor.backupCodes', reasons.recoveryCodes);
  if (others.length > 0) draft.leaveOut('twoFactor', reasons.oneApp);
}

/** Returns true if a secret is the output of `symmetricEncrypt`, which is at least a nonce and a tag in hexadecimal. */
const isEncrypted = (secret: string): boolean => /^(\$ba\$\d+\$)?([0-9a-f]{2}){40,}$/.test(secret);

/** A time before Better Auth's first release, in ms since 1970. An earlier value must be in another unit. */
const EARLIEST_END = Date.UTC(2000);

/** Disables a banned customer, unless the ban has ended. */
function setBan(draft: CustomerDraft, row: JsonObject): void {
  const isBanned = parseBoolean(row['banned']);
  const hasEnd = row['banExpires'] === 0 || !isEmpty(row['banExpires']);
  if (!('banned' in row)) draft.leaveOutBan('banned', ownReasons.banColumn);
  // Better Auth removes the reason and the end when it removes a ban.
  else if (isBanned === undefined && (hasEnd || !isEmpty(row['banReason'])))
    draft.leaveOutBan('banned', unknown.banState);
  if (!isBanned) {
    leaveOutText(draft, 'banReason', row['banReason'], ownReasons.noBan);
    if (hasEnd) draft.leaveOut('banExpires', ownReasons.noBan);
    return;
  }
  const end = toEnd(row['banExpires']);
  // If the value were in another unit, it would be decades before or after the user was created.
  const isPlausible = end >= EARLIEST_END && !(end < toMs(withOffset(row['createdAt'])));
  if (isPlausible && end <= Date.now()) {
    leaveOutText(draft, 'banReason', row['banReason'], ownReasons.endedBan);
    return;
  }
  setDisabled(draft, [withOffset(row['updatedAt']), withOffset(row['createdAt'])]);
  const metadata: JsonObject = {};
  addMetadata(draft, metadata, 'banReason', row['banReason']);
  draft.setMetadata('metadata', 'banReason', metadata);
  if (hasEnd) draft.leaveOut('banExpires', isPlausible ? reasons.banWithoutEnd : ownReasons.banEnd);
}

/** Returns the end of a ban in ms since 1970, or NaN. A date means midnight in UTC. */
function toEnd(value: unknown): number {
  const text = toText(value);
  return toMs(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : withOffset(value));
}
