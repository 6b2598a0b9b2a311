import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request as received from the network. */
export interface RawRequest {
  /** ms since 1970. */
  at: number;
  /** Request line and header lines. */
  head: string[];
  body: string;
}

/** Reacts to a complete request. */
export type RawResponder = (socket: Socket, request: RawRequest) => void;

/** Responds with bytes and leaves the connection open. */
export const respondWithBytes =
  (text: string | Buffer): RawResponder =>
  (socket) => {
    socket.write(text);
  };

/** Responds with a `Content-Length`. Additional header lines come before it. */
export const respondWith = (status: string, body: string | Buffer = '', ...headers: string[]): RawResponder =>
  respondWithBytes(
    Buffer.concat([
      Buffer.from([`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`, '', ''].join('\r\n')),
      Buffer.from(body),
    ]),
  );

/** Sends the beginning of a response immediately, then repeats a piece until the client closes the connection. */
export const respondEndlessly =
  (beginning: string, piece: string | Buffer, pauseMs = 0): RawResponder =>
  (socket) => {
    socket.write(beginning);
    const began = performance.now();
    let pieces = 0;
    const next = (): void => {
      if (!socket.writable) return;
      const canContinue = socket.write(piece);
      pieces += 1;
      // Pauses are scheduled from the start, so that delays on a busy machine do not add up.
      if (pauseMs > 0) setTimeout(next, began + pieces * pauseMs - performance.now());
      else if (canContinue) setImmediate(next);
      else socket.once('drain', next);
    };
    next();
  };

export interface RawTargetOptions {
  host?: string;
  port?: number;
  tls?: TlsOptions;
  /** Sent as soon as a client connects. */
  greeting?: string;
}

/** A receiver at the TCP level. It observes every connection and byte, and can respond with any bytes. */
export class RawTarget {
  readonly requests: RawRequest[] = [];
  connections = 0;
  /** Number of request bytes. With TLS, the decrypted ones. */
  bytesReceived = 0;
  /** Number of response bytes that the operating system has accepted. */
  bytesSent = 0;
  /** The responder after the script has ended. */
  defaultResponder: RawResponder = respondWith('200 OK', 'ok');
  private readonly script: RawResponder[] = [];
  private readonly sockets = new Set<Socket>();
  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  static async start(options: RawTargetOptions = {}): Promise<RawTarget> {
    const { host = '127.0.0.1', port = 0, tls, greeting } = options;
    const server = tls ? createTlsServer(tls) : createServer();
    const target = new RawTarget(server, tls ? 'https' : 'http');
    server.on('connection', (socket) => {
      target.connections += 1;
      target.sockets.add(socket.on('error', () => undefined));
      if (greeting) socket.write(greeting);
    });
    server.on('tlsClientError', () => undefined);
    server.on(tls ? 'secureConnection' : 'connection', (socket) => target.handle(socket));
    server.listen(port, host);
    await once(server, 'listening');
    return target;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}/hook`;
  }

  /** Sets the responders for the next requests, one for each. */
  respondWith(...responders: RawResponder[]): this {
    this.script.push(...responders);
    return this;
  }

  /** Returns the number of open connections. */
  async countConnections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private handle(socket: Socket): void {
    let pending = '';
    socket.on('error', () => undefined);
    socket.on('close', () => (this.bytesSent += socket.bytesWritten));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.bytesReceived += chunk.length;
      pending += chunk;
      const end = pending.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(pending)?.[1] ?? 0);
      if (end < 0 || pending.length < end + 4 + length) return;
      const head = pending.slice(0, end).split('\r\n');
      const body = Buffer.from(pending.slice(end + 4), 'latin1').toString();
      const request = { at: Date.now(), head, body };
      pending = '';
      this.requests.push(request);
      (this.script.shift() ?? this.defaultResponder)(socket, request);
    });
  }
}

/** Returns a request header's value by its lowercase name. */
export const getHeader = (request: RawRequest, name: string): string | undefined =>
  request.head
    .find((line) => line.toLowerCase().startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim();
