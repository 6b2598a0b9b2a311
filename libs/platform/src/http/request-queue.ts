import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of requests per connection that wait for an earlier one. Hardly any client sends a request before it
 * has received the previous response.
 */
const MAX_WAITING = 10;

/** How long a client can leave its response unread before it is disconnected, in ms. */
export const STALL_MS = 60_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A step that runs on a connection after the preceding responses. */
interface Step {
  /** Null if the step rejects invalid data after the last request. */
  request: IncomingMessage | null;
  run: () => void;
}

/**
 * Handles a connection's requests sequentially. A request that the client has already sent (pipelining) starts when the
 * previous response has been sent (RFC 9112, section 9.3.2), and never if the connection has closed. Otherwise, a
 * client that does not read responses could make the process buffer one for each request that it sends.
 *
 * Reading pauses while requests wait, so they use at most the memory of one read (64 KiB). A client is disconnected if
 * it sends more than 10 requests ahead, or reads nothing for 60 s although its response is complete.
 */
export class RequestQueue {
  /** The request in progress and the waiting steps, by connection. */
  private readonly bySocket = new WeakMap<Socket, { current: IncomingMessage; waiting: Step[] }>();

  /** @param handler sends the response to a request */
  constructor(private readonly handler: Handler) {}

  /** Handles a request. Used as a server's `request` listener. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const run = (): void => this.start(request, response);
    const waiting = this.bySocket.get(socket)?.waiting;
    if (!waiting) return run();
    if (waiting.push({ request, run }) > MAX_WAITING) socket.destroy();
    // Paused in the next tick, because Node.js resumes reading at the end of each request.
    process.nextTick(() => waiting.length > 0 && socket.pause());
  };

  /**
   * Rejects invalid data from a client: immediately if it is in the current request's body, otherwise after the
   * responses to the preceding requests.
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
    // `prefinish` is emitted when the response is complete, before the client has read it.
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
      // Requests after a response that closes the connection are not processed (RFC 9112, section 9.6).
      if (socket.writable) next.run();
    });
    this.handler(request, response);
  }
}
