import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a client has to put up with before the proxy gives up, in ms. */
const RETRY_TIMEOUT_MS = 15_000;
const PAUSE_MS = 20;

/** How often it asks each replica whether it is ready, in ms. */
const PROBE_MS = 50;

/**
 * What stands before replicas: a request goes to the next one that says it is ready, and to another one when the
 * connection is refused, as every usual proxy does. A request that was sent is never sent again.
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
    // What an older one has to say may no longer be so.
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

/** Over a connection of its own. Whatever breaks after the connection was made breaks for the client as well. */
function forward(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<'refused' | 'passed'> {
  return new Promise((resolve) => {
    const { connection: _, ...passed } = headers;
    request({ host: '127.0.0.1', port, method, path: url, headers: passed, agent: false }, (answer) => {
      const { connection: __, ...shown } = answer.headers;
      response.writeHead(answer.statusCode!, shown);
      answer.pipe(response);
      answer.once('close', () => {
        if (!answer.complete) response.destroy();
        resolve('passed');
      });
    })
      .once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') return resolve('refused');
        response.destroy();
        resolve('passed');
      })
      .end(body);
  });
}
