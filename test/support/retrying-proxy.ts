import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the proxy waits before it responds with 502, in ms. */
const RETRY_TIMEOUT_MS = 15_000;
const PAUSE_MS = 20;

/** Interval between a replica's readiness checks, in ms. */
const PROBE_MS = 50;

/**
 * A proxy for replicas. Like common proxies, it forwards a request to the next ready replica, and to a different
 * replica if the connection is refused. A request that was sent is never sent again.
 */
export class RetryingProxy {
  private next = 0;
  private isProbing = false;
  private readonly ready: Set<number>;
  private readonly prober = setInterval(() => void this.probe(), PROBE_MS);
  private constructor(
    private readonly server: Server,
    private readonly ports: number[],
  ) {
    this.ready = new Set(ports);
  }

  static async start(ports: number[]): Promise<RetryingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new RetryingProxy(server, ports);
    server.on('request', (message, response) => void proxy.handle(message, response));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    clearInterval(this.prober);
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async probe(): Promise<void> {
    // Probes must not overlap, because the result of an older probe may be outdated.
    if (this.isProbing) return;
    this.isProbing = true;
    for (const port of this.ports) {
      const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, {
        signal: AbortSignal.timeout(1_000),
      }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.ready.add(port);
      else this.ready.delete(port);
    }
    this.isProbing = false;
  }

  private async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat((await message.toArray()) as Buffer[]);
    for (const end = performance.now() + RETRY_TIMEOUT_MS; performance.now() < end; await sleep(PAUSE_MS)) {
      this.next = (this.next + 1) % this.ports.length;
      const port = this.ports[this.next]!;
      if (!this.ready.has(port)) continue;
      const outcome = await forward(port, message, body, response);
      if (outcome !== 'refused') return;
    }
    response.writeHead(502).end();
  }
}

/**
 * Forwards a request over a new connection. An error after the connection was established also closes the client's
 * connection.
 */
function forward(
  port: number,
  { method, url, headers: received }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<'refused' | 'forwarded'> {
  return new Promise((resolve) => {
    const { connection: _, ...headers } = received;
    request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (upstream) => {
      const { connection: __, ...responseHeaders } = upstream.headers;
      response.writeHead(upstream.statusCode!, responseHeaders);
      upstream.pipe(response);
      upstream.once('close', () => {
        if (!upstream.complete) response.destroy();
        resolve('forwarded');
      });
    })
      .once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') return resolve('refused');
        response.destroy();
        resolve('forwarded');
      })
      .end(body);
  });
}
