import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { alertKinds } from '@gatehouse/domain';
import { Keyring } from '@gatehouse/platform';
import pg from 'pg';
import { shellBlocks } from '../support/code-blocks.js';
import { adminUrl } from '../support/databases.mjs';
import { waitForDeadLetters, emitEvents, waitForRedelivery, FAST_RETRIES } from '../support/dead-letters.js';
import { insertIdentity } from '../support/identity-providers/insert-provider.js';
import { withoutTimeouts } from '../support/hostile-settings.mjs';
import { migrateDatabase } from '../support/migrate-database.js';
import { seedDeliveries } from '../support/seed-deliveries.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertKey } from '../support/tenants.js';

const FOLDER = 'docs/operations';
/** The named shell blocks of all pages. */
const COMMANDS = [
  'cancel',
  'discard',
  'enable',
  'list',
  'plan',
  'progress',
  'redeliver',
  'rotate-api-key',
  'start',
  'stats',
] as const;
/** The reader's settings, inserted where a page requires them. */
const OWN_SETTINGS = 'GATEHOUSE_URL="$OWN_URL" GATEHOUSE_SECRET_KEY="$OWN_KEY"';

let instance: TestInstance;
let receiver: Receiver;
let pages: string[];
beforeAll(async () => {
  instance = await TestInstance.startShared({ workerEnv: { ...FAST_RETRIES } });
  receiver = await Receiver.start();
  pages = (await readdir(FOLDER)).map((name) => `${FOLDER}/${name}`);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

/** Returns the named shell blocks of the page that contains `block`. */
async function blocksBeside(block: string): Promise<Map<string, string>> {
  for (const page of pages) {
    const blocks = await shellBlocks(page);
    if (blocks.has(block)) return blocks;
  }
  throw new Error(`no page in ${FOLDER} has a block ${block}`);
}

/** Returns the SQL blocks of all pages by name. Each follows a comment such as `<!-- roles -->`. */
async function sqlBlocks(): Promise<Map<string, string>> {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  const blocks = texts.join('\n').matchAll(/^<!-- ([a-z-]+) -->\n\n```sql\n([^]*?)^```$/gm);
  return new Map([...blocks].map(([, name, sql]) => [name!, sql!]));
}

/** Secret keys by their scopes. */
const keys = new Map<string, Promise<string>>();

/** Returns a key with exactly the scopes that a settings block requires. */
function getKeyFor(settings: string): Promise<string> {
  const scopes = settings.match(/\b[a-z_]+:[a-z]+\b/g)!;
  const name = scopes.join(' ');
  if (!keys.has(name))
    keys.set(name, insertKey(instance, { ...instance.credentials, type: 'secret', scopes }));
  return keys.get(name)!;
}

/**
 * Runs a block after the settings block of its page, without the page's other blocks. Each command prints one JSON
 * document. Returns the last document.
 */
async function runBlock(block: (typeof COMMANDS)[number], env: Record<string, string> = {}): Promise<any> {
  const blocks = await blocksBeside(block);
  const settings = blocks.get('settings')!;
  const script = [OWN_SETTINGS, settings, blocks.get(block)!].join('\n');
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
    env: {
      PATH: process.env['PATH'],
      OWN_URL: instance.baseUrl,
      OWN_KEY: await getKeyFor(settings),
      ...env,
    },
  });
  const outputs = stdout.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text));
  return outputs.at(-1);
}

async function createDeadLetters(count: number): Promise<{ endpointId: string; ids: string[] }> {
  receiver.defaultResponder = respondWithStatus(500);
  const { id: endpointId } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await emitEvents(instance, count);
  const ids = await waitForDeadLetters(instance, endpointId, count);
  receiver.defaultResponder = respondWithStatus(204);
  return { endpointId, ids };
}

describe('a command in docs/operations', () => {
  afterEach(() => instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));

  it('lists dead letters, redelivers one, and discards one', async () => {
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

  it('plans, starts, monitors and cancels a bulk redelivery', async () => {
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

  it('enables an endpoint and recovers its missed events', async () => {
    const since = new Date().toISOString();
    const { endpointId } = await createDeadLetters(1);
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpointId}/disable`);
    await emitEvents(instance, 2);
    const recovery = (await runBlock('enable', { ENDPOINT_ID: endpointId, SINCE: since })).data;
    expect(await waitForRedelivery(instance, recovery.id)).toMatchObject({
      progress: { made: 3, succeeded: 3 },
    });
  });

  it('rotates an API key', async () => {
    const { projectId } = instance.credentials;
    const keys = (await instance.requestWithSecretKey('GET', `/api/v1/projects/${projectId}/api-keys`)).body
      .data;
    const key = keys.find(({ type }: { type: string }) => type === 'publishable');
    const rotated = await runBlock('rotate-api-key', { PROJECT_ID: projectId, KEY_ID: key.id });
    expect(rotated).toMatchObject({ rotatedFrom: key.id, key: expect.stringMatching(/^pk_/) });
  });

  it('CF-04: shows how many passwords depend on each entry of GATEHOUSE_SECRET', async () => {
    await instance.register();
    const sql = (await sqlBlocks()).get('ring')!;
    const { kid } = new Keyring([instance.env['GATEHOUSE_SECRET']!]).getCurrentPepper();
    const rows = await instance.sql<{ what: string; entry: string }>(sql);
    expect(rows.map(({ what, entry }) => [what, entry])).toEqual([
      ['customers', kid],
      ['operators', kid],
    ]);
  });

  it('has a unique name, and the list in this test is complete', async () => {
    const blocks = await Promise.all(pages.map((page) => shellBlocks(page)));
    const names = blocks.flatMap((block) => [...block.keys()]).filter((name) => name !== 'settings');
    expect(names.sort()).toEqual(COMMANDS);
  });
});

it('OP-05: the documented SQL separates the roles of an existing database', async () => {
  const blocks = await sqlBlocks();
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
    await superuser.query(blocks.get('extension')!);
    await superuser.query(
      blocks
        .get('roles')!
        .replaceAll(/\bgatehouse/g, name)
        .replaceAll('a long random password', password),
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

describe('the queries in docs/operations for affected records', () => {
  async function readQueries(): Promise<[string, string][]> {
    const others = ['ring', 'roles', 'extension'];
    return [...(await sqlBlocks())].filter(([name]) => !others.includes(name));
  }

  /** Expected columns of the rows that do not contain a project's name. */
  const EXPECTED_ROWS: Record<string, object> = {
    'affected-process-problems': { host: 'api-1' },
    'failed-emails': { kind: 'verify-email', reason: 'rejected' },
  };

  it('cover each alert and each rule', async () => {
    const text = await readFile(`${FOLDER}/affected.md`, 'utf8');
    const mentioned = new Set([...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    const rules = await readFile('ops/prometheus/alerts.yml', 'utf8');
    const names = [...alertKinds, ...[...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)];
    expect(names.filter((name) => !mentioned.has(name))).toEqual([]);
  });

  it('return the affected records to the runtime role', async () => {
    const { projectId } = instance.credentials;
    const { id: endpointId } = await instance.createEndpoint(receiver.url, ['customer.updated']);
    const customer = (await instance.register()).body.customer as { id: string; email: string };
    const at = Date.now();
    const failed = { endpointId, projectId, customerId: customer.id, finishedAt: at };
    const attempts = [{ at, status: 500 }];
    const [, canceled] = await seedDeliveries(instance, [
      { ...failed, state: 'failed', attempts },
      { ...failed, state: 'cancelled', attempts },
      { ...failed, state: 'cancelled', attempts },
    ]);
    await instance.sql(`UPDATE attempts SET error = 'worker_lost'`);
    await instance.sql(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', disabled_at = now()`,
    );
    for (const [state, reason] of [
      ['pending', null],
      ['failed', 'rejected'],
      ['dropped', 'project_limit'],
    ])
      await instance.sql(
        `INSERT INTO mails (id, project_id, customer_id, kind, recipient, state, reason)
         VALUES (gen_random_uuid(), $1, $2, 'verify-email', 'ada@example.com', $3, $4)`,
        [projectId, customer.id, state, reason],
      );
    await instance.sql(
      `INSERT INTO email_code_guesses (project_id, began_at, guesses) VALUES ($1, now(), 1001)`,
      [projectId],
    );
    await instance.login(customer.email, 'not their password');
    await instance.sql(
      `INSERT INTO factor_attempts (customer_id, tries, window_ends_at, failures) VALUES ($1, 1, now() + interval '1 minute', 1)`,
      [customer.id],
    );
    await insertIdentity(instance, customer.id);
    await instance.sql(
      `INSERT INTO process_problems (process_id, kind, service, host, detail)
       VALUES (gen_random_uuid(), 'clock_skew', 'api', 'api-1', '3 s ahead')`,
    );
    const client = new pg.Client({
      connectionString: instance.env['DATABASE_URL']!,
      options: withoutTimeouts,
    });
    await client.connect();
    try {
      // Runs in a transaction, so that no worker claims the delivery.
      await client.query('BEGIN');
      await client.query(
        `UPDATE deliveries SET state = 'pending', finished_at = NULL, next_attempt_at = now() - interval '1 minute'
         WHERE id = $1`,
        [canceled!.id],
      );
      const queries = await readQueries();
      expect(queries.length).toBeGreaterThan(10);
      const [project] = await instance.sql<{ name: string }>('SELECT name FROM projects WHERE id = $1', [
        projectId,
      ]);
      for (const [name, sql] of queries) {
        const { rows } = await client.query(sql);
        const expected = EXPECTED_ROWS[name] ?? { project: project!.name };
        expect([name, rows]).toEqual([name, expect.arrayContaining([expect.objectContaining(expected)])]);
      }
    } finally {
      await client.end();
    }
  });
});

it('docs/operations/alerts.md documents exactly the existing alerts and rules', async () => {
  const rules = await readFile('ops/prometheus/alerts.yml', 'utf8');
  const defined = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
  const text = await readFile(`${FOLDER}/alerts.md`, 'utf8');
  const documented = [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!);
  expect(documented.sort()).toEqual([...alertKinds, ...defined].sort());
});
