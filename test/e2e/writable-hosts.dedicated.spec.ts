import { ClockAndHostMonitor, Database, migrate, ProcessProblemsRepository } from '@gatehouse/persistence';
import { Metrics, type Config, type Logger } from '@gatehouse/platform';
import { roleUrls } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { PostgresServer } from '../support/postgres-server.mjs';

const SPLIT = 'more than one host in DATABASE_URL accepts writes';
const JOINED = 'DATABASE_URL has only one writable host again';

describe('a database URL with a primary and its standby', () => {
  let former: PostgresServer;
  let current: PostgresServer;
  const log: [message: string, fields: object][] = [];
  const databases: Database[] = [];
  const write = (fields: object, message: string) => void log.push([message, fields]);
  const logger = { info: write, warn: write, error: write, debug: write } as unknown as Logger;

  beforeAll(async () => {
    former = await PostgresServer.start();
    // Creates the tables as their final owner. Otherwise, each start would change the owner, and fail on a standby.
    await migrate(await connect(roleUrls(former.url).ownerUrl), 86_400_000);
    current = await former.startStandby();
  });
  afterAll(async () => {
    await Promise.all(databases.map((each) => each.close()));
    await Promise.all([former?.remove(), current?.remove()]);
  });

  const createConfig = (url: string) =>
    ({ database: { url, migrateUrl: null, readUrl: null, pooler: 'none', pool: 1 } }) as Config;

  async function connect(url: string): Promise<Database> {
    const database = new Database(createConfig(url), logger);
    databases.push(database);
    await database.connect();
    return database;
  }

  /** Returns a monitor for these hosts, and the problems that all processes have recorded. */
  async function watchHosts(hosts: string[]) {
    const url = former.url.replace(new URL(former.url).host, hosts.join(','));
    const database = await connect(url);
    const repository = new ProcessProblemsRepository(database);
    const metrics = await Metrics.load();
    const monitor = new ClockAndHostMonitor(database, repository, createConfig(url), logger, 'api', metrics);
    return {
      monitor,
      repository,
      /** Repeats the check until the metric has this value, because a check does not count hosts that respond late. */
      waitForWritable: (count: number) =>
        eventually(`${count} writable hosts`, async () => {
          await monitor.check();
          return (await metrics.render()).includes(`\ngatehouse_database_writable_hosts ${count}\n`);
        }),
    };
  }

  it('reports a former primary that starts as writable after a failover, until it is stopped', async () => {
    const hosts = [current, former].map(({ url }) => new URL(url).host);
    await (await watchHosts(hosts)).waitForWritable(1);
    await former.stop();
    await current.query('SELECT pg_promote()');
    log.length = 0;
    const { waitForWritable, repository } = await watchHosts(hosts);
    await waitForWritable(1);
    expect(await repository.list()).toEqual([]);

    await former.start();
    await waitForWritable(2);
    expect(log).toEqual([[SPLIT, { hosts }]]);
    expect(await repository.list()).toMatchObject([
      { kind: 'two_writable_hosts', service: 'api', detail: hosts.join(', ') },
    ]);
    const connections = `SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend'`;
    // The only connection is the one for this query, because the checks have closed their connections.
    expect(await former.query(connections)).toEqual([{ count: 1 }]);

    await former.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await former.query('SELECT pg_reload_conf()');
    await former.stop();
    await waitForWritable(1);
    await former.start();
    await waitForWritable(1);
    expect(log.slice(1)).toEqual([[JOINED, { hosts: hosts.slice(0, 1) }]]);
    expect(await repository.list()).toEqual([]);
  });

  it('counts a server once if several hosts lead to it', async () => {
    const { host, port } = new URL(current.url);
    await (await watchHosts([host, `localhost:${port}`])).waitForWritable(1);
  });

  it('compares the clock of the process with the clock of the server', async () => {
    const server = new URL(current.url);
    // Simulates a fast server clock. This function takes precedence over PostgreSQL's own one.
    await current.query(`CREATE SCHEMA ahead;
      CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$;
      ALTER DATABASE ${server.pathname.slice(1)} SET search_path = ahead, public, pg_catalog`);
    const { monitor, repository } = await watchHosts([server.host]);
    log.length = 0;
    await monitor.check();
    expect(log).toEqual([['clock differs from the clock of PostgreSQL', { skewMs: expect.any(Number) }]]);
    expect(await repository.list()).toMatchObject([
      { kind: 'clock_skew', detail: expect.stringMatching(/^3[56]\d\d(\.\d)? s behind$/) },
    ]);
  });
});
