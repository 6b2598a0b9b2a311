import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { unprivilegedCommandPrefix } from '../../scripts/embedded-postgres.mjs';
import { ChildServer, findProgram } from './child-server.js';
import { roleUrls } from './databases.mjs';
import { freePort } from './server-process.mjs';

/** The path to PgBouncer, or undefined if it is not installed. */
const program = findProgram('pgbouncer');

/** PgBouncer in transaction mode, in front of the tests' PostgreSQL server. */
export class PgBouncer extends ChildServer {
  static readonly isInstalled = program !== undefined;

  private constructor(
    private readonly port: number,
    folder: string,
    command: string[],
  ) {
    super(folder, command);
  }

  /** @param poolSize number of connections to PostgreSQL for each database and role */
  static async start(poolSize: number): Promise<PgBouncer> {
    const folder = await this.createFolder('pgbouncer');
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
    const command = [...(await unprivilegedCommandPrefix()), program!, '--quiet', file];
    return new PgBouncer(port, folder, command).waitUntil(() => isListening(port));
  }

  /** Returns a database URL through this pooler. */
  urlOf(databaseUrl: string): string {
    return Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${this.port}` }).href;
  }
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
