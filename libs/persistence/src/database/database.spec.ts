import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Config, Failpoints, Logger } from '@gatehouse/platform';
import { eventually } from '../../../../test/support/eventually.js';
import { statement, text } from '../sql/statements.js';
import { createConnection } from './data-source.js';
import { Database } from './database.js';
import { runStatement, type PgQueryable } from './run-statement.js';
import { Transactions, type CommitAnnouncer } from './transactions.js';

it('logs an outage once a minute, without the password', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const url = `postgres://gatehouse:PASSWORD@127.0.0.1:${port}/shop?password=PASSWORD`;
  let clock = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => clock);
  const warn = jest.fn<(fields: object, message: string) => void>();
  const config = { database: { url, migrateUrl: null, pooler: 'none', pool: 1 } } as Config;
  const database = new Database(config, { warn } as unknown as Logger);
  const onWaiting = jest.fn();
  const connecting = database.connect(onWaiting);
  const attempts = (count: number) => eventually(`${count} connections`, () => connections >= count);
  try {
    await attempts(4);
    // The last attempt may still be running.
    expect(onWaiting.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(warn.mock.calls).toEqual([
      [
        expect.objectContaining({
          setting: 'DATABASE_URL',
          host: '127.0.0.1',
          port,
          url: `postgres://gatehouse:***@127.0.0.1:${port}/shop`,
        }),
        'database unreachable, retrying',
      ],
    ]);
    clock = 60_000;
    await eventually('the second log message', () => warn.mock.calls.length === 2);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('PASSWORD');
  } finally {
    await database.close();
    await connecting;
    server.close();
    jest.restoreAllMocks();
  }
});

it("RN-01: derives each statement's name from its text, so that processes share connections", async () => {
  const names: unknown[] = [];
  const client = {
    query: (query: { name: string }) => Promise.resolve(names.push(query.name) && { rows: [] }),
  } as unknown as PgQueryable;
  for (const sql of ['SELECT 2', 'SELECT 1', 'SELECT 2'])
    await runStatement(() => client, [statement({}, sql)]);
  expect(names).toEqual(
    ['SELECT 2', 'SELECT 1', 'SELECT 2'].map(
      (sql) => `gatehouse_${createHash('sha256').update(sql).digest('base64url')}`,
    ),
  );
});

it('enables TCP keepalive on connections without a time limit, to detect a lost server', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `postgres://gatehouse@127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
  const config = { database: { url, migrateUrl: null, pooler: 'none', pool: 1 } } as Config;
  const setKeepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
  try {
    await expect(createConnection(url).connect()).rejects.toThrow();
    const logger = { warn: () => undefined } as unknown as Logger;
    await expect(new Database(config, logger).runAsOwner(() => Promise.resolve())).rejects.toThrow();
    expect(setKeepAlive.mock.calls).toEqual([
      [true, 60_000],
      [true, 60_000],
    ]);
  } finally {
    setKeepAlive.mockRestore();
    server.close();
  }
});

it('sends only the statements and transactions of a replica read to the replica', async () => {
  const createSource = (name: string) => ({
    isInitialized: true,
    createQueryRunner: () => ({ connect: () => Promise.reject(new Error(name)) }),
    driver: { master: { query: () => Promise.resolve({ rows: [{ name }] }) } },
  });
  const config = { database: { url: 'postgres://db/shop', readUrl: 'postgres://replica/shop' } } as Config;
  const logger = { warn: () => undefined } as unknown as Logger;
  const database = new Database(config, logger, createSource('primary') as unknown as DataSource);
  Object.assign(database.replica!, { source: createSource('replica'), isUsed: true });
  const transactions = new Transactions(database, {} as CommitAnnouncer, {} as Failpoints);
  const findServers = async () => [
    (await database.execute(statement({ name: text }, 'SELECT name')))[0]?.name,
    await transactions.run(() => undefined).catch(({ message }: Error) => message),
  ];
  expect(await findServers()).toEqual(['primary', 'primary']);
  expect(await database.replica!.read(findServers)).toEqual(['replica', 'replica']);
  expect(await findServers()).toEqual(['primary', 'primary']);
});

it.each([
  [{ isReadOnly: false, settingProblems: [] }, null],
  [{ isReadOnly: true, settingProblems: [] }, 'read_only'],
  [{ isReadOnly: true, settingProblems: ['TimeZone is "CET" instead of "UTC"'] }, 'wrong_settings'],
])('checks a session in a single statement; the problem for %j is %s', async (session, problem) => {
  const query = jest.fn(() => Promise.resolve({ rows: [session] }));
  const source = { isInitialized: true, driver: { master: { query } } } as unknown as DataSource;
  const logger = { info: () => undefined, warn: () => undefined } as unknown as Logger;
  const config = { database: { url: 'postgres://db/shop', pooler: 'none' } } as Config;
  const database = new Database(config, logger, source);
  await database.check();
  expect([database.problem, query.mock.calls.length]).toEqual([problem, 1]);
});
