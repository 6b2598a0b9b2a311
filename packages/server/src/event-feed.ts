import { toSeconds, type Duration } from './duration.js';
import type { components } from './openapi.js';
import { toPage, type Page } from './pages.js';
import { TIMING, type Timing } from './timing.js';
import type { Transport } from './transport.js';
import type { Operation, QueryOf } from './typed-request.js';

type Event = components['schemas']['EventResponse'];

export interface IterateOptions {
  /** Time between two reads at the end of the feed. Default: `'5s'`. */
  interval?: Duration;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/**
 * Returns a function that follows the event feed indefinitely, a page at a time. Store `nextCursor` together with the
 * page's results, and pass it as `cursor` to continue after a restart. The filters must stay the same.
 */
export const createEventFeed = (transport: Transport, timing: Timing = TIMING) =>
  async function* iterate(
    query: QueryOf<Operation<'/v1/events', 'get'>> = {},
    { interval = '5s', signal }: IterateOptions = {},
  ): AsyncGenerator<Page<Event>, void, undefined> {
    const pause = toSeconds(interval) * 1_000;
    for (let cursor = query.cursor; !signal?.aborted;) {
      const request = { query: { ...query, cursor }, ...(signal && { signal }) };
      const page = toPage<Event>(await transport('GET', '/v1/events', request));
      if (page.data.length > 0) yield page;
      cursor = page.nextCursor ?? cursor;
      if (!page.hasMore) await timing.wait(pause, signal);
    }
  };
