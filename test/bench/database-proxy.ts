import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Traffic on a program's connections since the last reset. */
export interface Traffic {
  /** Number of times that the program sent data after a response from PostgreSQL. */
  roundTrips: number;
  sentBytes: number;
  receivedBytes: number;
}

/** Forwards a program's connections to PostgreSQL, and measures their traffic. */
export class DatabaseProxy {
  private readonly sockets = new Set<Socket>();
  private traffic: Traffic = { roundTrips: 0, sentBytes: 0, receivedBytes: 0 };
  private readonly server = createServer((client) => this.forward(client));

  private constructor(
    private readonly target: URL,
    readonly url: URL,
  ) {}

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(databaseUrl), new URL(databaseUrl));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    proxy.url.host = `127.0.0.1:${(proxy.server.address() as AddressInfo).port}`;
    return proxy;
  }

  /** Returns the traffic since the last call. */
  take(): Traffic {
    const { traffic } = this;
    this.traffic = { roundTrips: 0, sentBytes: 0, receivedBytes: 0 };
    return traffic;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private forward(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let hasResponded = true;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('data', (bytes: Buffer) => {
        to.write(bytes);
        if (from === server) {
          this.traffic.receivedBytes += bytes.length;
          hasResponded = true;
          return;
        }
        this.traffic.sentBytes += bytes.length;
        if (hasResponded) this.traffic.roundTrips += 1;
        hasResponded = false;
      });
    }
  }
}
