import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { moveOwnership } from '../../scripts/database-roles.mjs';
import { refreshSession } from '../support/customers.js';
import { createDatabase, dropDatabase, OWNER_ROLE, roleUrls, RUNTIME_ROLE } from '../support/databases.mjs';
import { migrateDatabase } from '../support/migrate-database.js';
import { PostgresServer } from '../support/postgres-server.mjs';
import { eventually } from '../support/eventually.js';
import { getCount, listAll } from '../support/seed-instance.js';
import { OperatorClient } from '../support/operator-client.js';
import { Receiver } from '../support/receiver.js';
import { bearerHeader, TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { countRows, describeSchema } from '../upgrade/database-dump.js';
import { readFixture, type Fixture } from '../upgrade/fixture.js';
import { restore } from '../upgrade/restore.js';

const VERSION = '0.1.0';
const DATABASE = `upgrade_${randomUUID().replaceAll('-', '')}`;
const DAY_MS = 86_400_000;

/**
 * Row counts that a migration changes on purpose, by table. A new table is not in the dump and needs no
 * entry.
 */
const CHANGED_BY_MIGRATIONS: Record<string, unknown> = {
  // Rows for new migrations, and the current names of migrations that 0.1.0 stored under other names.
  migrations: expect.any(Number),
};

let manifest: Fixture['manifest'];
let dump: Fixture['dump'];
let receiver: Receiver;
let instance: TestInstance;
/** The database after the api's first start, before a worker runs. */
let upgraded: { rowCounts: Record<string, number>; schema: string; migrations: Record<string, string>[] };

beforeAll(async () => {
  receiver = await Receiver.start();
  ({ manifest, dump } = readFixture(VERSION));
  const { ownerUrl } = await createDatabase(DATABASE, 'template0');
  await restore(ownerUrl, dump);
  await query(ownerUrl, `UPDATE webhook_endpoints SET url = $1 WHERE url LIKE 'http://127.0.0.1:%'`, [
    receiver.url,
  ]);
  instance = await TestInstance.start({
    template: DATABASE,
    workers: 0,
    env: {
      GATEHOUSE_SECRET: manifest.rootSecret,
      SEED: 'off',
      PERIODIC_JOBS: 'off',
      RATE_LIMITS: 'off',
      WEBHOOK_RETRY_SCHEDULE: '0s,1h,1h,1h,1h',
    },
  });
  upgraded = {
    rowCounts: await countRows(instance.db),
    schema: await readSchema(instance.db),
    migrations: await instance.sql('SELECT timestamp::text, name FROM migrations ORDER BY timestamp'),
  };
  instance.startWorker();
  await instance.waitUntilReady();
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
  await dropDatabase(DATABASE);
});

async function query(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text, values);
  await client.end();
}

/** Returns the schema without the partitions, which a worker creates. */
async function readSchema(pool: pg.Pool): Promise<string> {
  const { tables, indexes } = await describeSchema(pool);
  return tables.replace(/^CREATE TABLE \w+ PARTITION OF .+\n/gm, '') + indexes;
}

const withKey = (key: string, method: string, path: string, body?: unknown) =>
  instance.requestWithBearer(key, method, path, body);
const signIn = (email: string) =>
  instance.request('POST', '/api/v1/auth/login', {
    body: { email, password: manifest.password },
    headers: { 'x-publishable-key': manifest.projects[0].publishableKey },
  });
const findDeliveries = (ids: string[], condition: string) =>
  instance.sql(`SELECT FROM deliveries WHERE 'dlv_' || id = ANY ($1) AND ${condition}`, [ids]);

/** Removes the rows of all tables except these tables from a dump. */
const selectRows = (rows: string, tables: string[]): string =>
  rows.replace(/^INSERT INTO (\w+) .+\n(?:\(.*\n)+/gm, (statement, table: string) =>
    tables.includes(table) ? statement : '',
  );

describe('an embedded database of 0.1.0', () => {
  it('OP-05: moves from the superuser to the owner of the tables at the next start, without loss', async () => {
    const server = await PostgresServer.start();
    const admin = async <Row extends object>(sql: string): Promise<Row[]> => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      try {
        return (await client.query<Row>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const listOwners = async (): Promise<string[]> =>
      (
        await admin<{ owner: string }>(
          `SELECT DISTINCT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace
           UNION SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
             AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
           UNION SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'gatehouse'`,
        )
      ).map(({ owner }) => owner);
    try {
      // As 0.1.0 created it.
      await admin('ALTER DATABASE gatehouse OWNER TO gatehouse');
      await admin(`DROP ROLE ${OWNER_ROLE}, ${RUNTIME_ROLE}`);
      await restore(server.url, { ...dump, rows: selectRows(dump.rows, ['organizations', 'migrations']) });
      expect(await listOwners()).toEqual(['gatehouse']);
      const count = 'SELECT count(*)::int AS organizations FROM organizations';
      const before = await admin(count);
      expect(before).toEqual([{ organizations: manifest.rowCounts['organizations'] }]);

      await server.stop();
      await server.start();
      expect(await listOwners()).toEqual([OWNER_ROLE]);
      await migrateDatabase(instance, roleUrls(server.url));
      expect(await admin(count)).toEqual(before);
      // 0.1.0 runs once more.
      await admin('CREATE TABLE attempts_20990101 (LIKE attempts INCLUDING ALL)');
      expect((await listOwners()).sort()).toEqual(['gatehouse', OWNER_ROLE]);
      await moveOwnership(server.url);
      expect(await listOwners()).toEqual([OWNER_ROLE]);
      const runtime = new pg.Client({ connectionString: roleUrls(server.url).url });
      await runtime.connect();
      expect((await runtime.query(count)).rows).toEqual(before);
      await runtime.query(`SELECT drop_attempts_table('attempts_20990101')`);
      await expect(runtime.query('ALTER TABLE audit_log DISABLE TRIGGER ALL')).rejects.toMatchObject({
        code: '42501',
      });
      await runtime.end();
    } finally {
      await server.remove();
    }
  });
});

describe('a database of 0.1.0', () => {
  it('has the schema of a new database', async () => {
    const url = new URL(process.env['TEST_POSTGRES_URL']!);
    url.pathname = `/${process.env['TEST_TEMPLATE']}`;
    const newDatabase = new pg.Pool({ connectionString: url.href });
    try {
      expect(upgraded.schema.split('\n')).toEqual((await readSchema(newDatabase)).split('\n'));
    } finally {
      await newDatabase.end();
    }
  });

  it('has every migration once', () => {
    const { migrations } = upgraded;
    const names = migrations.map(({ name }) => name!);
    expect(new Set(names).size).toBe(names.length);
    expect(migrations).toEqual(expect.arrayContaining(manifest.migrations));
    const added = migrations.filter(({ name }) => !manifest.migrations.some((old) => old.name === name));
    const timestamps = new Set(added.map(({ timestamp }) => timestamp));
    expect(timestamps.size).toBe(added.length);
    const files = readdirSync('libs/persistence/src/migrations').filter((file) => /^\d+-/.test(file));
    expect(new Set(migrations.map(({ timestamp }) => timestamp))).toEqual(
      new Set(files.map((file) => file.split('-', 1)[0])),
    );
    for (const { name, timestamp } of migrations) expect(name).toMatch(new RegExp(`^[A-Z]\\w+${timestamp}$`));
  });

  it('retains every row', () => {
    expect(manifest.rowCounts['customers']).toBe(10_000);
    expect(upgraded.rowCounts).toMatchObject({ ...manifest.rowCounts, ...CHANGED_BY_MIGRATIONS });
  });

  it('signs customers in with their native and imported passwords', async () => {
    const { native, imported, unverified } = manifest.customers;
    const formats = Object.values(imported);
    expect(formats.length).toBeGreaterThanOrEqual(5);
    for (const email of [native[0]!, unverified, ...formats]) {
      const { status, body } = await signIn(email);
      expect([email, status]).toEqual([email, 200]);
      const me = await withKey(body.tokens.accessToken as string, 'GET', '/api/v1/me');
      expect(me).toMatchObject({ status: 200, body: { email } });
    }
  });

  it('rejects customers who are disabled or have no password', async () => {
    const { disabled, withoutPassword } = manifest.customers;
    expect((await signIn(disabled)).body).toMatchObject({ code: 'customer_disabled' });
    expect((await signIn(withoutPassword)).body).toMatchObject({ code: 'invalid_credentials' });
  });

  it('finds the customers whom it has imported without a password', async () => {
    const [row] = await instance.sql(
      `SELECT count(*) FILTER (WHERE imported)::int AS imported, bool_and(imported = (email LIKE 'customer-%' AND
         password_hash IS NULL)) AS "isCorrect" FROM customers`,
    );
    expect(row).toEqual({ imported: 4718, isCorrect: true });
  });

  it('adds an RSA key to its signing key, which signs for a project with the algorithm RS256', async () => {
    const [project] = manifest.projects;
    const path = `/api/v1/projects/${project.projectId}`;
    const keys = await instance.sql('SELECT kid FROM signing_keys');
    const [{ kid }] = keys as [{ kid: string }];
    const jwks = await instance.request('GET', '/.well-known/jwks.json');
    expect(jwks.body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, `${kid}-rsa`]);
    await withKey(project.secretKey, 'PATCH', path, { settings: { signingAlgorithm: 'RS256' } });
    const { body } = await signIn(manifest.customers.native[0]!);
    await withKey(project.secretKey, 'PATCH', path, { settings: { signingAlgorithm: null } });
    expect(decodeProtectedHeader(body.tokens.accessToken)).toMatchObject({ alg: 'RS256', kid: `${kid}-rsa` });
    expect((await withKey(body.tokens.accessToken, 'GET', '/api/v1/me')).status).toBe(200);
  });

  it('refreshes its sessions', async () => {
    expect(manifest.refreshTokens).toHaveLength(5);
    for (const token of manifest.refreshTokens)
      expect((await refreshSession(instance, token)).status).toBe(200);
  });

  it('authenticates its keys', async () => {
    for (const { projectId, secretKey, publishableKey } of manifest.projects) {
      const project = await withKey(secretKey, 'GET', `/api/v1/projects/${projectId}`);
      expect(project).toMatchObject({ status: 200, body: { id: projectId } });
      const body = { email: 'unknown@example.com', password: manifest.password };
      const headers = { 'x-publishable-key': publishableKey };
      const login = await instance.request('POST', '/api/v1/auth/login', { body, headers });
      expect(login.body).toMatchObject({ code: 'invalid_credentials' });
    }
  });

  it('adds mailbox:read to the keys with customer:read', async () => {
    const [row] = await instance.sql(
      `SELECT count(*) FILTER (WHERE 'mailbox:read' = ANY (scopes))::int > 0 AS "isAdded",
         bool_and(('mailbox:read' = ANY (scopes)) = ('customer:read' = ANY (scopes))) AS "isCorrect" FROM api_keys`,
    );
    expect(row).toEqual({ isAdded: true, isCorrect: true });
  });

  it('signs an operator in with the second factor', async () => {
    const { email, password, totpSecret, recoveryCodes } = manifest.operator;
    for (const code of [totpCode(totpSecret), recoveryCodes[0]]) {
      const client = new OperatorClient(instance);
      const started = await client.request('POST', '/session', { email, password });
      expect(started.body).toMatchObject({ state: 'second_factor' });
      const confirmed = await client.request('POST', '/session/second-factor', { code });
      expect(confirmed).toMatchObject({ status: 200, body: { operator: { email } } });
      expect((await client.request('GET', '/session')).status).toBe(200);
    }
  });

  it('delivers due deliveries, and retains scheduled and claimed ones', async () => {
    const { due, scheduled, leased, succeeded } = manifest.deliveries;
    expect([due, scheduled, leased, succeeded].map(({ length }) => length)).toEqual([12, 5, 1, 5]);
    await eventually('the due deliveries', async () => {
      return (await findDeliveries(due, `state = 'succeeded' AND attempt = 1`)).length === due.length;
    });
    const { secret, headers } = manifest.endpoints.healthy;
    const received = receiver.requests.filter((request) => request.headers['x-fixture-token']);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(received.length);
    expect(received.length).toBeGreaterThanOrEqual(due.length);
    for (const request of received) {
      expect(request.headers).toMatchObject(headers);
      new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    }
    expect(await findDeliveries(scheduled, `state = 'pending' AND attempt = 1`)).toHaveLength(5);
    expect(await findDeliveries(succeeded, `state = 'succeeded' AND attempt = 1`)).toHaveLength(5);
    // The claimed delivery's lease has expired.
    await instance.runJob('Sweeper');
    expect(await findDeliveries(leased, `state = 'pending' AND last_error = 'worker_lost'`)).toHaveLength(1);
  });

  it('redelivers a dead letter, and completes the running bulk redelivery', async () => {
    const [projectKey] = manifest.projects;
    const [id] = manifest.deliveries.deadLetters;
    const response = await withKey(projectKey.secretKey, 'POST', `/v1/webhooks/deliveries/${id}/redeliver`);
    expect(response.status).toBe(202);
    const { secret } = manifest.endpoints.failing;
    const request = await eventually('the redelivery', () =>
      receiver.requests.find(({ event }) => event.id === response.body.data.event_id),
    );
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>);

    const path = `/v1/webhooks/redeliveries/${manifest.runningRedelivery}`;
    const completed = await eventually('the bulk redelivery', async () => {
      await instance.runJob('BulkRedeliveryRunner');
      const { body } = await withKey(projectKey.secretKey, 'GET', path);
      return body.data.state === 'completed' && body.data;
    });
    expect(completed).toMatchObject({ total: 3, progress: { remaining: 0, succeeded: 3 } });
  });

  it('retains its rows when the worker deletes old data', async () => {
    const count = async () => (await countRows(instance.db))['audit_log']!;
    const before = await count();
    for (const job of ['deliveries', 'audit log', 'imports', 'redeliveries']) await instance.runJob(job);
    expect(await count()).toBe(before);
    const { succeeded, deadLetters } = manifest.deliveries;
    expect(await findDeliveries([...succeeded, ...deadLetters], 'true')).toHaveLength(15);
  });

  it('lists its records in pages', async () => {
    const { email, password, recoveryCodes } = manifest.operator;
    const client = new OperatorClient(instance);
    await client.request('POST', '/session', { email, password });
    await client.request('POST', '/session/second-factor', { code: recoveryCodes[1] });
    for (const path of [
      '/customers',
      '/audit-log',
      '/webhooks/deliveries',
      '/webhooks/dead-letters',
      '/events',
    ]) {
      // The count comes first: a sign-in from another test may still be added to the log.
      const { count } = await getCount(client, path);
      const ids = await listAll(client, path);
      expect([path, new Set(ids).size]).toEqual([path, ids.length]);
      expect([path, ids.length >= count]).toEqual([path, true]);
    }
    const feed = await instance.request('GET', '/v1/events?limit=1', {
      headers: bearerHeader(manifest.projects[0].secretKey),
    });
    expect(feed).toMatchObject({ status: 200, body: { has_more: true } });
  });
});

describe('readFixture', () => {
  it('shifts times and the ids that contain a time, but no other id', () => {
    const later = readFixture(VERSION, Date.now() + 400 * DAY_MS);
    const getTime = (id: string) => Number.parseInt(id.slice(4).replace('-', '').slice(0, 12), 16);
    const [id, shifted] = [manifest, later.manifest].map(({ deliveries }) => deliveries.due[0]!);
    expect(getTime(shifted!) - getTime(id!)).toBe(400 * DAY_MS);
    expect(later.dump.rows).toContain(shifted!.slice('dlv_'.length));
    expect(later.dump.rows).not.toContain(id!.slice('dlv_'.length));
    expect(later.manifest.projects).toEqual(manifest.projects);
    expect(later.dump.rows).toContain(manifest.endpoints.healthy.id.slice('ep_'.length));
  });
});
