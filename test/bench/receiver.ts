import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.js';

/** The time of the first arrival of each `webhook-id`, in ms since 1970. */
const arrivals = new Map<string, number>();
let count = 0;

/** Starts a receiver that responds at once and records the time: the minimum work of a receiver. */
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

/** Starts a receiver that accepts every request and never responds. */
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
