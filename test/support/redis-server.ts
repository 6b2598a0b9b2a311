import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { redisCommand, spawnRedis } from './redis-process.mjs';
import { freePort } from './server-process.mjs';

export { hasRedisServer } from './redis-process.mjs';

interface RedisServerOptions {
  /** Default: a free port. */
  port?: number;
  /** redis.conf settings. */
  settings?: Record<string, string | number>;
  /** With a certificate, the server also accepts TLS connections on `tlsPort`. */
  certificate?: { cert: string; key: string };
}

/** A Redis server that a test may stop, start and flush. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private constructor(
    readonly port: number,
    /** 0 without a certificate. */
    readonly tlsPort: number,
    private readonly folder: string,
    private readonly settings: Record<string, string | number>,
  ) {}

  static async start({ port, settings = {}, certificate }: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'));
    const tlsPort = certificate ? await freePort() : 0;
    const tls = {
      'tls-port': tlsPort,
      'tls-cert-file': 'cert.pem',
      'tls-key-file': 'key.pem',
      'tls-ca-cert-file': 'cert.pem',
      'tls-auth-clients': 'no',
      // A cluster announces the TLS port to its clients.
      'tls-cluster': 'yes',
    };
    if (certificate) {
      await writeFile(join(folder, 'cert.pem'), certificate.cert);
      await writeFile(join(folder, 'key.pem'), certificate.key);
    }
    const server = new RedisServer(port ?? (await freePort()), tlsPort, folder, {
      ...settings,
      ...(certificate ? tls : {}),
    });
    await server.start();
    return server;
  }

  /** Starts a cluster with one node. It accepts writes after two seconds. */
  static async startCluster(options: Omit<RedisServerOptions, 'settings'> = {}): Promise<RedisServer> {
    const settings = {
      'cluster-enabled': 'yes',
      'cluster-announce-ip': '127.0.0.1',
      'cluster-port': await freePort(),
    };
    const server = await RedisServer.start({ ...options, settings });
    await server.command('CLUSTER ADDSLOTSRANGE 0 16383');
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.child = spawnRedis({ port: this.port, dir: this.folder, ...this.settings });
    await eventually('Redis to respond', async () => (await this.command('PING')) === '+PONG');
  }

  async stop(): Promise<void> {
    const exited = once(this.child!, 'exit');
    this.child!.kill('SIGKILL');
    await exited;
  }

  /** Suspends the process. It accepts connections, but does not respond until it is thawed or removed. */
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
   * Adds an ACL user that can access only Gatehouse's keys, and cannot run commands that administer the server
   * (docs/operations/redis.md, "Configure Redis").
   */
  async addUser(name: string, password: string): Promise<void> {
    const rules = '~gatehouse* ~{gatehouse}* +@all -@admin -@dangerous +info +cluster|slots +cluster|info';
    const response = await this.command(`ACL SETUSER ${name} on >${password} ${rules}`);
    if (response !== '+OK') throw new Error(response);
  }

  /** Sends one inline command (Redis protocol). @returns the beginning of the response, or "" if there is none */
  command(text: string): Promise<string> {
    return redisCommand(this.port, text);
  }
}
