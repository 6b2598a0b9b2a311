import { GatehouseError, type components, type Gatehouse, type Page } from '@gatehouse/server';
import type { Cli } from './cli.js';
import { usageError } from './cli-error.js';
import { pauseAfter } from './pause-after.js';

export type FeedEvent = components['schemas']['FeedEventResponse'];

/** Interval between reads at the end of the feed, in ms. */
const INTERVAL_MS = 1_000;
const PAGE_SIZE = 100;

/** Reads the feed page after a cursor. */
export type ReadFeed = (page: {
  cursor: string | undefined;
  limit?: number;
  signal?: AbortSignal;
}) => Promise<Page<FeedEvent>>;

export interface FeedFilter {
  projectId: string | undefined;
  /** Event types, separated by commas. */
  types: string | undefined;
  /** Default: the feed starts after all existing events. */
  createdAfter: string | undefined;
  /** True to include the webhook bodies of the events. */
  includeBody?: boolean;
}

/** Returns a function that reads the feed. A cursor is valid only with the filters of the request that returned it. */
export const createFeedReader =
  (client: Gatehouse, { projectId, types, createdAfter, includeBody }: FeedFilter): ReadFeed =>
  ({ cursor, limit = PAGE_SIZE, signal }) => {
    const query = {
      limit,
      ...(projectId && { project_id: projectId }),
      ...(types && { types }),
      ...(createdAfter && { created_after: createdAfter }),
      ...(includeBody && { include_body: true }),
      ...(cursor === undefined ? !createdAfter && { start: 'latest' as const } : { cursor }),
    };
    const pages = client.events.list(query, { ...(signal && { signal }) });
    return pages.page().catch(explainCursor);
  };

/** Throws the error, with a fix if the cursor is invalid. */
function explainCursor(error: unknown): never {
  if (error instanceof GatehouseError && error.code === 'invalid_cursor')
    throw usageError(
      error.problem.detail,
      'Pass the project, --types and --since of the command that printed the cursor.',
    );
  throw error;
}

export interface FeedPage {
  /** The cursor before the page. Undefined for the first page, unless the feed continues after an earlier cursor. */
  start: string | undefined;
  events: FeedEvent[];
  end: string;
}

export interface FollowOptions {
  wait: Cli['wait'];
  signal: AbortSignal;
  /** Called once with the error when Gatehouse becomes unavailable, and with null when it responds again. */
  onOutage: (error: GatehouseError | null) => Promise<void>;
}

/**
 * Yields all pages of the feed, including empty ones, until `signal` is aborted. While Gatehouse is unavailable, waits
 * and then continues from the same cursor, so no event is lost or repeated.
 * @throws GatehouseError if the error is not temporary
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

/** Repeats a read until Gatehouse is available. Returns null if `signal` was aborted. */
async function readWhenAvailable<Result>(
  read: () => Promise<Result>,
  { wait, signal, onOutage }: FollowOptions,
): Promise<Result | null> {
  for (let failures = 0; !signal.aborted;) {
    try {
      const result = await read();
      if (failures > 0) await onOutage(null);
      return result;
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof GatehouseError) || !isTemporary(error)) throw error;
      failures += 1;
      if (failures === 1) await onOutage(error);
      await wait(pauseAfter(failures), signal);
    }
  }
  return null;
}

const isTemporary = ({ status }: GatehouseError): boolean => status === 429 || status >= 500;

/** The position in the feed up to which events have been handled. */
export interface Progress {
  page: FeedPage | null;
  /** Number of events on the page that were sent or skipped. */
  handled: number;
}

/**
 * Returns the cursor after the last handled event. Within a page, requests a shorter page that ends with this
 * event, and returns its cursor. If that fails, returns the cursor before the page, so that some events are repeated.
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
