import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Keyring } from '@gatehouse/platform';
import pg from 'pg';
import { shellBlocks } from '../support/code-blocks.js';
import { adminUrl } from '../support/databases.mjs';
import { waitForDeadLetters, emitEvents, waitForRedelivery, FAST_RETRIES } from '../support/dead-letters.js';
import { migrateDatabase } from '../support/migrate-database.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertKey } from '../support/tenants.js';

const DOCUMENT = 'docs/operations.md';
/** Settings of the reader, inserted where the document requires them. */
const OWN_SETTINGS = 'GATEHOUSE_URL="$OWN_URL" GATEHOUSE_SECRET_KEY="$OWN_KEY"';

let instance: TestInstance;
let receiver: Receiver;
/** A key of a project with exactly the scopes that the document requires. */
let secretKey: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: { ...FAST_RETRIES } });
  receiver = await Receiver.start();
  const settings = (await shellBlocks(DOCUMENT)).get('settings')!;
  const scopes = settings.match(/\b[a-z_]+:[a-z]+\b/g)!;
  secretKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

/**
 * Runs a block of the document with only the settings block before it. Each command prints one JSON document.
 * Returns the last one.
 */
async function runBlock(block: string, env: Record<string, string> = {}): Promise<any> {
  const blocks = await shellBlocks(DOCUMENT);
  const names = [...blocks.keys()];
  const script = names
    .slice(0, names.indexOf(block) + 1)
    .filter((name) => name === 'settings' || name === block)
    .map((name) => (name === 'settings' ? `${OWN_SETTINGS}\n` : '') + blocks.get(name)!);
  const { stdout } = await promisify(execFile)('sh', ['-euc', script.join('\n')], {
    env: {
      PATH: process.env['PATH'],
      OWN_URL: instance.baseUrl,
      OWN_KEY: secretKey,
      ...env,
    },
  });
  const outputs = stdout.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text));
  return outputs.at(-1);
}

/** Creates an endpoint with a number of dead letters. */
async function createDeadLetters(count: number): Promise<{ endpointId: string; ids: string[] }> {
  receiver.defaultResponder = respondWithStatus(500);
  const { id: endpointId } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await emitEvents(instance, count);
  const ids = await waitForDeadLetters(instance, endpointId, count);
  receiver.defaultResponder = respondWithStatus(204);
  return { endpointId, ids };
}

describe('the commands of operations.md', () => {
  afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));

  it('list dead letters, redeliver one, and discard one', async () => {
    const { endpointId, ids } = await createDeadLetters(2);
    const list = (await runBlock('list')).data as Record<string, any>[];
    expect(list.map(({ id }) => id)).toEqual(ids);
    expect(list[0]!['last_attempt']).toEqual({ attempt: 5, http_status: 500, error: 'http_error' });
    expect((await runBlock('redeliver', { DELIVERY_ID: ids[0]! })).data).toMatchObject({
      redelivery_of: ids[0],
    });
    expect((await runBlock('discard', { DELIVERY_ID: ids[1]! })).data).toMatchObject({
      resolution: 'discarded',
    });
    expect((await runBlock('list')).data).toEqual([]);
    expect((await runBlock('stats', { ENDPOINT_ID: endpointId })).data).toMatchObject({ window: '7d' });
  });

  it('plan, start, follow and cancel a bulk redelivery', async () => {
    const { endpointId } = await createDeadLetters(3);
    const plan = (await runBlock('plan', { ENDPOINT_ID: endpointId })).data;
    expect(plan).toMatchObject({ state: 'planned', total: 3, eligible: 3 });
    const started = (await runBlock('start', { REDELIVERY_ID: plan.id })).data;
    expect(started.state).toMatch(/running|completed/);
    await waitForRedelivery(instance, plan.id);
    expect((await runBlock('progress', { REDELIVERY_ID: plan.id })).data).toMatchObject({
      state: 'completed',
      progress: { made: 3, succeeded: 3 },
    });
    const other = (await runBlock('plan', { ENDPOINT_ID: endpointId })).data;
    expect((await runBlock('cancel', { REDELIVERY_ID: other.id })).data).toMatchObject({
      state: 'cancelled',
    });
  });

  it('enable an endpoint and recover its missed events', async () => {
    const since = new Date().toISOString();
    const { endpointId } = await createDeadLetters(1);
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpointId}/disable`);
    await emitEvents(instance, 2);
    const recovery = (await runBlock('enable', { ENDPOINT_ID: endpointId, SINCE: since })).data;
    expect(await waitForRedelivery(instance, recovery.id)).toMatchObject({
      progress: { made: 3, succeeded: 3 },
    });
  });

  it('rotate an API key', async () => {
    const { projectId } = instance.credentials;
    const keys = (await instance.requestWithSecretKey('GET', `/api/v1/projects/${projectId}/api-keys`)).body
      .data;
    const key = keys.find(({ type }: { type: string }) => type === 'publishable');
    const rotated = await runBlock('rotate-api-key', { PROJECT_ID: projectId, KEY_ID: key.id });
    expect(rotated).toMatchObject({ rotatedFrom: key.id, key: expect.stringMatching(/^pk_/) });
  });

  it('CF-04: show how many passwords depend on which entry of GATEHOUSE_SECRET', async () => {
    await instance.register();
    const [, sql] = /<!-- ring -->\n\n```sql\n(.*?)^```$/ms.exec(await readFile(DOCUMENT, 'utf8'))!;
    const { kid } = new Keyring([instance.env['GATEHOUSE_SECRET']!]).getCurrentPepper();
    const rows = await instance.sql<{ what: string; entry: string }>(sql!);
    expect(rows.map(({ what, entry }) => [what, entry])).toEqual([
      ['customers', kid],
      ['operators', kid],
    ]);
  });
});

it('OP-05: the SQL of operations.md separates the roles of a database that had one', async () => {
  const [, sql] = /<!-- roles -->\n\n```sql\n(.*?)^```$/ms.exec(await readFile(DOCUMENT, 'utf8'))!;
  const name = `docs_${randomBytes(8).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  const owner = new URL(adminUrl(name));
  Object.assign(owner, { username: name, password });
  const runtime = new URL(owner);
  runtime.username = `${name}_runtime`;
  const admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
  await admin.connect();
  try {
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
    await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
    await migrateDatabase(instance, { url: owner.href, ownerUrl: null });
    const superuser = new pg.Client({ connectionString: adminUrl(name) });
    await superuser.connect();
    await superuser.query(
      sql!.replaceAll(/\bgatehouse/g, name).replaceAll('a long random password', password),
    );
    await superuser.end();
    await migrateDatabase(instance, { url: runtime.href, ownerUrl: owner.href });
    const client = new pg.Client({ connectionString: runtime.href });
    await client.connect();
    await expect(client.query('ALTER TABLE audit_log DISABLE TRIGGER ALL')).rejects.toMatchObject({
      code: '42501',
    });
    await client.query('DELETE FROM customers');
    await client.end();
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.query(`DROP ROLE IF EXISTS ${name}, ${name}_runtime`);
    await admin.end();
  }
});

it('operations.md documents exactly the rules of ops/prometheus/alerts.yml', async () => {
  const rules = await readFile('ops/prometheus/alerts.yml', 'utf8');
  const defined = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
  const documented = [...(await readFile(DOCUMENT, 'utf8')).matchAll(/^\| `(Gatehouse\w+)`/gm)].map(
    ([, name]) => name!,
  );
  expect(documented.sort()).toEqual(defined.sort());
});
