import { toObject } from '../../json-object.js';
import { findValue, readDocuments, type DocumentValue } from '../read-documents.js';
import { startsWithArray } from '../read-files.js';

/** The number of `list-users` pages. */
export interface PageCount {
  all: number;
  /** Number of pages that refer to a next page. */
  withNext: number;
}

/** The tokens that refer to the next page: from the API, and from the AWS CLI with `--max-items`. */
const TOKENS = ['PaginationToken', 'NextToken'];

/**
 * Reads the users in a file, which contains `list-users` pages or single users, either concatenated or in an array.
 * @param pages counts to which the pages in the file are added
 * @throws CliError
 */
export async function* readPages(file: string, pages: PageCount): AsyncGenerator<DocumentValue> {
  if (await startsWithArray(file)) {
    for await (const item of readDocuments(file, ['$.*'])) yield* readItem(item, pages);
    return;
  }
  const tokens = TOKENS.map((name) => `$.${name}`);
  const first = await findValue(file, ['$.Username', '$.Users.*', ...tokens]);
  if (first?.name === 'Username') {
    yield* readDocuments(file, ['$']);
    return;
  }
  const countPage = (): void => void (pages.all += 1);
  for await (const item of readDocuments(file, ['$.Users.*', ...tokens], countPage))
    if (item.name === 'Users') yield item;
    else if (item.value) pages.withNext += 1;
}

/** Reads an array element: a user or a page. */
function* readItem(item: DocumentValue, pages: PageCount): Generator<DocumentValue> {
  const page = toObject(item.value);
  if (!Array.isArray(page?.['Users'])) {
    yield item;
    return;
  }
  pages.all += 1;
  if (TOKENS.some((name) => page[name])) pages.withNext += 1;
  for (const [index, value] of page['Users'].entries())
    yield { position: `${item.position}.${index + 1}`, name: 'Users', value };
}
