import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { uniqueEmail } from '../support/unique-email.js';
import { serve } from './child.js';

/** Requests in a closed loop. */
export interface Load {
  url: string;
  seconds: number;
  connections: number;
  headers?: Record<string, string>;
  /** Default: repeated GET requests. */
  bodies?: Bodies;
}

/**
 * Request bodies. Each POST contains a different email address, or the newest refresh token of the connection's
 * session. `update` sends PATCH requests that change the name of one customer after the other, with ids appended to the
 * URL.
 */
export type Bodies =
  | { kind: 'register'; password: string }
  | { kind: 'login'; password: string; emails: string[] }
  | { kind: 'refresh'; tokens: string[] }
  | { kind: 'update'; ids: string[] }
  | { kind: 'event' };

export interface LoadResult {
  perSecond: number;
  p99: number;
  /** Number of requests without a 2xx response. */
  failed: number;
}

/** Requests at a steady rate, without waiting for earlier responses. */
export interface PacedLoad {
  url: string;
  headers: Record<string, string>;
  bodies: string[];
  perSecond: number;
  seconds: number;
}

/** Number of responses by status; 0 means no response. */
export type PacedResult = Record<number, number>;

async function measure({ url, seconds, connections, headers, bodies }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { ...headers, ...(bodies ? { 'content-type': 'application/json' } : {}) },
    ...(bodies ? { method: 'POST' as const, setupClient: bodyWriter(bodies, url) } : {}),
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
  };
}

function bodyWriter(bodies: Bodies, url: string): (client: autocannon.Client) => void {
  let count = 0;
  if (bodies.kind === 'update') {
    const { pathname } = new URL(url);
    const setupRequest = (spec: autocannon.Request) => {
      count += 1;
      const path = `${pathname}/${bodies.ids[count % bodies.ids.length]}`;
      return { ...spec, path, body: JSON.stringify({ firstName: `Name ${count}` }) };
    };
    return (client) => client.setRequests([{ method: 'PATCH', setupRequest }]);
  }
  const next = (): unknown => {
    count += 1;
    if (bodies.kind === 'event')
      return { type: 'app.order.paid', data: { order: { id: `ord_${count}`, total: 4990 } } };
    if (bodies.kind === 'register') return { email: uniqueEmail(), password: bodies.password };
    const { emails, password } = bodies as Extract<Bodies, { kind: 'login' }>;
    return { email: emails[count % emails.length], password };
  };
  if (bodies.kind !== 'refresh') {
    const setupRequest = (spec: autocannon.Request) => ({ ...spec, body: JSON.stringify(next()) });
    return (client) => client.setRequests([{ method: 'POST', setupRequest }]);
  }
  return (client) => {
    let refreshToken = bodies.tokens.pop();
    client.setRequests([
      {
        method: 'POST',
        setupRequest: (spec: autocannon.Request) => ({ ...spec, body: JSON.stringify({ refreshToken }) }),
        onResponse: (status: number, body: string) => {
          if (status === 200)
            refreshToken = (JSON.parse(body) as { tokens: { refreshToken: string } }).tokens.refreshToken;
        },
      },
    ]);
  };
}

async function pace({ url, headers, bodies, perSecond, seconds }: PacedLoad): Promise<PacedResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const total = perSecond * seconds;
  const started = performance.now();
  const responses: Promise<number>[] = [];
  while (responses.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) * perSecond) / 1000) + 1);
    while (responses.length < due)
      responses.push(post(agent, url, headers, bodies[responses.length % bodies.length]!));
    await sleep(1);
  }
  const result: PacedResult = {};
  for (const status of await Promise.all(responses)) result[status] = (result[status] ?? 0) + 1;
  agent.destroy();
  return result;
}

function post(agent: Agent, url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve) => {
    const length = String(Buffer.byteLength(body));
    const allHeaders = { ...headers, 'content-type': 'application/json', 'content-length': length };
    request(url, { method: 'POST', agent, headers: allHeaders }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', () => resolve(0))
      .end(body);
  });
}

serve({ measure, pace });
