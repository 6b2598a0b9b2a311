import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests on one connection that can wait for an earlier one. Hardly any client sends a request before it has the last
 * response.
 */
const MAX_WAITING = 10;

/** Time without progress after which a client that does not read its response is disconnected, in ms. */
export const STALL_MS = 60_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A step that a connection takes after the preceding responses. */
interface Step {
  /** Null if the step rejects what follows the last request. */
  request: IncomingMessage | null;
  run: () => void;
}

/**
 * Handles a connection's requests one after another. The next request that its client has sent already (pipelining)
 * starts when the response has been sent (RFC 9112, section 9.3.2), and never if the connection has closed. A client
 * that reads no response could otherwise make the process hold a response for each request that it sends.
 *
 * Nothing more is read while requests wait, so they use at most what has been read at once (64 KiB). Disconnects a
 * client that sends more than 10 requests ahead, or that reads nothing from a complete response for 60 s.
 */
export class RequestQueue {
  /** The request in progress on each connection that has one, and the requests that wait. */
  private readonly bySocket = new WeakMap<Socket, { current: IncomingMessage; waiting: Step[] }>();

  /** @param handler sends the response to a request */
  constructor(private readonly handler: Handler) {}

  /** Handles a request, as a server's listener. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const run = (): void => this.start(request, response);
    const waiting = this.bySocket.get(socket)?.waiting;
    if (!waiting) return run();
    if (waiting.push({ request, run }) > MAX_WAITING) socket.destroy();
    // Node.js continues to read at the end of each request that it has read.
    process.nextTick(() => waiting.length > 0 && socket.pause());
  };

  /**
   * Rejects what a client has sent: at once if the body of the request in progress is invalid, otherwise after the
   * responses to the requests before.
   * @param reject must close the connection
   */
  reject(socket: Socket, reject: () => void): void {
    const queue = this.bySocket.get(socket);
    if (!queue?.current.complete) return reject();
    const { waiting } = queue;
    if (waiting.at(-1)?.request?.complete === false) waiting.pop();
    waiting.push({ request: null, run: reject });
  }

  private start(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const { waiting } = this.bySocket.get(socket) ?? { waiting: [] };
    this.bySocket.set(socket, { current: request, waiting });
    // Emitted when the response is complete, before the client has read it.
    response.once('prefinish', () => {
      if (response.writableLength > 0) response.setTimeout(STALL_MS);
    });
    response.once('close', () => {
      const next = waiting.shift();
      if (!next) {
        this.bySocket.delete(socket);
        return;
      }
      if (waiting.length === 0) socket.resume();
      // Requests after one whose response closes the connection are not processed (RFC 9112, section 9.6).
      if (socket.writable) next.run();
    });
    this.handler(request, response);
  }
}
