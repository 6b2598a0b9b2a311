import { GatehouseError, type components, type Gatehouse, type Page } from '@gatehouse/server';
import type { Cli } from './cli.js';

export type Event = components['schemas']['EventResponse'];

export interface FollowOptions {
  /** Event types, separated by commas. */
  types?: string;
  /** Only events created after this time. Must stay the same for a cursor. */
  createdAfter?: string;
  /** The cursor of the previous page. */
  cursor?: string;
  /** Called once when Gatehouse cannot be reached, with the error, and again with null when it responds. */
  onOutage?: (error: GatehouseError | null) => void | Promise<void>;
}

/** Time between two reads at the end of the feed, in ms. */
const INTERVAL_MS = 1_000;
/** The pauses after failed reads, in ms. The last one repeats. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
const PAGE_SIZE = 200;

/**
 * Reads the event feed until the command is interrupted, a page at a time, each with at least one event. While Gatehouse
 * cannot be reached it retries without end, from the same cursor, so that no event is lost or repeated.
 * @throws GatehouseError if Gatehouse rejects the request, such as `insufficient_scope`
 */
export async function* followEvents(
  cli: Cli,
  client: Gatehouse,
  { types, createdAfter, cursor, onOutage }: FollowOptions,
): AsyncGenerator<Page<Event>, void, undefined> {
  const { projectId } = cli.settings();
  const filter = {
    limit: PAGE_SIZE,
    ...(types && { types }),
    ...(createdAfter && { created_after: createdAfter }),
    ...(projectId && { project_id: projectId }),
  };
  let position = cursor;
  let failures = 0;
  while (!cli.signal.aborted) {
    const query = { ...filter, ...(position && { cursor: position }) };
    const page = await readPage(cli, client, query);
    if (page instanceof GatehouseError) {
      if (failures === 0) await onOutage?.(page);
      await cli.wait(Math.max(PAUSES_MS.at(failures) ?? PAUSES_MS.at(-1)!, (page.retryAfter ?? 0) * 1_000));
      failures += 1;
      continue;
    }
    if (failures > 0) await onOutage?.(null);
    failures = 0;
    if (page.data.length > 0) yield page;
    position = page.nextCursor ?? position;
    if (!page.hasMore) await cli.wait(INTERVAL_MS);
  }
}

/** Reads a page. @returns the error if a retry can succeed */
async function readPage(
  { signal }: Cli,
  client: Gatehouse,
  query: Parameters<Gatehouse['events']['list']>[0],
): Promise<Page<Event> | GatehouseError> {
  try {
    return await client.events.list(query, { signal }).page();
  } catch (error) {
    signal.throwIfAborted();
    const isTemporary = error instanceof GatehouseError && (error.status >= 500 || error.status === 429);
    if (isTemporary) return error;
    throw error;
  }
}

/**
 * Returns the current time of the server, to the second, so that "from now" does not depend on the clock of this machine.
 */
export async function readServerTime(cli: Cli): Promise<string> {
  const { url } = cli.settings();
  const response = await fetch(`${url}/livez`, { signal: cli.signal, redirect: 'error' }).catch(() => null);
  const date = Date.parse(response?.headers.get('date') ?? '');
  return new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
}
