import { registerCustomer } from '../support/customers.js';
import { createDatabase, dropDatabase, OWNER_ROLE } from '../support/databases.mjs';
import { sendAllRequestKinds } from '../support/dedicated-database.js';
import { eventually } from '../support/eventually.js';
import { migrateDatabase } from '../support/migrate-database.js';
import { importLines, toNdjson } from '../support/ndjson.js';
import { insertOperator } from '../support/operator-client.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { Receiver } from '../support/receiver.js';
import { startReplica } from '../support/start-replica.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Number of connections from the pooler to PostgreSQL. The processes open more connections to the pooler. */
const POOL_SIZE = 4;

/** SQLSTATEs and messages of statements that depend on the server connection. */
const BROKEN_POOLING = /"(26000|42P05|08P01)"|prepared statement|startup parameter/;

const JOBS = [
  ...['Sweeper', 'AttemptAggregator', 'Alerter', 'MailSender', 'Heartbeat', 'BulkRedeliveryRunner'],
  ...['EndpointHealthReporter', 'FailingEndpointDisabler', 'DeadLetterNotifier', 'RequiredDomainEnforcer'],
  ...['deliveries', 'audit log', 'imports', 'redeliveries', 'login attempts', 'erasures', 'sessions'],
];

if (!PgBouncer.isInstalled) console.log('The pooler is not tested: pgbouncer is not installed.');

(PgBouncer.isInstalled ? describe : describe.skip)('Gatehouse behind PgBouncer in transaction mode', () => {
  let pooler: PgBouncer;
  let instance: TestInstance;
  let receiver: Receiver;
  let directUrl: string;
  beforeAll(async () => {
    pooler = await PgBouncer.start(POOL_SIZE);
    // One role is used for everything, so migrations run through the pooler too.
    const env = ({ ownerUrl }: { ownerUrl: string }) => {
      directUrl = ownerUrl;
      return {
        DATABASE_URL: pooler.urlOf(ownerUrl),
        MIGRATE_DATABASE_URL: '',
        DATABASE_POOLER: 'transaction',
        RATE_LIMITS: 'off',
      };
    };
    instance = await TestInstance.start({ env });
    receiver = await Receiver.start();
  });
  afterAll(async () => {
    await instance?.stop();
    await receiver?.stop();
    await pooler?.stop();
  });

  it('RN-01: starts a second API process while the first one runs', async () => {
    const replica = await startReplica(instance);
    expect((await instance.request('GET', '/readyz', { baseUrl: replica.baseUrl })).body).toEqual({
      status: 'ready',
    });
    expect(await replica.process.stop()).toBe(0);
  });

  it('RN-01: applies each migration once with two processes, and holds no lock afterwards', async () => {
    const name = 'gatehouse_pooled';
    const { ownerUrl } = await createDatabase(name, 'template1');
    const url = pooler.urlOf(ownerUrl);
    try {
      const applied = await Promise.all([1, 2].map(() => migrateDatabase(instance, { url, ownerUrl: null })));
      expect(applied.map((names) => names.length > 0).sort()).toEqual([false, true]);
      expect(await migrateDatabase(instance, { url, ownerUrl: null })).toEqual([]);
      const held = await instance.sql(
        `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = $1 AND locktype = 'advisory'`,
        [name],
      );
      expect(held).toEqual([]);
    } finally {
      await dropDatabase(name);
    }
  });

  it('RN-01: serves requests and jobs of each kind, with more clients than connections', async () => {
    await instance.createEndpoint(receiver.url, ['customer.created']);
    const customer = await registerCustomer(instance);
    const responses = await Promise.all(sendAllRequestKinds(instance, customer));
    expect(responses.filter(({ status }) => status >= 400)).toEqual([]);

    const emails = Array.from({ length: 20 }, uniqueEmail);
    const imported = await importLines(instance, toNdjson(emails.map((email) => ({ email }))));
    expect(imported).toMatchObject({ status: 200, body: { created: 20 } });
    expect((await instance.requestWithSecretKey('GET', '/v1/events?limit=5')).status).toBe(200);
    const operator = await insertOperator(instance);
    for (const path of ['/overview', '/health', '/audit-log', '/customers', '/search?q=a'])
      expect([path, (await operator.request('GET', path)).status]).toEqual([path, 200]);
    for (const job of JOBS) await instance.runJob(job);

    await eventually('the delivery', () =>
      receiver.requests.find(({ event }) => JSON.stringify(event).includes(customer.id)),
    );
    const [row] = await instance.sql<{ connections: number }>(
      `SELECT count(*)::int AS connections FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'gatehouse/%'`,
    );
    expect(row!.connections).toBeLessThanOrEqual(POOL_SIZE);
    const problems = [instance.api, ...instance.workers]
      .flatMap(({ log }) => log)
      .filter((fields) => BROKEN_POOLING.test(JSON.stringify(fields)));
    expect(problems).toEqual([]);
  });

  it('RN-01: uses LISTEN in a worker only with a direct URL, and polls otherwise', async () => {
    const listeners = async () =>
      (
        await instance.sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
        )
      ).length;
    const message = 'no direct database URL, polling instead of LISTEN';
    expect(instance.workers[0]!.log).toContainEqual(expect.objectContaining({ message }));
    expect(await listeners()).toBe(0);
    const worker = instance.startWorker({ MIGRATE_DATABASE_URL: directUrl });
    await eventually('the worker to listen', async () => (await listeners()) === 1);
    await worker.stop();
  });

  it('RN-01: sets the timeouts and settings of the role', async () => {
    const [row] = await instance.sql<{ settings: string[] }>(
      `SELECT setconfig AS settings FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
       WHERE d.datname = current_database() AND s.setrole = $1::regrole`,
      [OWNER_ROLE],
    );
    const stored = Object.fromEntries(row!.settings.map((setting) => setting.split('=')));
    expect(stored).toMatchObject({
      ...{ idle_in_transaction_session_timeout: '10000', lock_timeout: '2250', statement_timeout: '5000' },
      ...{ IntervalStyle: 'postgres', default_transaction_isolation: 'read committed', exit_on_error: 'off' },
      ...{ bytea_output: 'hex', idle_session_timeout: '0' },
    });
  });
});
