import { usageError } from '../cli-error.js';

/** Maximum number of ids per file that are compared with the users. */
const MAX_IDS = 1_000;

/** A file whose records belong to users in other files. */
export interface CompanionFile {
  file: string;
  /** The first user ids in the file, or all of them. */
  ids: { readonly size: number; has(id: string): boolean };
}

/** Adds an id, up to the maximum number. */
export function addId(ids: Set<string>, id: string): void {
  if (ids.size < MAX_IDS) ids.add(id);
}

/**
 * Rejects a file that belongs to none of the users and therefore comes from another export. A file without ids is
 * accepted. Reads users only until each file has a match, which is usually the first user.
 * @throws CliError
 */
export async function assertSameUsers(
  companions: readonly CompanionFile[],
  readIds: () => AsyncIterable<string>,
): Promise<void> {
  let unmatched = companions.filter(({ ids }) => ids.size > 0);
  if (unmatched.length === 0) return;
  for await (const id of readIds()) {
    if (!unmatched.some(({ ids }) => ids.has(id))) continue;
    unmatched = unmatched.filter(({ ids }) => !ids.has(id));
    if (unmatched.length === 0) return;
  }
  throw usageError(
    `No user in the other files has an id from ${unmatched[0]!.file}.`,
    'Pass files from the same export, which contain the same users.',
  );
}
