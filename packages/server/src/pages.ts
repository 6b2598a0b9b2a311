/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  /** The cursor for the next page. Never null in the event feed. */
  nextCursor: string | null;
  hasMore: boolean;
}

/** A paginated list: `for await` iterates over the items of all pages, and `page()` returns the first page. */
export interface Pages<Item> extends AsyncIterable<Item> {
  page(): Promise<Page<Item>>;
}

/**
 * Returns a paginated list that requests pages on demand.
 * @param read requests the page after a cursor, or the first page without one
 */
export function createPages<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Pages<Item> {
  return {
    page: () => read(undefined),
    async *[Symbol.asyncIterator]() {
      let page = await read(undefined);
      for (;;) {
        yield* page.data;
        if (!page.hasMore || page.nextCursor === null) return;
        page = await read(page.nextCursor);
      }
    },
  };
}

/** Returns the page in a response from either API family. */
export function toPage<Item>(response: unknown): Page<Item> {
  const body = response as Record<string, unknown>;
  return {
    data: body['data'] as Item[],
    nextCursor: (body['nextCursor'] ?? body['next_cursor'] ?? null) as string | null,
    hasMore: Boolean(body['hasMore'] ?? body['has_more']),
  };
}
