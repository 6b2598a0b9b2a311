import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that can wait for an earlier one. Hardly any client sends a request before it has the last response. */
const MAX_WAITING = 10;

/** Time without progress after which a client that does not read its response is disconnected, in ms. */
export const STALL_MS = 60_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Wraps a handler so that each connection has one request in progress. The next request that its client has sent already
 * (pipelining) starts when the response has been sent (RFC 9112, section 9.3.2), and never if the connection has closed. A client
 * that reads no response could otherwise make the process hold a response for each request that it sends.
 *
 * Nothing more is read while requests wait, so they use at most what has been read at once (64 KiB). Disconnects a client
 * that sends more than 10 requests ahead, or that reads nothing of a complete response for 60 s.
 */
export function handleInOrder(handle: Handler): Handler {
  /** The requests that wait, of each connection with a request in progress. */
  const waiting = new WeakMap<Socket, Parameters<Handler>[]>();
  const start = (request: IncomingMessage, response: ServerResponse, queue: Parameters<Handler>[]): void => {
    const { socket } = request;
    // Emitted when the response is complete, before the client has read it.
    response.once('prefinish', () => {
      if (response.writableLength > 0) response.setTimeout(STALL_MS);
    });
    response.once('close', () => {
      const next = queue.shift();
      if (!next) {
        waiting.delete(socket);
        return;
      }
      if (queue.length === 0) socket.resume();
      // Requests after one whose response closes the connection are not processed (RFC 9112, section 9.6).
      if (socket.writable) start(...next, queue);
    });
    handle(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    const queue = waiting.get(socket);
    if (!queue) {
      const own: Parameters<Handler>[] = [];
      waiting.set(socket, own);
      start(request, response, own);
      return;
    }
    if (queue.push([request, response]) > MAX_WAITING) socket.destroy();
    // Node.js continues to read at the end of each request that it has read.
    process.nextTick(() => queue.length > 0 && socket.pause());
  };
}
