import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { GatehouseError, parseUrl, type ErrorCode } from '@gatehouse/domain';
import { errorCode, newId, RequestQueue, sleep, withTimeout, type Logger } from '@gatehouse/platform';
import { problemDocument } from './problems/problem.js';

/**
 * Maximum wait for requests in progress when the process stops, in ms. Together with the grace period before
 * it, and the three seconds that closing the PostgreSQL connections takes, it must be less than the stop
 * timeout of a process (run-process.ts).
 */
const DRAIN_MS = 10_000;

/**
 * Maximum time that new requests are accepted during shutdown, and the idle time that ends this period
 * earlier, in ms.
 */
const DRAIN_GRACE_MS = 1_000;
const QUIET_MS = 100;
const CHECK_INTERVAL_MS = 10;

/** API error codes by error code of Node's HTTP parser. Any other error means a malformed request. */
const clientErrors: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Connections whose request has its own time limit. */
const longBodySockets = new WeakSet<Socket>();

/**
 * Exempts a request from the server's time limit for receiving requests. The sender must already be
 * authenticated, the reader must abort when no data arrives, and the connection must not be reused.
 */
export const allowLongBody = ({ socket }: IncomingMessage): void => void longBodySockets.add(socket);

/** Creates a server that slow clients and malformed requests cannot block (requirement IN-11). */
export function createHttpServer(app: Express, publicUrl: string, logger: Logger): Server {
  const queue = new RequestQueue((request, response) => {
    if (isValidRequest(request)) app(request, response);
    else
      rejectRequest(
        new Error('missing or repeated Host header, or request target without a path'),
        request.socket,
        publicUrl,
      );
  });
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // Node's own error response would lack the security headers (requirement HD-01).
      requireHostHeader: false,
    },
    queue.handle,
  );
  // For the same reason, unknown expectations are ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', queue.handle);
  server.on('clientError', (error, socket: Socket) => {
    // Node emits this error once per request and leaves closing the connection to the handler.
    if (errorCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT' && longBodySockets.has(socket)) return;
    if (!socket.writable || errorCode(error) === 'ECONNRESET') socket.destroy();
    else queue.reject(socket, () => rejectRequest(error, socket, publicUrl));
  });
  // Without a listener, the process would end when it has no file descriptor left for a new connection.
  server.on('error', (error) => {
    if (server.listening) logger.error({ code: errorCode(error) }, 'server could not accept a connection');
  });
  return server;
}

/**
 * Returns false for a request that does not contain exactly one host, or that Express would reject without a
 * problem document (RFC 9112, section 3.2).
 */
const isValidRequest = (request: IncomingMessage): boolean => {
  const { url = '' } = request;
  return hasValidHost(request) && (/^[/*]/.test(url) || (/^https?:/i.test(url) && parseUrl(url) !== null));
};

/** A host, which may be an IPv6 address or empty, and an optional port (RFC 9110, section 7.2). */
const hostPattern = /^([\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;

/**
 * Returns true if the request contains exactly one host. With several `Host` headers, a proxy may use a
 * different one than Gatehouse.
 */
const hasValidHost = ({ httpVersion, headersDistinct }: IncomingMessage): boolean => {
  const { host: hosts = [] } = headersDistinct;
  if (hosts.length === 0) return httpVersion === '1.0';
  return hosts.length === 1 && hostPattern.test(hosts[0]!);
};

/**
 * Writes the error response to the socket, because there is no response object for a request that was not
 * parsed.
 */
function rejectRequest(error: Error, socket: Socket, publicUrl: string): void {
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
  // Without `destroy`, a client that never closes its side would hold the socket.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Stops listening, waits for requests in progress, and closes the remaining connections after 10 s. Before
 * that, new requests are served for up to a second, because a request that arrives on a closed connection
 * fails. During this second, load balancers notice the 503 of /readyz, and `Connection: close` ends idle
 * connections.
 */
export async function drain(server: Server): Promise<void> {
  await waitUntilQuiet(server);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Closes the connections of requests in progress after their responses.
  server.keepAliveTimeout = 1;
  await withTimeout(closed, DRAIN_MS, 'requests are still in progress').catch(() => undefined);
  server.closeAllConnections();
}

/**
 * Waits until requests stop arriving. Counts short waits instead of measuring the time: a process that was
 * suspended would otherwise reach its deadline before it handles the requests that arrived in the meantime.
 */
async function waitUntilQuiet(server: Server): Promise<void> {
  let quietMs = 0;
  server.on('request', () => (quietMs = -CHECK_INTERVAL_MS));
  for (let checks = DRAIN_GRACE_MS / CHECK_INTERVAL_MS; quietMs < QUIET_MS && checks > 0; checks -= 1) {
    await sleep(CHECK_INTERVAL_MS);
    quietMs += CHECK_INTERVAL_MS;
  }
}
