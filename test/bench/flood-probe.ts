import { Agent } from 'node:http';
import { serve } from './child.js';
import { exchange, type Exchange, type HttpRequest } from './exchange.js';

/** Ordinary customers' requests during a flood. */
export interface Probe {
  baseUrl: string;
  accessToken: string;
  /** One token per session, used in turn. */
  refreshTokens: string[];
}

export const probedRoutes = ['GET /me', 'POST refresh', 'GET /livez'] as const;
export type ProbedRoute = (typeof probedRoutes)[number];

/** One probe request. */
export interface Sample {
  route: ProbedRoute;
  /** The request time, in ms since 1970. */
  at: number;
  ms: number;
  /** The reason for a failure. */
  error?: string;
}

/**
 * Interval between requests to each route, in ms: ten requests per second, without waiting for earlier
 * responses.
 */
const INTERVAL_MS = 100;

const samples: Sample[] = [];
const inFlight = new Set<Promise<void>>();
const agent = new Agent({ keepAlive: true });
let timer: NodeJS.Timeout | undefined;
let refreshTokens: string[] | undefined;

function start({ baseUrl, accessToken, ...probe }: Probe): void {
  // A probe that starts again continues with its latest tokens.
  refreshTokens ??= probe.refreshTokens;
  const tokens = refreshTokens;
  const me = {
    method: 'GET',
    url: `${baseUrl}/api/v1/me`,
    headers: { authorization: `Bearer ${accessToken}` },
  };
  timer = setInterval(() => {
    sendProbe('GET /livez', { method: 'GET', url: `${baseUrl}/livez` });
    sendProbe('GET /me', me);
    const refreshToken = tokens.shift();
    if (!refreshToken) throw new Error('every session of the probe is waiting for its refresh');
    const body = JSON.stringify({ refreshToken });
    sendProbe(
      'POST refresh',
      { method: 'POST', url: `${baseUrl}/api/v1/auth/refresh`, body },
      ({ status, body }) => tokens.push(status === 200 ? JSON.parse(body).tokens.refreshToken : refreshToken),
    );
  }, INTERVAL_MS);
}

function sendProbe(route: ProbedRoute, probeRequest: HttpRequest, use?: (response: Exchange) => void): void {
  const at = performance.timeOrigin + performance.now();
  const pending = exchange(agent, probeRequest).then((response) => {
    const { status, ms, error } = response;
    samples.push({ route, at, ms, ...(status === 200 ? {} : { error: error ?? String(status) }) });
    use?.(response);
    inFlight.delete(pending);
  });
  inFlight.add(pending);
}

/** Stops the probe. @returns the samples since the start */
async function stop(): Promise<Sample[]> {
  clearInterval(timer);
  await Promise.all(inFlight);
  return samples.splice(0);
}

serve({ start, stop });
