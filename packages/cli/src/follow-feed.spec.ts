import { GatehouseError, type Page } from '@gatehouse/server';
import { findCursor, followFeed, type FeedEvent, type FeedPage, type ReadFeed } from './follow-feed.js';

const toEvents = (ids: string): FeedEvent[] =>
  ids.split(' ').flatMap((id) => (id ? [{ id } as FeedEvent] : []));
const toPage = (ids: string, nextCursor: string, hasMore = false): Page<FeedEvent> => ({
  data: toEvents(ids),
  nextCursor,
  hasMore,
});
const failure = (code: string, status: number): GatehouseError =>
  new GatehouseError({ code, status, detail: 'Detail.' });

/** Follows a feed whose reads have these results, until the last one. */
async function follow(after: string | undefined, results: (Page<FeedEvent> | GatehouseError)[]) {
  const cursors: (string | undefined)[] = [];
  const pauses: number[] = [];
  const outages: (string | undefined)[] = [];
  const pages: FeedPage[] = [];
  const stop = new AbortController();
  const read: ReadFeed = async ({ cursor }) => {
    cursors.push(cursor);
    const result = results.shift()!;
    if (results.length === 0) stop.abort();
    if (result instanceof GatehouseError) throw result;
    return result;
  };
  const options = {
    signal: stop.signal,
    wait: async (ms: number) => void pauses.push(ms),
    onOutage: async (error: GatehouseError | null) => void outages.push(error?.code),
  };
  for await (const page of followFeed(read, after, options)) pages.push(page);
  return { cursors, pauses, outages, pages };
}

it('reads pages without a pause while there are more, and then once a second', async () => {
  const results = [toPage('', 'c1'), toPage('a b', 'c2', true), toPage('c', 'c3')];
  const { cursors, pauses, pages } = await follow(undefined, results);
  expect(cursors).toEqual([undefined, 'c1', 'c2']);
  expect(pauses).toEqual([1_000, 1_000]);
  expect(pages).toEqual([
    { start: undefined, events: [], end: 'c1' },
    { start: 'c1', events: toEvents('a b'), end: 'c2' },
    { start: 'c2', events: toEvents('c'), end: 'c3' },
  ]);
});

it('continues from the same cursor after an outage, with growing pauses', async () => {
  const outage = failure('unavailable', 503);
  const results = [toPage('a', 'c1', true), outage, outage, failure('rate_limited', 429), toPage('b', 'c2')];
  const { cursors, pauses, outages, pages } = await follow('c0', results);
  expect(cursors).toEqual(['c0', 'c1', 'c1', 'c1', 'c1']);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 1_000]);
  expect(outages).toEqual(['unavailable', undefined]);
  expect(pages.flatMap(({ events }) => events.map(({ id }) => id))).toEqual(['a', 'b']);
});

it('throws an error that is not temporary', async () => {
  const rejected = failure('invalid_api_key', 401);
  await expect(follow(undefined, [toPage('a', 'c1'), rejected, toPage('b', 'c2')])).rejects.toBe(rejected);
});

it('finds the cursor after the last handled event on a page', async () => {
  const page: FeedPage = { start: 'c0', events: toEvents('a b c'), end: 'c3' };
  const shorter = (ids: string): ReadFeed =>
    async function read({ cursor, limit }) {
      return toPage(ids, `${cursor}+${limit}`);
    };
  const unavailable: ReadFeed = () => Promise.reject(failure('unavailable', 503));
  const cases: [ReadFeed, number, FeedPage | null, string | null, number][] = [
    [unavailable, 0, null, null, 0],
    [unavailable, 3, page, 'c3', 0],
    [unavailable, 0, page, 'c0', 0],
    [shorter('a b'), 2, page, 'c0+2', 0],
    [unavailable, 2, page, 'c0', 2],
    // The page contains other events, because the oldest ones have been removed.
    [shorter('b c'), 2, page, 'c0', 2],
    [unavailable, 2, { ...page, start: undefined }, null, 0],
  ];
  for (const [read, handled, current, cursor, repeated] of cases)
    expect(await findCursor(read, { page: current, handled })).toEqual({ cursor, repeated });
});
