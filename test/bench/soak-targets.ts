import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TargetRequest } from '../support/invariants.js';
import { serve } from './child.js';

const requests: TargetRequest[] = [];
let origin = '';

/**
 * Starts a receiver. Paths that begin with /failing return 500, and those that begin with /hanging never respond. All
 * others return 200.
 */
async function listen(): Promise<string> {
  const server = createServer((message, response) => {
    const path = message.url!;
    const request: TargetRequest = {
      url: origin + path,
      eventId: String(message.headers['webhook-id']).replace(/^evt_/, ''),
      at: Date.now(),
      response: null,
    };
    requests.push(request);
    message.resume().once('end', () => {
      if (path.startsWith('/hanging')) return;
      response.statusCode = path.startsWith('/failing') ? 500 : 200;
      response.once('finish', () => (request.response = { status: response.statusCode, at: Date.now() }));
      response.end('ok');
    });
    message.on('error', () => undefined);
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return origin;
}

serve({ listen, requests: () => requests });
