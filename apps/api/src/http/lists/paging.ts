import type { ScannedPage } from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { QueryIntegerField, TextField } from '../input/fields.js';
import { cursorSchema } from '../input/text-schemas.js';

/** Default number of records per page. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Every list's query parameters. */
export class PageQuery {
  @QueryIntegerField({
    description: 'Maximum number of records on the page',
    min: 1,
    max: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
  })
  limit?: number;

  @TextField({
    description: 'Cursor from the previous page. Omit it for the first page',
    optional: true,
    maxLength: cursorSchema.maxLength,
    schema: cursorSchema,
  })
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** The page for a list that cannot contain records. */
export const EMPTY_PAGE: ScannedPage<never> = { items: [], next: null };

/**
 * Reads one page of a list that is ordered by id.
 * @param list identity of the list, to which the cursor is bound: its name, the caller's access scope and all
 *   filters
 * @param read returns up to `limit` records that follow the record `before`
 * @throws GatehouseError `invalid_cursor`
 */
export function readPage<T extends { id: string }>(
  cursors: CursorCodec,
  list: unknown,
  query: PageQuery,
  read: (before: string | null, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  return readScannedPage(cursors, list, query, async (before, limit) => {
    const records = await read(before, limit + 1);
    const items = records.slice(0, limit);
    return { items, next: records.length > limit ? items.at(-1)!.id : null };
  });
}

/**
 * Reads one page of a list whose reader returns the id to continue from, because a page may end before it is
 * full.
 * @param read returns up to `limit` records that follow the id `before`
 * @throws GatehouseError `invalid_cursor`
 */
export async function readScannedPage<T>(
  cursors: CursorCodec,
  list: unknown,
  query: PageQuery,
  read: (before: string | null, limit: number) => Promise<ScannedPage<T>>,
): Promise<Page<T>> {
  const before = query.cursor === undefined ? null : cursors.decode(list, query.cursor);
  const { items, next } = await read(before, query.limit ?? DEFAULT_LIMIT);
  return { items, nextCursor: next && cursors.encode(list, next) };
}

/**
 * Reads one page like `readScannedPage`, but for a list whose order requires more than an id.
 * @param read returns up to `limit` records that follow the position `after`
 */
export async function readPositionedPage<T>(
  cursors: CursorCodec,
  list: unknown,
  query: PageQuery,
  read: (after: string | null, limit: number) => Promise<ScannedPage<T>>,
): Promise<Page<T>> {
  const after = query.cursor === undefined ? null : cursors.decodeBytes(list, query.cursor).toString();
  const { items, next } = await read(after, query.limit ?? DEFAULT_LIMIT);
  return { items, nextCursor: next && cursors.encodeBytes(list, Buffer.from(next)) };
}

/** Returns the response for a list in the `/api/v1` family. */
export const camelList = <T>(data: T[], nextCursor: string | null) => ({
  data,
  nextCursor,
  hasMore: nextCursor !== null,
});

/** Returns the response for a list in the `/v1` family. */
export const snakeList = <T>(data: T[], nextCursor: string | null) => ({
  success: true as const,
  data,
  next_cursor: nextCursor,
  has_more: nextCursor !== null,
});

/** Returns the response for a single resource in the `/v1` family. */
export const snakeItem = <T>(data: T) => ({ success: true as const, data });
