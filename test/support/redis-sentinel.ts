import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { redisCommand } from './redis-process.mjs';
import type { RedisServer } from './redis-server.js';
import { freePort } from './server-process.mjs';

/** A Sentinel that decides alone when the primary `mymaster` has failed, half a second after its last response. */
export class RedisSentinel {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(primary: RedisServer): Promise<RedisSentinel> {
    const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'gatehouse-sentinel-'))];
    const file = join(folder, 'sentinel.conf');
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 2000',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    await eventually('Sentinel to respond', async () => (await redisCommand(port, 'PING')) === '+PONG');
    return new RedisSentinel(port, folder, child);
  }

  /** Sends one inline command. @returns the beginning of the response */
  command(text: string): Promise<string> {
    return redisCommand(this.port, text);
  }

  async remove(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
