/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** A paginated list: `await` returns the first page, and `for await` iterates over the items of all pages. */
export interface PagedList<Item> extends PromiseLike<Page<Item>>, AsyncIterable<Item> {}

/** Returns a paginated list. @param load requests the page after a cursor, or the first page without one */
export function pagedList<Item>(load: (cursor?: string) => Promise<Page<Item>>): PagedList<Item> {
  return {
    then: (onPage, onError) => load().then(onPage, onError),
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      do {
        const page = await load(cursor);
        yield* page.data;
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
    },
  };
}
