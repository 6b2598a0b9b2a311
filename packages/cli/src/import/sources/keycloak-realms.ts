import { usageError, type CliError } from '../../cli-error.js';
import { matchText } from '../match-text.js';
import { readDocuments } from '../read-documents.js';
import { startsWithArray } from '../read-files.js';
import { toText } from '../source-fields.js';

/**
 * Matches a member `realm` with a string, which need not be a realm name, and the start of a non-empty list of identity
 * providers. Both can occur anywhere in a file.
 */
const MEMBER = /"realm"\s*:\s*"((?:[^"\\]|\\.){0,255})"|"identityProviders"\s{0,99}:\s{0,99}\[\s{0,99}\{/g;

/** The members found in the files. */
interface Members {
  /** The values of all members named `realm`. */
  realms: ReadonlySet<string>;
  /** The files with identity providers. */
  withProviders: readonly string[];
}

/** Searches the files for these members, without parsing them. @throws CliError */
export async function findMembers(files: readonly string[]): Promise<Members> {
  const realms = new Set<string>();
  const withProviders = new Set<string>();
  for (const file of files)
    for await (const [, realm] of matchText(file, MEMBER))
      if (realm === undefined) withProviders.add(file);
      else realms.add(realm);
  return { realms, withProviders: [...withProviders] };
}

/**
 * Rejects files from several realms before the first user is read. A file can contain documents from several realms,
 * and a realm's name can follow its users.
 * @throws CliError
 */
export async function assertOneRealm(files: readonly string[], candidates: Members['realms']): Promise<void> {
  if (candidates.size < 2) return;
  const realms = new Set<string>();
  for (const file of files) {
    const names = await readNames(file);
    if (names.size > 1) throw severalRealmsError(`${file} contains`);
    for (const name of names) realms.add(name);
  }
  if (realms.size > 1) throw severalRealmsError('The files contain');
}

async function readNames(file: string): Promise<Set<string>> {
  const names = new Set<string>();
  const path = (await startsWithArray(file)) ? '$.*.realm' : '$.realm';
  for await (const { value } of readDocuments(file, [path]))
    if (toText(value) !== '') names.add(toText(value));
  return names;
}

/** Returns the error for files from several realms. */
export const severalRealmsError = (subject: string): CliError =>
  usageError(
    `${subject} several realms. Each realm has its own users.`,
    'Export one of them with kc.sh export --realm <name>, and import it into a separate project.',
  );
