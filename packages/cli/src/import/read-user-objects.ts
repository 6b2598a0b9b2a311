import { toObject, type JsonObject } from '../json-object.js';
import { readDocuments } from './read-documents.js';
import { readObjects, type FileRecord } from './read-files.js';
import { readText } from './read-text.js';

/** The start of a page of a list API: an object whose first array is the list, after members such as `total_count`. */
const PAGE = /^\s*\{[^[{]*?"(data|users)"\s*:\s*\[/;

/**
 * Reads users from one JSON object per line, a JSON array, or any number of pages of a list API, whose users are in `data` or
 * `users`.
 * @throws CliError
 */
export async function* readUserObjects(file: string): AsyncGenerator<FileRecord<JsonObject | null>> {
  const list = await findList(file);
  if (list === null) yield* readObjects(file);
  else
    for await (const { position, value } of readDocuments(file, [`$.${list}.*`]))
      yield { position, value: toObject(value) };
}

/** Returns the name of the member that contains the users of a page, or null for another file. */
async function findList(file: string): Promise<string | null> {
  for await (const text of readText(file))
    if (text.trim() !== '') return PAGE.exec(text.slice(0, 4_096))?.[1] ?? null;
  return null;
}
