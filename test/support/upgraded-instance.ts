import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { countRows, describeSchema, type DatabaseDump } from '../upgrade/database-dump.js';
import { readFixture } from '../upgrade/fixture.js';
import type { Manifest } from '../upgrade/manifest.js';
import { restore } from '../upgrade/restore.js';
import { createDatabase, dropDatabase } from './databases.mjs';
import { Receiver } from './receiver.js';
import { freePort } from './server-process.mjs';
import { TestInstance, type TestResponse } from './test-instance.js';

/** A statement with its values. */
export type Statement = [text: string, values: unknown[]];

/** The database after the api's first start, before a worker runs. */
interface Snapshot {
  rowCounts: Record<string, number>;
  schema: string;
  migrations: Record<'timestamp' | 'name', string>[];
}

/** Runs the current API and worker on a database from an earlier version. */
export class UpgradedInstance {
  private constructor(
    readonly manifest: Manifest,
    readonly dump: DatabaseDump,
    /** The receiver for all endpoints in the dump whose receiver was on loopback. */
    readonly receiver: Receiver,
    readonly instance: TestInstance,
    readonly snapshot: Snapshot,
    private readonly database: string,
  ) {}

  /**
   * Restores a version's database, starts an API process, takes the snapshot, and starts a worker without waiting for
   * it.
   * @param setupStatements returns statements to run before the API starts. They replace the addresses of servers that
   *   no longer exist
   */
  static async start(
    version: string,
    setupStatements: (manifest: Manifest) => Statement[] = () => [],
  ): Promise<UpgradedInstance> {
    const { manifest, dump } = readFixture(version);
    const database = `upgrade_${randomUUID().replaceAll('-', '')}`;
    const { ownerUrl } = await createDatabase(database, 'template0');
    await restore(ownerUrl, dump);
    const receiver = await Receiver.start();
    let instance: TestInstance | undefined;
    try {
      const url = `UPDATE webhook_endpoints SET url = $1 WHERE url LIKE 'http://127.0.0.1:%'`;
      await execute(ownerUrl, [[url, [receiver.url]], ...setupStatements(manifest)]);
      instance = await startInstance(database, manifest.rootSecret);
      const snapshot = await takeSnapshot(instance);
      instance.startWorker();
      return new UpgradedInstance(manifest, dump, receiver, instance, snapshot, database);
    } catch (error) {
      await Promise.all([instance?.stop(), receiver.stop()]);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.instance.stop();
    await this.receiver.stop();
    await dropDatabase(this.database);
  }

  withKey(key: string, method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.instance.requestWithBearer(key, method, path, body);
  }

  /** Signs in a customer of the first project with the fixture's password. */
  signIn(email: string): Promise<TestResponse> {
    return this.instance.request('POST', '/api/v1/auth/login', {
      body: { email, password: this.manifest.password },
      headers: { 'x-publishable-key': this.manifest.projects[0].publishableKey },
    });
  }

  /** Returns a row for each of these deliveries that meets the condition. */
  findDeliveries(ids: string[], condition: string): Promise<object[]> {
    return this.instance.sql(`SELECT FROM deliveries WHERE 'dlv_' || id = ANY ($1) AND ${condition}`, [ids]);
  }
}

async function startInstance(template: string, rootSecret: string): Promise<TestInstance> {
  const port = String(await freePort());
  return TestInstance.start({
    template,
    workers: 0,
    env: {
      PORT: port,
      // Operators' passkeys in the dump are bound to this host.
      PUBLIC_URL: `http://localhost:${port}`,
      GATEHOUSE_SECRET: rootSecret,
      SEED: 'off',
      PERIODIC_JOBS: 'off',
      RATE_LIMITS: 'off',
      WEBHOOK_RETRY_SCHEDULE: '0s,1h,1h,1h,1h',
    },
  });
}

async function execute(url: string, statements: Statement[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [text, values] of statements) await client.query(text, values);
  await client.end();
}

const takeSnapshot = async (instance: TestInstance): Promise<Snapshot> => ({
  rowCounts: await countRows(instance.db),
  schema: await readSchema(instance.db),
  migrations: await instance.sql('SELECT timestamp::text, name FROM migrations ORDER BY timestamp'),
});

/** Returns the schema without the partitions, which a worker creates. */
export async function readSchema(pool: pg.Pool): Promise<string> {
  const { tables, indexes } = await describeSchema(pool);
  return tables.replace(/^CREATE TABLE \w+ PARTITION OF .+\n/gm, '') + indexes;
}
