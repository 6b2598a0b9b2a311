import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './child.js';

/** The time at which each `webhook-id` first arrived, in ms since 1970. */
const arrivals = new Map<string, number>();
let count = 0;

/** Starts a receiver that responds immediately and records the time: the minimum work of a receiver. */
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

/** For `listenForMarks`: each mark's first arrival, in ms since 1970. */
const marks = new Map<string, number>();
let awaited: { count: number; resolve: () => void } | undefined;

/**
 * Starts a receiver that responds immediately and records each mark's time: a changed customer's last name, or a custom
 * event's mark.
 */
async function listenForMarks(): Promise<string> {
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now();
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.once('end', () => {
      response.end('ok');
      count += 1;
      const { data } = JSON.parse(text) as { data: { mark?: unknown; customer?: { lastName?: unknown } } };
      const mark = data.mark ?? data.customer?.lastName;
      if (typeof mark === 'string' && !marks.has(mark)) marks.set(mark, at);
      if (awaited && count >= awaited.count) awaited.resolve();
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** Waits until `expected` requests have arrived since the last reset. @throws Error after 120 s */
async function waitFor(expected: number): Promise<void> {
  if (count >= expected) return;
  const arrived = new Promise<void>((resolve) => (awaited = { count: expected, resolve }));
  const limit = sleep(120_000, undefined, { ref: false }).then(() => {
    throw new Error(`only ${count} of ${expected} deliveries have arrived`);
  });
  await Promise.race([arrived, limit]);
  awaited = undefined;
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
  listenForMarks,
  waitFor,
  hang,
  count: () => count,
  arrivals: () => [...arrivals],
  marks: () => [...marks],
  reset: () => {
    count = 0;
    arrivals.clear();
    marks.clear();
  },
});
