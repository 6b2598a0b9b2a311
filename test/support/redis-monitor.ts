import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { eventually } from './eventually.js';

/**
 * Every command that a Redis is given, by whomever (Redis protocol: MONITOR). Read from the wire: a client that has its
 * own mode for it takes a command which arrives together with the "OK" for an answer that it did not ask for.
 */
export class RedisMonitor {
  /** Line by line as Redis tells them, with quotes as they were sent. */
  readonly commands: string[] = [];
  private constructor(private readonly socket: Socket) {}

  /** @returns a monitor that hears whatever is sent from now on */
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
      await eventually('Redis telling what it is given', () => {
        const refusal = monitor.commands.find((line) => line.startsWith('-'));
        if (refusal) throw new Error(refusal);
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
