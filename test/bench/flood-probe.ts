import { Agent } from 'node:http';
import { serve } from './child.js';
import { exchange, type Exchange, type HttpRequest } from './exchange.js';

/** What ordinary customers do while others flood the instance. */
export interface Probe {
  baseUrl: string;
  accessToken: string;
  /** One session each: they take turns. */
  refreshTokens: string[];
}

export const probedRoutes = ['GET /me', 'POST refresh', 'GET /livez'] as const;
export type ProbedRoute = (typeof probedRoutes)[number];

/** One request of the probe. */
export interface Sample {
  route: ProbedRoute;
  /** When it was sent, in ms since 1970. */
  at: number;
  ms: number;
  /** Why it was no success. */
  error?: string;
}

/** Ten requests a second to each route, whether or not the ones before have been answered. */
const INTERVAL_MS = 100;

const samples: Sample[] = [];
const inFlight = new Set<Promise<void>>();
const agent = new Agent({ keepAlive: true });
let timer: NodeJS.Timeout | undefined;
let refreshTokens: string[] | undefined;

function start({ baseUrl, accessToken, ...probe }: Probe): void {
  // A second start goes on with the tokens that the first one has got.
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
    if (!refreshToken) throw new Error('every session of the probe waits for its refresh');
    const body = JSON.stringify({ refreshToken });
    sendProbe(
      'POST refresh',
      { method: 'POST', url: `${baseUrl}/api/v1/auth/refresh`, body },
      ({ status, body }) => tokens.push(status === 200 ? JSON.parse(body).tokens.refreshToken : refreshToken),
    );
  }, INTERVAL_MS);
}

function sendProbe(route: ProbedRoute, question: HttpRequest, use?: (answer: Exchange) => void): void {
  const at = performance.timeOrigin + performance.now();
  const asked = exchange(agent, question).then((answer) => {
    const { status, ms, error } = answer;
    samples.push({ route, at, ms, ...(status === 200 ? {} : { error: error ?? String(status) }) });
    use?.(answer);
    inFlight.delete(asked);
  });
  inFlight.add(asked);
}

/** @returns the samples since the start */
async function stop(): Promise<Sample[]> {
  clearInterval(timer);
  await Promise.all(inFlight);
  return samples.splice(0);
}

serve({ start, stop });
