import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request as it came over the wire. */
export interface RawRequest {
  /** ms since 1970. */
  at: number;
  /** Request line and header lines. */
  head: string[];
  body: string;
}

/** What a target does when a whole request has arrived. */
export type RawResponder = (socket: Socket, request: RawRequest) => void;

/** Sends these bytes and leaves the connection open. */
export const respondWithBytes =
  (text: string | Buffer): RawResponder =>
  (socket) => {
    socket.write(text);
  };

/** An answer with a length; further header lines come before the body. */
export const respondWith = (status: string, body: string | Buffer = '', ...headers: string[]): RawResponder =>
  respondWithBytes(
    Buffer.concat([
      Buffer.from([`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`, '', ''].join('\r\n')),
      Buffer.from(body),
    ]),
  );

/** Sends a beginning at once, then a piece again and again until nobody listens any more. */
export const respondEndlessly =
  (beginning: string, piece: string | Buffer, pauseMs = 0): RawResponder =>
  (socket) => {
    socket.write(beginning);
    const began = performance.now();
    let pieces = 0;
    const next = (): void => {
      if (!socket.writable) return;
      const isTaken = socket.write(piece);
      pieces += 1;
      // By the clock: what a busy machine loses with one of them does not add up.
      if (pauseMs > 0) setTimeout(next, began + pieces * pauseMs - performance.now());
      else if (isTaken) setImmediate(next);
      else socket.once('drain', next);
    };
    next();
  };

export interface RawTargetOptions {
  host?: string;
  port?: number;
  tls?: TlsOptions;
  /** Said as soon as somebody connects. */
  greeting?: string;
}

/** A target below HTTP: it sees every connection and byte, and may answer anything at all. */
export class RawTarget {
  readonly requests: RawRequest[] = [];
  connections = 0;
  /** Bytes of requests; with TLS those inside it. */
  bytesReceived = 0;
  /** Bytes of answers that the operating system has taken. */
  bytesSent = 0;
  /** What it answers when the script is over. */
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

  /** The next answers, one per request. */
  respondWith(...answers: RawResponder[]): this {
    this.script.push(...answers);
    return this;
  }

  /** Connections that are open now. */
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

/** A request's header by its name in lower case. */
export const getHeader = (request: RawRequest, name: string): string | undefined =>
  request.head
    .find((line) => line.toLowerCase().startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim();
