import { usageError } from '../../cli-error.js';
import { assertSameUsers } from '../companion-files.js';
import { readColumns, readCsv } from '../read-files.js';
import { reasons } from '../reasons.js';
import { notImported } from '../source-fields.js';
import type { ImportSource, SourceOptions, SourceRecord } from '../source.js';
import { unusableProviders } from './supabase-providers.js';
import { RelatedRows } from './supabase-related.js';
import { emptyNulls } from './supabase-table.js';
import { convertSupabaseUser } from './supabase-user.js';

/**
 * Reads Supabase users: the tables `auth.users`, `auth.identities` and `auth.mfa_factors` as CSV files with a header
 * (https://supabase.com/docs/guides/auth/architecture). The table in a file is recognized by its header.
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
  unusableProviders,
  read: readSupabase,
};

async function* readSupabase(
  files: readonly string[],
  { note }: SourceOptions,
): AsyncGenerator<SourceRecord> {
  const tables = await Promise.all(files.map(async (file) => ({ file, table: await getTable(file) })));
  const userFiles = tables.filter(({ table }) => table === 'users').map(({ file }) => file);
  if (userFiles.length === 0)
    throw usageError('None of the files is the table auth.users, which has the columns id and email.');
  const related = new RelatedRows();
  for (const { file, table } of tables) {
    if (table === 'identities') yield* related.addIdentities(file);
    if (table === 'mfa_factors') yield* related.addFactors(file);
  }
  await assertSameUsers(related.files, () => readIds(userFiles));
  if (!related.hasIdentities)
    await note?.('No file contains auth.identities: accounts at identity providers are left out.');
  if (!related.hasFactors)
    await note?.('No file contains auth.mfa_factors: authenticator apps are left out.');
  for (const file of userFiles)
    for await (const { position, value } of readCsv(file))
      yield convertSupabaseUser(position, emptyNulls(value), related);
  for (const id of related.remainingIds) yield notImported('', id, 'user_id', reasons.unmatchedRow);
}

/** Returns the table in a file, by its columns. @throws CliError for any other table */
async function getTable(file: string): Promise<'users' | 'identities' | 'mfa_factors'> {
  const columns = new Set(await readColumns(file));
  if (columns.has('user_id') && columns.has('provider_id')) return 'identities';
  if (columns.has('user_id') && columns.has('factor_type')) return 'mfa_factors';
  if (columns.has('id') && columns.has('email') && !columns.has('user_id')) return 'users';
  throw usageError(
    `${file} is none of the tables auth.users, auth.identities and auth.mfa_factors.`,
    'Export the tables with a header, as docs/moving-in/supabase.md describes.',
  );
}

async function* readIds(files: readonly string[]): AsyncGenerator<string> {
  for (const file of files) for await (const { value } of readCsv(file)) yield value['id'] ?? '';
}
