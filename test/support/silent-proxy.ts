import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy between a client and a server. While it is paused, it forwards nothing, but keeps every connection open. */
export class SilentProxy {
  private readonly sockets = new Set<Socket>();
  private isPaused = false;
  private constructor(private readonly server: Server) {}

  static async start(target: { host: string; port: number }): Promise<SilentProxy> {
    const proxy: SilentProxy = new SilentProxy(
      createServer((client) => {
        const server = connect(target);
        for (const [from, to] of [
          [client, server],
          [server, client],
        ] as const) {
          proxy.sockets.add(from);
          from.on('data', (data) => to.write(data)).on('error', () => undefined);
          from.on('close', () => (proxy.sockets.delete(from), to.destroy()));
          if (proxy.isPaused) from.pause();
        }
      }).listen(0, '127.0.0.1'),
    );
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  pause(): void {
    this.isPaused = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Forwards everything again, including data that was sent in the meantime. */
  resume(): void {
    this.isPaused = false;
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
