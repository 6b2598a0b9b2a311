import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unprivilegedCommandPrefix } from '../../scripts/embedded-postgres.mjs';
import { roleUrls } from './databases.mjs';
import { eventually } from './eventually.js';
import { freePort } from './server-process.mjs';

/** The path of PgBouncer, or undefined if it is not installed. */
const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
);

/** PgBouncer in transaction mode, in front of the PostgreSQL server of the tests. */
export class PgBouncer {
  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static readonly isInstalled = program !== undefined;

  /** @param poolSize number of connections to PostgreSQL for each database and role */
  static async start(poolSize: number): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pgbouncer-'));
    const port = await freePort();
    const server = new URL(process.env['TEST_POSTGRES_URL']!);
    const users = Object.values(roleUrls(server.href)).map((url) => new URL(url));
    await writeFile(
      join(folder, 'users.txt'),
      users.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"\n`).join(''),
    );
    const settings = {
      ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: 'transaction' },
      ...{ default_pool_size: poolSize, auth_type: 'scram-sha-256', auth_file: join(folder, 'users.txt') },
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(
      file,
      `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]\n${lines.join('')}`,
    );
    const [command, ...args] = [...(await unprivilegedCommandPrefix()), program!, '--quiet', file];
    const child = spawn(command, args, { stdio: 'ignore' });
    const pooler = new PgBouncer(port, folder, child);
    await eventually('PgBouncer to listen', () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with code ${child.exitCode}`);
      return pooler.isListening();
    });
    return pooler;
  }

  /** Returns the URL that leads to a database through this pooler. */
  urlOf(databaseUrl: string): string {
    return Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${this.port}` }).href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private isListening(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    return once(socket, 'connect')
      .then(
        () => true,
        () => false,
      )
      .finally(() => socket.destroy());
  }
}
