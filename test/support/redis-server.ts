import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { redisCommand, spawnRedis } from './redis-process.mjs';
import { freePort } from './server-process.mjs';

export { hasRedisServer } from './redis-process.mjs';

/** A Redis server that a test may stop, start and flush. */
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
    this.child = spawnRedis({ port: this.port, dir: this.folder });
    await eventually('Redis to respond', async () => (await this.command('PING')) === '+PONG');
  }

  async stop(): Promise<void> {
    const exited = once(this.child!, 'exit');
    this.child!.kill('SIGKILL');
    await exited;
  }

  /** Stops the process: it accepts connections and does not respond until it is thawed or removed. */
  freeze(): void {
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

  /**
   * Sends one inline command (Redis protocol). @returns the beginning of the response, or "" if there is none
   */
  command(text: string): Promise<string> {
    return redisCommand(this.port, text);
  }
}
