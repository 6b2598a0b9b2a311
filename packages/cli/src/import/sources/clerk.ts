import { usageError } from '../../cli-error.js';
import { addId, assertSameUsers } from '../companion-files.js';
import { NO_OPENID, OTHER_IDS, withReason } from '../unusable-providers.js';
import { parseBoolean } from '../read-boolean.js';
import { isCsv, isInvalidRow, readColumns, readCsv } from '../read-files.js';
import { readUserObjects } from '../read-user-objects.js';
import { notImported, toText } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import { assertUsers, invalidRecord, isSet } from '../source-values.js';
import { unknown } from '../unknown-reasons.js';
import { convertClerkRow, secretsOf } from './clerk-row.js';
import type { ClerkSecrets } from './clerk-secrets.js';
import { convertClerkUser } from './clerk-user.js';
import { reasons } from '../reasons.js';

/**
 * Reads the dashboard's CSV export with password hashes and authenticator app secrets, and JSON exports with metadata
 * and external accounts. A user that is in both is imported once, with the values of both.
 * Source: https://clerk.com/docs/guides/development/migrating/export-from-clerk
 */
export const clerk: ImportSource = {
  name: 'clerk',
  files:
    'the CSV export of the dashboard, and optionally users as JSON from the Backend API or `clerk migrate export clerk`',
  // Clerk does not document that its Microsoft ids are the `sub` claim, which Gatehouse compares.
  providers: { google: 'google', github: 'github', apple: 'apple', gitlab: 'gitlab', discord: 'discord' },
  unusableProviders: {
    microsoft: OTHER_IDS,
    ...withReason(reasons.noSaml, ['saml_custom', 'saml_google', 'saml_microsoft', 'saml_okta']),
    ...withReason(NO_OPENID, [
      'bitbucket',
      'coinbase',
      'facebook',
      'notion',
      'spotify',
      'tiktok',
      'twitter',
      'x',
    ]),
  },
  read: readClerk,
};

async function* readClerk(files: readonly string[], options: SourceOptions): AsyncGenerator<SourceRecord> {
  yield* assertUsers(files, () => readAll(files, options));
}

async function* readAll(files: readonly string[], { note }: SourceOptions): AsyncGenerator<SourceRecord> {
  const [tables, documents] = [files.filter(isCsv), files.filter((file) => !isCsv(file))];
  for (const file of tables) await assertExport(file);
  const isJoined = documents.length > 0;
  if (!isJoined)
    await note?.('No file is a JSON export: bans, external accounts, metadata and times are left out.');
  if (tables.length === 0)
    await note?.('No file is the CSV export: passwords and authenticator apps are left out.');
  const secrets = new Map<string, ClerkSecrets>();
  if (isJoined) yield* addSecrets(tables, secrets);
  await assertSameExport(tables, documents, secrets);
  const totals = { stated: 0, read: 0 };
  const isCsvMissing = tables.length === 0;
  for (const file of documents)
    for await (const { position, value } of readUserObjects(file, totals)) {
      const id = toText(value?.['id']);
      yield value
        ? convertClerkUser(position, value, secrets.get(id), isCsvMissing)
        : invalidRecord(position);
      secrets.delete(id);
    }
  if (totals.stated > totals.read) yield notImported('', null, 'total_count', reasons.missingPages);
  for (const file of tables)
    for await (const { position, value } of readCsv(file))
      if (isInvalidRow(value)) yield invalidRecord(position);
      // All other users were in the JSON export.
      else if (!isJoined || !value['id'] || secrets.has(value['id']))
        yield leaveOutUnknown(convertClerkRow(position, value), parseBoolean(value['banned']) === undefined);
}

/** Reports the values that may be lost for a user that is in no JSON export. */
const leaveOutUnknown = ({ leftOut, ...record }: SourceRecord, isBanUnknown: boolean): SourceRecord => ({
  ...record,
  ...(isBanUnknown && { isBanUnknown }),
  leftOut: [
    ...leftOut,
    ...[...(isBanUnknown ? ['banned'] : []), 'external_accounts', 'metadata'].map((field) => ({
      field,
      ...unknown.clerkJson,
    })),
  ],
});

/**
 * Compares the users of the CSV and JSON exports.
 * @throws CliError if a file has no user in common with the files of the other kind
 */
async function assertSameExport(
  tables: readonly string[],
  documents: readonly string[],
  secrets: ReadonlyMap<string, ClerkSecrets>,
): Promise<void> {
  if (tables.length === 0) return;
  for (const file of documents) await assertSameUsers([{ file, ids: secrets }], () => readIds([file]));
  // A single CSV file was already compared above.
  if (tables.length === 1 || documents.length === 0) return;
  const companions = await Promise.all(
    tables.map(async (file) => {
      const ids = new Set<string>();
      for await (const { value } of readCsv(file)) if (value['id']) addId(ids, value['id']);
      return { file, ids };
    }),
  );
  await assertSameUsers(companions, () => readIds(documents));
}

async function* readIds(documents: readonly string[]): AsyncGenerator<string> {
  for (const file of documents)
    for await (const { value } of readUserObjects(file)) yield toText(value?.['id']);
}

async function assertExport(file: string): Promise<void> {
  const names = new Set(await readColumns(file));
  if (!names.has('id') || !names.has('primary_email_address'))
    throw usageError(
      `${file} is not the CSV export from Clerk: the column id or primary_email_address is missing.`,
    );
}

/**
 * Adds the secrets by user id, with about 500 bytes of memory per user, because the files can be in any order. Yields a
 * report for each further row of a user with different secrets.
 */
async function* addSecrets(
  tables: readonly string[],
  secrets: Map<string, ClerkSecrets>,
): AsyncGenerator<SourceRecord> {
  for (const file of tables)
    for await (const { position, value } of readCsv(file)) {
      const { id } = value;
      if (!id) continue;
      const [first, own] = [secrets.get(id), secretsOf(value)];
      if (!first) secrets.set(id, own);
      else {
        if (first.digest === '' && first.totpSecret === '') secrets.set(id, own);
        else if (first.digest !== own.digest || first.totpSecret !== own.totpSecret)
          yield notImported(position, id, '', reasons.otherRow);
        keepBan(first, own);
      }
    }
}

/** Copies a ban to both rows of a user, because only one of them is read. */
function keepBan(first: ClerkSecrets, second: ClerkSecrets): void {
  const rows = [first, second].map(({ row }) => row!);
  const banned = rows.map((row) => row['banned']).find(isSet);
  if (banned !== undefined) for (const row of rows) row['banned'] = banned;
}
