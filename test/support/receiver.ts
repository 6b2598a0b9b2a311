import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request to a receiver. */
export interface ReceivedRequest {
  /** ms since 1970. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The response and its time, once it has been sent completely. */
  response?: { status: number; at: number };
  event: { id: string; type: string; data: Record<string, unknown> };
}

export type Responder = (
  response: ServerResponse,
  request: ReceivedRequest,
  message: IncomingMessage,
) => void;

/** Responds with a status and a short body. */
export const respondWithStatus =
  (code: number, body = ''): Responder =>
  (response) => {
    response.statusCode = code;
    response.end(body);
  };

/** A real webhook receiver whose response to each request is defined by a test. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  private readonly nextResponders: Responder[] = [];
  private constructor(private readonly server: Server) {}

  /** @param port default: any free port */
  static async start(port = 0): Promise<Receiver> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server);
    server.on('request', (message, response) => receiver.handle(message, response));
    return receiver;
  }

  /** The responder when no responders from `respondWith` are left. */
  defaultResponder: Responder = respondWithStatus(200, 'ok');

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Sets the responders for the next requests, one for each. */
  respondWith(...responders: Responder[]): this {
    this.nextResponders.push(...responders);
    return this;
  }

  listByType(type: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.event.type === type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private handle(message: IncomingMessage, response: ServerResponse): void {
    const at = Date.now();
    let body = '';
    message.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    message.on('error', () => undefined);
    message.on('end', () => {
      // A webhook always has a body. Requests without one only check whether a server uses this port.
      if (body === '' && !message.headers['webhook-id']) return void response.writeHead(404).end();
      const event = JSON.parse(body) as ReceivedRequest['event'];
      const request: ReceivedRequest = { at, path: message.url ?? '', headers: message.headers, body, event };
      this.requests.push(request);
      response.once('finish', () => (request.response = { status: response.statusCode, at: Date.now() }));
      (this.nextResponders.shift() ?? this.defaultResponder)(response, request, message);
    });
  }
}
