import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { GatehouseError, type ErrorCode } from '@gatehouse/domain';
import { errorCode, newId, sleep, withTimeout } from '@gatehouse/platform';
import { problemDocument } from './problem.js';

/** Longest wait for requests in hand when the process stops, in ms. */
const DRAIN_MS = 12_000;

/** How long new requests are taken while it stops, at most, and how long none may have come. */
const DRAIN_GRACE_MS = 1_000;
const QUIET_MS = 100;
const CHECK_INTERVAL_MS = 10;

/** What Node's parser complains about, as our codes; anything else is a malformed request. */
const clientErrors: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Connections whose request has a time limit of its own. */
const longBodySockets = new WeakSet<Socket>();

/**
 * Lets a request take longer to arrive than the server's limit for all. Its sender is known by now, and whoever reads
 * it gives it up when nothing comes; the connection must not carry another request.
 */
export const allowLongBody = ({ socket }: IncomingMessage): void => void longBodySockets.add(socket);

/** A server that slow or malformed clients cannot hold up (requirement IN-11). */
export function createHttpServer(app: Express, publicUrl: string): Server {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (isValidRequest(request)) app(request, response);
    else
      rejectRequest(
        new Error('missing Host header, or request target without a path'),
        request.socket,
        publicUrl,
      );
  };
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // Node's own refusal would lack our headers (requirement HD-01).
      requireHostHeader: false,
    },
    answer,
  );
  // Likewise: a request is served whatever else it expects (RFC 9110, section 10.1.1).
  server.on('checkExpectation', answer);
  server.on('clientError', (error, socket: Socket) => {
    // Node says this once for each request, and leaves the end of it to us.
    if (errorCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && longBodySockets.has(socket)) return;
    rejectRequest(error, socket, publicUrl);
  });
  return server;
}

/** What Express could only answer in its own words: RFC 9112, section 3.2. */
const isValidRequest = ({ httpVersion, headers, url = '' }: IncomingMessage): boolean =>
  (headers.host !== undefined || httpVersion === '1.0') &&
  (/^[/*]/.test(url) || (/^https?:/i.test(url) && URL.canParse(url)));

/** Answers by hand: there is no response object for a request that was never understood. */
function rejectRequest(error: Error, socket: Socket, publicUrl: string): void {
  if (!socket.writable || errorCode(error) === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const problem = new GatehouseError(clientErrors[errorCode(error)] ?? 'invalid_json', {
    detail: clientErrors[errorCode(error)] ? undefined : 'The request is not valid HTTP.',
  });
  const requestId = newId();
  const body = JSON.stringify(problemDocument(problem, { requestId, publicUrl, path: '' }));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Strict-Transport-Security: max-age=31536000; includeSubDomains',
    'Referrer-Policy: no-referrer',
    "Content-Security-Policy: default-src 'none';frame-ancestors 'none'",
    'Cache-Control: no-store',
    'Connection: close',
  ];
  // Without this a client that never closes its side would keep the socket.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Stops listening, lets requests in hand finish, and cuts what is left after 12 s. Whoever still asks is served for
 * up to a second before: a connection that is closed, or was never accepted, while a request comes over it would
 * break for its client, and /readyz and `Connection: close` send clients away meanwhile.
 */
export async function drain(server: Server): Promise<void> {
  await waitUntilQuiet(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await withTimeout(closed, DRAIN_MS, 'requests are still in progress').catch(() => undefined);
  server.closeAllConnections();
}

/**
 * In short looks, which are counted: after one long wait, or by the clock, a process that stood still would find that
 * its time is over before it finds what has arrived meanwhile.
 */
async function waitUntilQuiet(server: Server): Promise<void> {
  let quietMs = 0;
  server.on('request', () => (quietMs = -CHECK_INTERVAL_MS));
  for (let looks = DRAIN_GRACE_MS / CHECK_INTERVAL_MS; quietMs < QUIET_MS && looks > 0; looks -= 1) {
    await sleep(CHECK_INTERVAL_MS);
    quietMs += CHECK_INTERVAL_MS;
  }
}
