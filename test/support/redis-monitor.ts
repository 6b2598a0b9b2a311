import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { eventually } from './eventually.js';

/**
 * Records every command that a Redis server receives from any client (Redis protocol: MONITOR). It reads from the
 * socket, because client libraries with a monitor mode mistake a command that arrives together with the "OK" for an
 * unexpected reply.
 */
export class RedisMonitor {
  /** Lines as Redis reports them, with unescaped quotes. */
  readonly commands: string[] = [];
  private constructor(private readonly socket: Socket) {}

  /** Starts a monitor. @returns the monitor, which records all commands from now on */
  static async start(url: string): Promise<RedisMonitor> {
    const { protocol, hostname, port, username, password } = new URL(url);
    const to = { host: hostname, port: Number(port || 6379) };
    const socket = protocol === 'rediss:' ? connectTls(to) : connect(to);
    const monitor = new RedisMonitor(socket);
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => monitor.commands.push(line.replaceAll('\\"', '"')));
    const sent = ['MONITOR'];
    const account = [username || 'default', password].map((part) => JSON.stringify(decodeURIComponent(part)));
    if (password) sent.unshift(`AUTH ${account.join(' ')}`);
    socket.write(sent.map((command) => `${command}\r\n`).join(''));
    try {
      await eventually('Redis to report its commands', () => {
        const error = monitor.commands.find((line) => line.startsWith('-'));
        if (error) throw new Error(error);
        return monitor.commands.length >= sent.length;
      });
    } catch (error) {
      monitor.stop();
      throw error;
    }
    return monitor;
  }

  stop(): void {
    this.socket.destroy();
  }
}
