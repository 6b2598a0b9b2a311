import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import {
  BacklogRepository,
  createConnection,
  Database,
  DependencyHealth,
  SERVER_TIMEOUTS,
  sessionLimits,
  sessionSettings,
} from '@gatehouse/persistence';
import type { GatehouseError } from '@gatehouse/domain';
import { createLogger, errorCode, errorMessage, type Config, type Logger } from '@gatehouse/platform';
import { adminUrl, createDatabase, dropDatabase, RUNTIME_ROLE } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { hostileSettings } from '../support/hostile-settings.mjs';
import { authenticated, readyForQuery, shuttingDown } from '../support/postgres-messages.js';
import { freePort } from '../support/server-process.mjs';

describe('a PostgreSQL shutdown while the pool is handing out a connection', () => {
  it('does not end the process, and the pool reconnects', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      // All messages are in one packet, so that pg reads them before the code that receives the connection runs.
      socket.once('data', () => socket.end(Buffer.concat([authenticated, readyForQuery, shuttingDown])));
      socket.on('error', () => undefined);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `postgres://nobody@127.0.0.1:${port}/nothing`;
    const config = { database: { url, migrateUrl: null, pooler: 'none', pool: 1 } } as Config;
    const database = new Database(config, createLogger({ logLevel: 'silent' }, 'test'));
    const connecting = database.connect();
    try {
      await eventually('three attempts', () => connections >= 3);
    } finally {
      await database.close();
      await connecting;
      server.close();
    }
    expect(database.isConnected).toBe(false);
  });
});

describe('a database URL with several hosts', () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  beforeAll(() => createDatabase(name, 'template1'));
  afterAll(() => dropDatabase(name));

  it('connects to the first host that responds and accepts writes, once there is one', async () => {
    const client = new pg.Client(adminUrl(name));
    await client.connect();
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const url = new URL(adminUrl(name));
    url.searchParams.set('target_session_attrs', 'read-write');
    const hosts = `127.0.0.1:${await freePort()},${url.host}`;
    const config = {
      database: { url: url.href.replace(url.host, hosts), pooler: 'none', pool: 1 },
    } as Config;
    const messages: string[] = [];
    const warn = (_: object, message: string) => void messages.push(message);
    const database = new Database(config, { warn, debug: warn } as unknown as Logger);
    const connecting = database.connect();
    let notified = false;
    const listening = database.listen('test', () => (notified = true));
    try {
      await eventually('a read-only host', () =>
        messages.includes('database is read-only, waiting for the primary'),
      );
      await client.query(
        `BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`,
      );
      await connecting;
      expect(database.problem).toBeNull();
      await eventually('a connection that listens', () => notified);
    } finally {
      await database.close();
      await client.end();
      await listening;
    }
  });
});

describe('a role that has lost its permission to connect', () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client(process.env['TEST_POSTGRES_URL']);
  beforeAll(async () => {
    await createDatabase(name, 'template1');
    await admin.connect();
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  });
  afterAll(async () => {
    await dropDatabase(name);
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });

  it('makes statements fail with `unavailable`, prevents startup, and is logged', async () => {
    const url = Object.assign(new URL(adminUrl(name)), { username: name, password: name }).href;
    const log: [object, string][] = [];
    const write = (fields: object | string, message?: string) =>
      void (message && log.push([fields as object, message]));
    const logger = { warn: write, info: write } as unknown as Logger;
    const config = { database: { url, migrateUrl: null, pooler: 'none', pool: 1 } } as Config;
    const [database, other] = [new Database(config, logger), new Database(config, logger)];
    const execute = () => database.findSettingProblems();
    const endConnections = () =>
      admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name]);
    try {
      await database.connect();
      for (const [change, undo, code] of [
        [`ALTER ROLE ${name} NOLOGIN`, `ALTER ROLE ${name} LOGIN`, '28000'],
        [
          `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
          `GRANT CONNECT ON DATABASE ${name} TO PUBLIC`,
          '42501',
        ],
      ] as const) {
        await admin.query(change);
        await endConnections();
        // The pooled connection may first report that it was terminated.
        const cause = await eventually('the rejection', async () => {
          const error = (await execute().catch((each: unknown) => each)) as GatehouseError;
          expect(error).toMatchObject({ code: 'unavailable' });
          return errorCode(error.cause) === code && error.cause;
        });
        await database.check();
        expect([database.problem, log.at(-1)]).toEqual([
          'rejects_connections',
          [{ problem: 'rejects_connections', reason: errorMessage(cause), code }, 'database unavailable'],
        ]);
        await expect(other.connect()).rejects.toMatchObject({ code });
        await admin.query(undo);
        await database.check();
        expect([database.problem, await execute()]).toEqual([null, []]);
      }
    } finally {
      await Promise.all([database.close(), other.close()]);
    }
  });
});

describe('a database whose roles have hostile default settings', () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  let urls: { url: string; ownerUrl: string };
  beforeAll(async () => void (urls = await createDatabase(name, 'template1', true)));
  afterAll(() => dropDatabase(name));

  const SHOW_SETTINGS = `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name
    WHERE current_setting(name, true) IS NOT NULL`;
  const names = Object.keys({ ...SERVER_TIMEOUTS, ...sessionLimits, ...sessionSettings }).sort();

  /** Returns a database with these URLs, and the fields and message of each line that it logs. */
  function connectTo({ url, ownerUrl }: typeof urls): { database: Database; log: [object, string][] } {
    const log: [object, string][] = [];
    const warn = (fields: object, message: string) => void log.push([fields, message]);
    const config = {
      database: { url, migrateUrl: ownerUrl, readUrl: url, pooler: 'none', pool: 1 },
    } as Config;
    const logger = { warn, debug: warn, info: () => undefined } as unknown as Logger;
    return { database: new Database(config, logger), log };
  }

  it('inherits a hostile value for each setting', async () => {
    expect(Object.keys(hostileSettings).sort()).toEqual(names);
    const client = new pg.Client(urls.url);
    await client.connect();
    const { rows } = await client.query<{ name: string; value: string }>(SHOW_SETTINGS, [names]);
    await client.end();
    // pg sends client_encoding with each connection.
    const inherited = rows.filter((row) => row.name !== 'client_encoding');
    const hostile: Record<string, string> = hostileSettings;
    expect(inherited).toEqual(inherited.map((row) => ({ name: row.name, value: hostile[row.name] })));
  });

  it('gives connections of each kind the settings on which statements rely', async () => {
    const limits = (lock: string, statement: string, transaction: string) => ({
      ...{ idle_session_timeout: '0', transaction_timeout: '0' },
      ...{ lock_timeout: lock, statement_timeout: statement },
      idle_in_transaction_session_timeout: transaction,
    });
    const toObject = (rows: { name: string; value: string }[]) =>
      Object.fromEntries(rows.map((row) => [row.name, row.value]));
    const show = async (source: Pick<Database['dataSource'], 'query'>) =>
      toObject(await source.query(SHOW_SETTINGS, [names]));
    const { database } = connectTo(urls);
    const listener = createConnection(urls.url);
    try {
      await database.connect();
      await database.replica!.source.initialize();
      await listener.connect();
      const timeouts = limits('2250ms', '5s', '10s');
      expect(await show(database.dataSource)).toEqual({ ...sessionSettings, ...timeouts });
      expect(await show(database.replica!.source)).toEqual({
        ...sessionSettings,
        ...timeouts,
        statement_timeout: '3s',
      });
      const unlimited = { ...sessionSettings, ...limits('0', '0', '0') };
      expect(toObject((await listener.query(SHOW_SETTINGS, [names])).rows)).toEqual(unlimited);
      expect(await database.runAsOwner(show)).toEqual(unlimited);
    } finally {
      await listener.end();
      await database.close();
    }
  });

  it('is unusable while a role has disabled triggers: logs the problem, and the API is not ready', async () => {
    const admin = new pg.Client(adminUrl(name));
    await admin.connect();
    const role = `ALTER ROLE ${RUNTIME_ROLE} IN DATABASE ${name}`;
    await admin.query(`${role} SET session_replication_role = replica`);
    const { database, log } = connectTo(urls);
    const health = new DependencyHealth(database, null, {} as Config, new BacklogRepository(database, false));
    const connecting = database.connect();
    try {
      const problem = 'session_replication_role is "replica" instead of "origin"';
      await eventually('the log message', () => log.length > 0);
      expect(log[0]).toEqual([expect.objectContaining({ reason: problem }), 'database settings unusable']);
      await admin.query(`${role} RESET session_replication_role`);
      await connecting;
      expect(health.readReadiness()).toBe('ready');

      await admin.query(`${role} SET session_replication_role = replica`);
      await database.dataSource.destroy();
      await database.check();
      expect(health.readReadiness()).toBe('degraded');
      await database.dataSource.initialize();
      await database.check();
      expect([database.problem, health.readReadiness()]).toEqual(['wrong_settings', 'unavailable']);
      await admin.query(`${role} RESET session_replication_role`);
      await database.dataSource.destroy();
      await database.dataSource.initialize();
      await database.check();
      expect(health.readReadiness()).toBe('ready');
    } finally {
      await database.close();
      await admin.end();
    }
  });
});
