import { sessionEndingCodes, type RefreshResponse } from '@gatehouse/js';
import type { GatehouseApi } from './gatehouse-api.js';
import type { ResolvedOptions } from './options.js';
import { signedOut, type CookieChanges, type CookieSession } from './session-cookies.js';

/** The result of a refresh. */
export type Refreshed =
  | { status: 'refreshed'; tokens: RefreshResponse['tokens']; customer: RefreshResponse['customer'] }
  /** Gatehouse ended the session. `code` is the error code. */
  | { status: 'ended'; code: string }
  /** The session's state is unknown, so it must stay unchanged. */
  | { status: 'unavailable' };

/** Access tokens are refreshed this many milliseconds before they expire. */
const REFRESH_AHEAD = 30_000;
/**
 * Time after a refresh in which requests with the previous refresh token may still arrive, in milliseconds. They
 * receive the same result, without another refresh: Gatehouse ends a session when a token that is two generations old
 * is used.
 */
export const OVERLAP = 10_000;
/** Maximum number of results in memory. */
const MAX_RESULTS = 10_000;

export interface Refresher {
  /** Refreshes a session. Never rejects. @param headers the headers of the request that needs the tokens */
  refresh: (refreshToken: string, headers: Headers) => Promise<Refreshed>;
  /** Removes the results of a session that has ended, so that no late request receives its tokens. */
  forget: (refreshToken: string) => void;
}

interface Entry {
  result: Promise<Refreshed>;
  /** In milliseconds since 1970. Infinity while the refresh is running. */
  finishedAt: number;
  /** The refresh token that replaced this one. */
  successor?: string;
}

/** Returns true if a request's tokens should be refreshed now. @param now milliseconds since 1970 */
export function needsRefresh({ refreshToken, claims }: CookieSession, now: number): boolean {
  return refreshToken !== null && (claims === null || claims.exp * 1_000 - now <= REFRESH_AHEAD);
}

/** Returns true if the access token is so new that requests with the previous tokens can still arrive. */
export const isJustIssued = ({ claims }: CookieSession, now: number): boolean =>
  claims !== null && Math.abs(now - claims.iat * 1_000) < OVERLAP;

/** Returns the cookies that a refresh changes. */
export function changesOf(refreshed: Refreshed): CookieChanges {
  if (refreshed.status === 'unavailable') return {};
  if (refreshed.status === 'ended') return signedOut;
  const { accessToken, refreshToken } = refreshed.tokens;
  return { accessToken, refreshToken, customer: refreshed.customer };
}

/**
 * Returns a refresher that refreshes only once for all requests in this process with the same refresh token, whether
 * they are concurrent or arrive within seconds after the refresh.
 * @param entries the results, which the bundles of the proxy and the routes share
 */
export function createRefresher(
  { now }: Pick<ResolvedOptions, 'now'>,
  api: GatehouseApi,
  entries: Map<string, Entry>,
): Refresher {
  const prune = (): void => {
    // A Map iterates in insertion order, so the oldest entries come first.
    for (const [token, { finishedAt }] of entries) {
      if (now() - finishedAt < OVERLAP && entries.size <= MAX_RESULTS) return;
      if (finishedAt !== Infinity) entries.delete(token);
    }
  };

  const start = (refreshToken: string, headers: Headers): Entry => {
    const entry: Entry = { result: requestRefresh(api, refreshToken, headers), finishedAt: Infinity };
    entries.set(refreshToken, entry);
    void entry.result.then((refreshed) => {
      entry.finishedAt = now();
      if (refreshed.status === 'refreshed') entry.successor = refreshed.tokens.refreshToken;
      // Failures are not cached: the next request refreshes again.
      else entries.delete(refreshToken);
    });
    return entry;
  };

  return {
    refresh: (refreshToken, headers) => {
      prune();
      let entry = entries.get(refreshToken);
      for (let next = entry; next; next = entries.get(next.successor ?? '')) entry = next;
      return (entry ?? start(refreshToken, headers)).result;
    },
    forget: (refreshToken) => {
      for (const [token, { successor }] of entries)
        if (token === refreshToken || successor === refreshToken) entries.delete(token);
    },
  };
}

/** Key of the shared results: the proxy and the routes are separate bundles in one process. */
const SHARED = Symbol.for('@gatehouse/nextjs/refreshes');

/** Returns the results that all bundles in this process share. */
export function sharedEntries(): Map<string, Entry> {
  const shared = globalThis as unknown as Record<symbol, Map<string, Entry> | undefined>;
  return (shared[SHARED] ??= new Map<string, Entry>());
}

async function requestRefresh(api: GatehouseApi, refreshToken: string, headers: Headers): Promise<Refreshed> {
  try {
    const { response, text } = await api({
      method: 'POST',
      path: '/api/v1/auth/refresh',
      headers: jsonHeaders(headers),
      body: JSON.stringify({ refreshToken }),
    });
    const body = JSON.parse(text) as RefreshResponse & { code?: string };
    if (response.ok) return { status: 'refreshed', tokens: body.tokens, customer: body.customer };
    const { code = '' } = body;
    return response.status === 401 && sessionEndingCodes.includes(code)
      ? { status: 'ended', code }
      : { status: 'unavailable' };
  } catch {
    return { status: 'unavailable' };
  }
}

function jsonHeaders(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.set('content-type', 'application/json');
  return copy;
}
