/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  /** The cursor for the next page. In the event feed it is never null. */
  nextCursor: string | null;
  hasMore: boolean;
}

/** A list: `for await` reads all pages, `page()` reads one. */
export interface Pages<Item> extends AsyncIterable<Item> {
  page(): Promise<Page<Item>>;
}

/**
 * Returns a list that reads its pages when they are needed.
 * @param read reads the page after a cursor; undefined: the first page
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
