import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.js';

/** When each `webhook-id` came first, in ms since 1970. */
const arrivals = new Map<string, number>();
let count = 0;

/** Answers at once and notes the time: as little as a target can do. */
async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    count += 1;
    const id = request.headers['webhook-id'];
    if (typeof id === 'string' && !arrivals.has(id))
      arrivals.set(id, performance.timeOrigin + performance.now());
    request.resume().once('end', () => response.end('ok'));
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Takes every request and answers none. */
async function hang(): Promise<string> {
  const server = createServer((request) => {
    count += 1;
    request.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

serve({
  listen,
  hang,
  count: () => count,
  arrivals: () => [...arrivals],
  reset: () => {
    count = 0;
    arrivals.clear();
  },
});
