import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { Database } from '@gatehouse/persistence';
import { createLogger, type Config, type Logger } from '@gatehouse/platform';
import { adminUrl, createDatabase, dropDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { authenticated, readyForQuery, shuttingDown } from '../support/postgres-messages.js';
import { freePort } from '../support/server-process.mjs';

describe('a shutdown of PostgreSQL while the pool hands out a connection', () => {
  it('does not end the process, and the pool connects again', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      // Sent at once, so that all of it is read before the code that receives the connection runs.
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

  it('leads to the first host that responds and accepts writes, as soon as there is one', async () => {
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
      await database.ping();
      await eventually('a connection that listens', () => notified);
    } finally {
      await database.close();
      await client.end();
      await listening;
    }
  });
});
