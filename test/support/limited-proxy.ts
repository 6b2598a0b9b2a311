import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that forwards only the beginning of each body, and then keeps the connection open until it is cut. */
export class LimitedProxy {
  /** Maximum forwarded body length, in bytes. */
  limit = Infinity;
  private readonly server: Server = createServer();
  private readonly held = new Set<() => void>();

  private constructor(private readonly target: string) {}

  static async start(target: string): Promise<LimitedProxy> {
    const proxy = new LimitedProxy(target);
    proxy.server.on('request', (message, response) => proxy.forward(message, response));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes the held connections on both sides. Later bodies are forwarded completely. */
  cut(): void {
    this.limit = Infinity;
    for (const close of this.held) close();
    this.held.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(message: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = message;
    const upstream = request(`${this.target}${url}`, { method, headers, agent: false }, (received) => {
      response.writeHead(received.statusCode!, received.headers);
      received.pipe(response);
    });
    const close = (): void => {
      upstream.destroy();
      response.destroy();
    };
    upstream.on('error', close);
    message.on('error', close);
    let sent = 0;
    message.on('data', (chunk: Buffer) => {
      const rest = chunk.subarray(0, Math.max(0, this.limit - sent));
      sent += chunk.length;
      upstream.write(rest);
      if (rest.length < chunk.length) this.held.add(close);
    });
    message.on('end', () => {
      if (sent <= this.limit) upstream.end();
    });
  }
}
