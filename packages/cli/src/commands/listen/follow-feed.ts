import { GatehouseError, type Page } from '@gatehouse/server';
import type { FeedEvent } from './event-forwarder.js';
import type { Report } from './listen-record.js';
import { pauseAfter, type Wait } from './pause-after.js';

/** Time between two reads at the end of the feed. */
export const INTERVAL_MS = 1_000;

/** Reads the page of the feed after a cursor. */
export type ReadFeed = (page: {
  cursor: string | undefined;
  limit?: number;
  signal?: AbortSignal;
}) => Promise<Page<FeedEvent>>;

export interface FeedPage {
  /** Undefined for the first page of a feed that does not continue. */
  start: string | undefined;
  events: FeedEvent[];
  end: string;
}

export interface FollowOptions {
  wait: Wait;
  signal: AbortSignal;
  report: Report;
}

/**
 * Reads the feed until `signal` is aborted, including empty pages. While Gatehouse is unavailable, waits and continues
 * from the same cursor, so no event is lost or repeated.
 * @throws GatehouseError if a later attempt would have the same result
 */
export async function* followFeed(
  read: ReadFeed,
  after: string | undefined,
  options: FollowOptions,
): AsyncGenerator<FeedPage, void, undefined> {
  const { wait, signal } = options;
  for (let cursor = after; ;) {
    const page = await readWhenAvailable(() => read({ cursor, signal }), options);
    if (!page) return;
    const end = page.nextCursor ?? cursor!;
    yield { start: cursor, events: page.data, end };
    cursor = end;
    if (!page.hasMore) await wait(INTERVAL_MS, signal);
    if (signal.aborted) return;
  }
}

/** Returns the result of a read, or null if `signal` was aborted. */
async function readWhenAvailable<Result>(
  read: () => Promise<Result>,
  { wait, signal, report }: FollowOptions,
): Promise<Result | null> {
  for (let failures = 0; !signal.aborted;) {
    try {
      const result = await read();
      if (failures > 0) await report({ kind: 'gatehouse_available' });
      return result;
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof GatehouseError) || !isTemporary(error)) throw error;
      failures += 1;
      if (failures === 1) await report({ kind: 'gatehouse_unavailable', message: error.message });
      await wait(pauseAfter(failures), signal);
    }
  }
  return null;
}

const isTemporary = ({ status }: GatehouseError): boolean => status === 429 || status >= 500;

/** How far the pages of the feed are handled. */
export interface Progress {
  page: FeedPage | null;
  /** Number of events of the page that were sent or skipped. */
  handled: number;
}

/**
 * Returns the cursor after the last handled event: within a page, it is that of a shorter page. If Gatehouse cannot be
 * reached, returns the cursor of the page, after which some events are repeated.
 */
export async function findCursor(
  read: ReadFeed,
  { page, handled }: Progress,
): Promise<{ cursor: string | null; repeated: number }> {
  if (!page) return { cursor: null, repeated: 0 };
  if (handled === page.events.length) return { cursor: page.end, repeated: 0 };
  if (handled > 0) {
    const shorter = await read({ cursor: page.start, limit: handled }).catch(() => null);
    if (shorter?.data.at(-1)?.id === page.events[handled - 1]!.id)
      return { cursor: shorter.nextCursor, repeated: 0 };
  }
  return { cursor: page.start ?? null, repeated: page.start ? handled : 0 };
}
