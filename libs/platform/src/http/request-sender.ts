import type { IncomingMessage } from 'node:http';
import type { Agents } from './filtered-agents.js';
import type { HttpTransport } from './http-transport.js';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  /** A request with a body requires a `content-type`. */
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Cancels the request when it aborts. */
  signal?: AbortSignal;
  /**
   * True to allow a kept-alive connection (default: only for GET). If it is closed before the first response byte, the
   * request is repeated once on a new connection, so the server may receive it twice.
   */
  reuseConnection?: boolean;
}

/** Sends requests for the OutboundClient. */
export interface RequestSender {
  /** Loads what the sender needs. Called before each request, so that loading does not count toward its time limit. */
  load?(): Promise<void>;

  /**
   * Sends a request over a connection from `agents`. `transport` receives the response headers.
   * @param signal cancels the request, and the response if its body has not been read
   * @returns the response once its status and headers have arrived; only `transport` contains the headers
   * @throws Error with a `code`: `ERR_CANCELED` if the signal aborts, or a Node.js code
   */
  send(
    request: OutboundRequest,
    agents: Agents,
    transport: HttpTransport,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
}
