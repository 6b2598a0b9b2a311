import { readdirSync } from 'node:fs';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { countRows } from '../upgrade/database-dump.js';
import { refreshSession } from './customers.js';
import { eventually } from './eventually.js';
import { OperatorClient } from './operator-client.js';
import { getCount, listAll } from './seed-instance.js';
import { bearerHeader } from './test-instance.js';
import { totpCode } from './totp.js';
import { readSchema, type UpgradedInstance } from './upgraded-instance.js';

type Checks = Record<string, (upgrade: UpgradedInstance) => Promise<void>>;

/** Row counts that a start changes on purpose, by table. A new table is not in the dump and needs no entry. */
const CHANGED_BY_START: Record<string, unknown> = {
  // Rows for new migrations, and the current names of migrations that 0.1.0 stored under other names.
  migrations: expect.any(Number),
  // The current api's heartbeat.
  apis: expect.any(Number),
};

const databaseChecks: Checks = {
  'has the schema of a new database': async (upgrade) => {
    const { snapshot } = upgrade;
    const url = new URL(process.env['TEST_POSTGRES_URL']!);
    url.pathname = `/${process.env['TEST_TEMPLATE']}`;
    const newDatabase = new pg.Pool({ connectionString: url.href });
    try {
      expect(snapshot.schema.split('\n')).toEqual((await readSchema(newDatabase)).split('\n'));
    } finally {
      await newDatabase.end();
    }
  },

  'has every migration once': async (upgrade) => {
    const { manifest, snapshot } = upgrade;
    const { migrations } = snapshot;
    const names = migrations.map(({ name }) => name);
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
  },

  'retains every row': async (upgrade) => {
    const { manifest, snapshot } = upgrade;
    expect(snapshot.rowCounts).toMatchObject({ ...manifest.rowCounts, ...CHANGED_BY_START });
  },
};

const accountChecks: Checks = {
  'signs customers in with their native and imported passwords': async (upgrade) => {
    const { manifest } = upgrade;
    const { native, imported, unverified } = manifest.customers;
    const formats = Object.values(imported);
    expect(formats.length).toBeGreaterThanOrEqual(5);
    for (const email of [native[0]!, unverified, ...formats]) {
      const { status, body } = await upgrade.signIn(email);
      expect([email, status]).toEqual([email, 200]);
      const me = await upgrade.withKey(body.tokens.accessToken as string, 'GET', '/api/v1/me');
      expect(me).toMatchObject({ status: 200, body: { email } });
    }
  },

  'rejects customers who are disabled or have no password': async (upgrade) => {
    const { manifest } = upgrade;
    const { disabled, withoutPassword } = manifest.customers;
    expect((await upgrade.signIn(disabled)).body).toMatchObject({ code: 'customer_disabled' });
    expect((await upgrade.signIn(withoutPassword)).body).toMatchObject({ code: 'invalid_credentials' });
  },

  'refreshes its sessions': async (upgrade) => {
    const { manifest, instance } = upgrade;
    expect(manifest.refreshTokens).toHaveLength(5);
    for (const token of manifest.refreshTokens)
      expect((await refreshSession(instance, token)).status).toBe(200);
  },

  'accepts its keys': async (upgrade) => {
    const { manifest, instance } = upgrade;
    for (const { projectId, secretKey, publishableKey } of manifest.projects) {
      const project = await upgrade.withKey(secretKey, 'GET', `/api/v1/projects/${projectId}`);
      expect(project).toMatchObject({ status: 200, body: { id: projectId } });
      const body = { email: 'unknown@example.com', password: manifest.password };
      const headers = { 'x-publishable-key': publishableKey };
      const login = await instance.request('POST', '/api/v1/auth/login', { body, headers });
      expect(login.body).toMatchObject({ code: 'invalid_credentials' });
    }
  },

  'signs an operator in with the second factor': async (upgrade) => {
    const { manifest, instance } = upgrade;
    const { email, password, totpSecret, recoveryCodes } = manifest.operator;
    for (const code of [totpCode(totpSecret), recoveryCodes[0]]) {
      const client = new OperatorClient(instance);
      const started = await client.request('POST', '/session', { email, password });
      expect(started.body).toMatchObject({ state: 'second_factor' });
      const confirmed = await client.request('POST', '/session/second-factor', { code });
      expect(confirmed).toMatchObject({ status: 200, body: { operator: { email } } });
      expect((await client.request('GET', '/session')).status).toBe(200);
    }
  },
};

const deliveryChecks: Checks = {
  'delivers due deliveries, and retains scheduled and claimed ones': async (upgrade) => {
    const { manifest, instance, receiver } = upgrade;
    await instance.waitUntilReady();
    const { due, scheduled, leased, succeeded } = manifest.deliveries;
    expect([due, scheduled, leased, succeeded].map(({ length }) => length)).toEqual([12, 5, 1, 5]);
    await eventually('the due deliveries', async () => {
      return (await upgrade.findDeliveries(due, `state = 'succeeded' AND attempt = 1`)).length === due.length;
    });
    const { secret, headers } = manifest.endpoints.healthy;
    const received = receiver.requests.filter((request) => request.headers['x-fixture-token']);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(received.length);
    expect(received.length).toBeGreaterThanOrEqual(due.length);
    for (const request of received) {
      expect(request.headers).toMatchObject(headers);
      new Webhook(secret).verify(request.body, request.headers as Record<string, string>);
    }
    expect(await upgrade.findDeliveries(scheduled, `state = 'pending' AND attempt = 1`)).toHaveLength(5);
    expect(await upgrade.findDeliveries(succeeded, `state = 'succeeded' AND attempt = 1`)).toHaveLength(5);
    // The claimed delivery's lease has expired.
    await instance.runJob('Sweeper');
    expect(
      await upgrade.findDeliveries(leased, `state = 'pending' AND last_error = 'worker_lost'`),
    ).toHaveLength(1);
  },

  'redelivers a dead letter, and completes the running bulk redelivery': async (upgrade) => {
    const { manifest, instance, receiver } = upgrade;
    const [projectKey] = manifest.projects;
    const [id] = manifest.deliveries.deadLetters;
    const response = await upgrade.withKey(
      projectKey.secretKey,
      'POST',
      `/v1/webhooks/deliveries/${id}/redeliver`,
    );
    expect(response.status).toBe(202);
    const { secret } = manifest.endpoints.failing;
    const request = await eventually('the redelivery', () =>
      receiver.requests.find(({ event }) => event.id === response.body.data.event_id),
    );
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>);

    const path = `/v1/webhooks/redeliveries/${manifest.runningRedelivery}`;
    const completed = await eventually('the bulk redelivery', async () => {
      await instance.runJob('BulkRedeliveryRunner');
      const { body } = await upgrade.withKey(projectKey.secretKey, 'GET', path);
      return body.data.state === 'completed' && body.data;
    });
    expect(completed).toMatchObject({ total: 3, progress: { remaining: 0, succeeded: 3 } });
  },

  'retains its rows when the worker deletes old data': async (upgrade) => {
    const { manifest, instance } = upgrade;
    const count = async () => (await countRows(instance.db))['audit_log']!;
    const before = await count();
    for (const job of ['deliveries', 'audit log', 'imports', 'redeliveries']) await instance.runJob(job);
    expect(await count()).toBe(before);
    const { succeeded, deadLetters } = manifest.deliveries;
    expect(await upgrade.findDeliveries([...succeeded, ...deadLetters], 'true')).toHaveLength(15);
  },

  'lists its records in pages': async (upgrade) => {
    const { manifest, instance } = upgrade;
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
  },
};

/** The properties that an upgrade from any version preserves, each with its check. The checks run in this order. */
export const upgradeChecks = Object.entries({ ...databaseChecks, ...accountChecks, ...deliveryChecks });
