import type { JsonObject } from '../../json-object.js';
import { parseTime } from '../../parse-time.js';
import { NO_OPENID, SOCIAL_WITHOUT_OPENID, withReason } from '../unusable-providers.js';
import { encodeBase32 } from '../password-hashes.js';
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
  isTrue,
  readTable,
  requireTable,
  RowsByUser,
  withOffset,
  type TableFile,
  type TableShape,
} from '../tables.js';

type Table = 'user' | 'account' | 'twoFactor' | 'passkey';

/** The rows of the other tables by the id of the user. */
interface Related {
  accounts: RowsByUser<{ provider: string; subject: string; password: string }>;
  factors: RowsByUser<{ secret: string; hasCodes: boolean }>;
  passkeys: RowsByUser<true>;
  hasFactors: boolean;
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
    // The customer has never confirmed an app whose column `verified`, of newer versions, is false.
    else if (isTrue(value?.['verified'] ?? true))
      factors.add(userId, { secret: text('secret'), hasCodes: text('backupCodes') !== '' });
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
  if (isTrue(row['isAnonymous'])) return notImported(position, id, '', reasons.anonymous);
  const draft = new CustomerDraft()
    .setId('id', id)
    .set('email', toText(row['email']))
    .set('emailVerified', isTrue(row['emailVerified']))
    .setFullName('name', toText(row['name']));
  setTime(draft, 'createdAt', 'createdAt', withOffset(row['createdAt']));
  setTime(draft, 'updatedAt', 'updatedAt', withOffset(row['updatedAt']));
  setAccounts(draft, taken.accounts);
  setFactors(draft, row, taken.factors, related.hasFactors);
  if (taken.passkeys.length > 0) draft.leaveOut('passkey', ownReasons.passkey);
  setBan(draft, row);
  // The default of the admin plugin.
  if (toText(row['role']) !== 'user') leaveOutText(draft, 'role', row['role'], reasons.noRoles);
  leaveOutText(draft, 'username', row['username'], reasons.noUsername);
  leaveOutText(draft, 'phoneNumber', row['phoneNumber'], reasons.noPhone);
  leaveOutOthers(draft, row, knownColumns);
  return { position, sourceId: id, customer: draft.finish(), leftOut: draft.leftOut };
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
      hasPassword ||= password !== '';
    } else if (provider && subject) identities.push({ provider, subject });
    else draft.leaveOut('account', reasons.identityWithoutId);
  }
  setIdentities(draft, identities);
}

function setFactors(
  draft: CustomerDraft,
  row: JsonObject,
  factors: readonly { secret: string; hasCodes: boolean }[],
  hasTable: boolean,
): void {
  // Before the customer has confirmed the app, the row is there, but the factor is off.
  if (!isTrue(row['twoFactorEnabled'])) return;
  const [factor] = factors;
  if (!factor?.secret)
    draft.leaveOut('twoFactorEnabled', hasTable ? reasons.noSecret : ownReasons.missingFactors);
  else if (isEncrypted(factor.secret)) draft.leaveOut('twoFactor.secret', ownReasons.encryptedSecret);
  // The bytes of the secret are its text.
  else draft.setTotpSecret('twoFactor.secret', encodeBase32(Buffer.from(factor.secret)));
  if (factor?.hasCodes) draft.leaveOut('twoFactor.backupCodes', reasons.recoveryCodes);
}

/** Returns whether a secret is the output of `symmetricEncrypt`: at least a nonce and a tag in hexadecimal digits. */
const isEncrypted = (secret: string): boolean => /^(\$ba\$\d+\$)?([0-9a-f]{2}){40,}$/.test(secret);

/** Disables a customer whose ban has not ended. */
function setBan(draft: CustomerDraft, row: JsonObject): void {
  if (!isTrue(row['banned'])) return;
  const text = toText(withOffset(row['banExpires']));
  const end = /^\d+$/.test(text) ? Number(text) : parseTime(text);
  if (end <= Date.now()) return;
  setDisabled(draft, [withOffset(row['updatedAt']), withOffset(row['createdAt'])]);
  const metadata: JsonObject = {};
  addMetadata(draft, metadata, 'banReason', row['banReason']);
  draft.setMetadata('metadata', 'banReason', metadata);
  if (text !== '') draft.leaveOut('banExpires', reasons.banWithoutEnd);
}
