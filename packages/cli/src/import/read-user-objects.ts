import { toObject, type JsonObject } from '../json-object.js';
import { readDocuments } from './read-documents.js';
import { readObjects, type FileRecord } from './read-files.js';
import { readText } from './read-text.js';

/** The total number of users that the pages state, and the number that were read. */
export interface PageTotals {
  stated: number;
  read: number;
}

/** The members with the total number of users in pages from Auth0 and Clerk. */
const TOTALS = ['total', 'total_count', 'totalCount'];

/**
 * The start of a page from a list API: an object whose first array is the list, after members such as `total_count`.
 */
const PAGE = /^\s*\{[^[{]*?"(data|users)"\s*:\s*\[/;

/**
 * Reads users from one JSON object per line, a JSON array, or any number of pages from a list API, with the users in
 * `data` or `users`.
 * @param totals totals to which the users in the file are added
 * @throws CliError
 */
export async function* readUserObjects(
  file: string,
  totals: PageTotals = { stated: 0, read: 0 },
): AsyncGenerator<FileRecord<JsonObject | null>> {
  const list = await findList(file);
  if (list === null) {
    for await (const record of readObjects(file)) {
      totals.read += 1;
      yield record;
    }
    return;
  }
  const paths = [`$.${list}.*`, ...TOTALS.map((name) => `$.${name}`)];
  for await (const { position, name, value } of readDocuments(file, paths))
    if (name === list) {
      totals.read += 1;
      yield { position, value: toObject(value) };
    } else if (typeof value === 'number') totals.stated = Math.max(totals.stated, value);
}

/** Returns the name of the member that contains a page's users, or null if the file has no pages. */
async function findList(file: string): Promise<string | null> {
  for await (const text of readText(file))
    if (text.trim() !== '') return PAGE.exec(text.slice(0, 4_096))?.[1] ?? null;
  return null;
}
