import { CursorCodec } from '#platform';
import { QueryIntegerField, TextField } from './fields.js';

/** Records on a page, unless told. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** The parameters that every list takes. */
export class PageQuery {
  @QueryIntegerField({
    description: 'How many records at most',
    min: 1,
    max: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
  })
  limit?: number;

  @TextField({ description: 'Where the page before ended, as it said', optional: true, maxLength: 1_200 })
  cursor?: string;
}

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/**
 * Reads one page of a list that is ordered by id.
 * @param list what makes this list this list: its name, the caller's reach and every filter
 * @param read must return up to `limit` records that come after the record `before`
 * @throws GatehouseError `invalid_cursor`
 */
export async function readPage<T extends { id: string }>(
  cursors: CursorCodec,
  list: unknown,
  query: PageQuery,
  read: (before: string | null, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const before = query.cursor === undefined ? null : cursors.open(list, query.cursor);
  const records = await read(before, limit + 1);
  const items = records.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: records.length > limit && last ? cursors.seal(list, last.id) : null };
}

/** A list in the `/api/v1` family. */
export const camelList = <T>(data: T[], nextCursor: string | null) => ({
  data,
  nextCursor,
  hasMore: nextCursor !== null,
});

/** A list in the `/v1` family. */
export const snakeList = <T>(data: T[], nextCursor: string | null) => ({
  success: true as const,
  data,
  next_cursor: nextCursor,
  has_more: nextCursor !== null,
});

/** A single resource in the `/v1` family. */
export const snakeItem = <T>(data: T) => ({ success: true as const, data });
