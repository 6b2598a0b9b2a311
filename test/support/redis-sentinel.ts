import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChildServer } from './child-server.js';
import { redisCommand } from './redis-process.mjs';
import type { RedisServer } from './redis-server.js';
import { freePort } from './server-process.mjs';

/** A single Sentinel. It considers the primary `mymaster` failed half a second after its last response. */
export class RedisSentinel extends ChildServer {
  private constructor(
    readonly port: number,
    folder: string,
  ) {
    super(folder, ['redis-server', 'sentinel.conf', '--sentinel']);
  }

  static async start(primary: RedisServer): Promise<RedisSentinel> {
    const [port, folder] = [await freePort(), await this.createFolder('sentinel')];
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir ${folder}`,
      `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 2000',
    ];
    await writeFile(join(folder, 'sentinel.conf'), `${lines.join('\n')}\n`);
    return new RedisSentinel(port, folder).waitUntil(
      async () => (await redisCommand(port, 'PING')) === '+PONG',
    );
  }

  /** Sends one inline command. @returns the beginning of the response */
  command(text: string): Promise<string> {
    return redisCommand(this.port, text);
  }
}
