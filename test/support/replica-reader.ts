import { readFileSync } from 'node:fs';
import { eventually } from './eventually.js';
import type { PostgresServer } from './postgres-server.mjs';
import type { ServerProcess } from './server-process.mjs';
import { startReplica } from './start-replica.js';
import { bearerHeader, type TestInstance, type TestResponse } from './test-instance.js';

/** Returns the paths of the routes that read from a replica, as listed in docs/scaling.md. */
export function listReplicaRoutes(): string[] {
  const [, block] = /```\n((?:GET .*\n)+)```/.exec(readFileSync('docs/scaling.md', 'utf8'))!;
  return block!
    .trim()
    .split('\n')
    .map((line) => line.replace('GET ', ''));
}

/**
 * An additional API process of an instance, which reads from the database's standby. It checks the standby only on
 * command.
 */
export class ReplicaReader {
  private constructor(
    private readonly instance: TestInstance,
    private readonly server: PostgresServer,
    private readonly standby: PostgresServer,
    readonly api: ServerProcess,
    readonly baseUrl: string,
  ) {}

  /** Starts the api, and waits until it uses the standby. */
  static async start(
    instance: TestInstance,
    server: PostgresServer,
    standby: PostgresServer,
  ): Promise<ReplicaReader> {
    const [primaryHost, standbyHost] = [server.url, standby.url].map((url) => new URL(url).host);
    const { process: api, baseUrl } = await startReplica(instance, {
      DATABASE_READ_URL: instance.env['DATABASE_URL']!.replace(primaryHost!, standbyHost!),
      PERIODIC_JOBS: 'off',
    });
    const reader = new ReplicaReader(instance, server, standby, api, baseUrl);
    await reader.waitUntilUsed();
    return reader;
  }

  /** The log messages about the replica. */
  get messages(): unknown[] {
    return this.api.log.map(({ message }) => message).filter((message) => /replica/.test(String(message)));
  }

  /** Sends a request with the secret key. */
  get(path: string): Promise<TestResponse> {
    const headers = bearerHeader(this.instance.credentials.secretKey);
    return this.instance.request('GET', path, { headers, baseUrl: this.baseUrl });
  }

  /** Returns the ids on the first page of a list. */
  async listIds(path: string): Promise<string[]> {
    const { body } = await this.get(path);
    return (body.data as { id: string }[]).map(({ id }) => id);
  }

  /** Checks the standby until the api uses it. */
  async waitUntilUsed(): Promise<void> {
    const isUsed = async () => {
      await this.api.runCommand('check-replica');
      return this.messages.at(-1) === 'reading from the replica';
    };
    await eventually('the replica to be used', isUsed);
  }

  /** Waits until the standby has replayed everything, and then pauses its replay. */
  async pauseReplay(): Promise<void> {
    const [end] = await this.server.query('SELECT pg_current_wal_lsn() AS lsn');
    await eventually('the standby to replay', async () => {
      const [row] = await this.standby.query(
        `SELECT pg_last_wal_replay_lsn() >= '${end.lsn}' AS "isReached"`,
      );
      return row.isReached as boolean;
    });
    await this.standby.query('SELECT pg_wal_replay_pause()');
    await eventually('the replay to pause', async () => {
      const [row] = await this.standby.query('SELECT pg_get_wal_replay_pause_state() AS state');
      return row.state === 'paused';
    });
  }

  async resumeReplay(): Promise<void> {
    await this.standby.query('SELECT pg_wal_replay_resume()');
  }
}
