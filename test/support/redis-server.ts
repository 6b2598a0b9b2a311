import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './server-process.mjs';

/** Whether a Redis of the test's own can be started here. */
export const hasRedisServer = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'redis-server')));

/** A Redis that a test may stop, start and flush. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {}

  /** @param port default: a free one */
  static async start(port?: number): Promise<RedisServer> {
    const server = new RedisServer(
      port ?? (await freePort()),
      await mkdtemp(join(tmpdir(), 'gatehouse-redis-')),
    );
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const options = [
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      this.folder,
    ];
    this.child = spawn('redis-server', options, { stdio: 'ignore' });
    await eventually('Redis answering', async () => (await this.command('PING')) === '+PONG');
  }

  async stop(): Promise<void> {
    const exited = once(this.child!, 'exit');
    this.child!.kill('SIGKILL');
    await exited;
  }

  /** Lets it accept everything and answer nothing, until it is thawed or removed. */
  hang(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }

  async flush(): Promise<void> {
    await this.command('FLUSHALL');
  }

  async remove(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** One inline command (Redis protocol). @returns the beginning of the answer, or "" when nobody answers */
  command(text: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1', () => socket.write(`${text}\r\n`));
    return new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString().trim()));
      socket.once('error', () => resolve(''));
    }).finally(() => socket.destroy());
  }
}
