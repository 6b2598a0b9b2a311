import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createIndexes, currentMigrationNames } from '@gatehouse/persistence';
import { connectDatabase } from '../support/connect-database.js';
import { withSettings } from '../support/customers.js';
import { adminUrl, createDatabase, dropDatabase, OWNER_ROLE } from '../support/databases.mjs';
import { requestEmailCode, verifyEmailCode } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { withFirstVersion } from '../support/first-version.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { migrateDatabase } from '../support/migrate-database.js';
import { insertOperator, OperatorClient } from '../support/operator-client.js';
import { portablePasskey } from '../support/passkeys.js';
import { startReplica } from '../support/start-replica.js';
import { entryPoints, freePort, ServerProcess } from '../support/server-process.mjs';
import { TestInstance, type RequestOptions, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

/**
 * The instance whose processes the tests stop, restart or configure. The order of the tests matters, because the last
 * ones drop its tables.
 */
let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start()));
afterAll(async () => instance?.stop());

const REFERENCE = [
  ...['/docs', '/docs/errors', '/docs/reference.css', '/docs/reference.js', '/docs/swagger-ui.css'],
  ...['/docs/swagger-ui-bundle.js', '/openapi.json', '/operator/openapi.json'],
];
const secretKeyOptions = (headers: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${instance.credentials.secretKey}`, ...headers },
});

describe('a second API process', () => {
  let replica: Awaited<ReturnType<typeof startReplica>>;
  /** Responses to a change of a setting that 0.1.0 ignores: one while a 0.1.0 process was connected, and a later one. */
  let responses: TestResponse[];
  const countApiProcesses = async () =>
    (await instance.sql('SELECT FROM apis WHERE host IS NOT NULL')).length;
  const changeSetting = (mfa: string | null) =>
    instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings: { mfa },
    });
  beforeAll(async () => {
    const env = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auth.example.com',
      SMTP_URL: 'smtp://mail.invalid',
      SMTP_REQUIRE_TLS: 'off',
      MAIL_FROM: 'auth@example.com',
      BCRYPT_COST: '10',
      DOCS: 'off',
      DATABASE_URL: instance.env['MIGRATE_DATABASE_URL']!,
      MIGRATE_DATABASE_URL: '',
    };
    expect(await countApiProcesses()).toBe(1);
    replica = await withFirstVersion(instance, () => startReplica(instance, env));
    const rejected = await changeSetting('optional');
    await instance.sql(`UPDATE apis SET seen_at = now() - interval '90 seconds' WHERE host IS NULL`);
    responses = [rejected, await changeSetting('optional')];
    await changeSetting(null);
  });
  afterAll(async () => replica?.process.stop('SIGTERM'));

  it('offers passkeys in production only if their domain is set', async () => {
    const headers = { 'x-publishable-key': instance.credentials.publishableKey };
    const isOffered = async (baseUrl: string) =>
      (await instance.request('GET', '/api/v1/auth/options', { headers, baseUrl })).body.passkey;
    await withSettings(instance, { signIn: { passkey: true } }, async () => {
      expect([await isOffered(instance.baseUrl), await isOffered(replica.baseUrl)]).toEqual([true, false]);
      const passkeys = { rpId: 'example.com', origins: ['https://app.example.com'] };
      await withSettings(instance, { passkeys }, async () => {
        await eventually('the replica to offer passkeys', () => isOffered(replica.baseUrl));
      });
    });
  });

  it('AK-08: rejects a key within a second after another process has revoked or rotated it', async () => {
    const requestReplica = (target: string, options: RequestOptions = {}) =>
      instance.request('GET', target, { ...options, baseUrl: replica.baseUrl });
    const path = `/api/v1/projects/${instance.credentials.projectId}/api-keys`;
    const createKey = async () => (await instance.requestWithSecretKey('POST', path, { name: 'test' })).body;
    const getReplicaStatus = async (key: string) =>
      (
        await requestReplica(`/api/v1/customers/${randomUUID()}`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    const [revoked, rotated] = [await createKey(), await createKey()];
    expect([await getReplicaStatus(revoked.key), await getReplicaStatus(rotated.key)]).toEqual([404, 404]);
    expect((await instance.requestWithSecretKey('DELETE', `${path}/${revoked.id}`)).status).toBe(204);
    await eventually('a 401', async () => (await getReplicaStatus(revoked.key)) === 401);
    const { body: newKey } = await instance.requestWithSecretKey('POST', `${path}/${rotated.id}/rotate`, {
      overlapSeconds: 0,
    });
    expect(await getReplicaStatus(newKey.key)).toBe(404);
    await eventually('a 401', async () => (await getReplicaStatus(rotated.key)) === 401);

    // DOCS=off disables only the reference.
    for (const target of REFERENCE)
      expect([target, (await requestReplica(target)).status]).toEqual([target, 404]);
    expect((await requestReplica('/api/v1/organizations', secretKeyOptions())).status).toBe(200);
  });

  it('OP-05: warns in its log and health if its role owns the tables', async () => {
    const message = expect.stringContaining('can change and delete audit log entries');
    const warning = expect.objectContaining({ level: 'warn', message });
    await eventually('the warning', () =>
      replica.process.log.some(({ message: text }) => String(text).includes('audit log entries')),
    );
    expect(replica.process.log).toContainEqual(warning);
    expect(instance.api.log).not.toContainEqual(warning);
    const operator = await insertOperator(instance);
    const isProtected = async (baseUrl: string): Promise<unknown> =>
      (await operator.request('GET', '/health', undefined, {}, baseUrl)).body.database.auditLogProtected;
    expect([await isProtected(replica.baseUrl), await isProtected(instance.baseUrl)]).toEqual([false, true]);
  });

  describe('an API process in production', () => {
    it('OP-04: warns about unencrypted emails in its log, and warns signed-in operators', async () => {
      const operator = await insertOperator(instance);
      const getWarnings = async (baseUrl?: string) =>
        (await operator.request('GET', '/health', undefined, {}, baseUrl)).body.warnings;
      const warnings = (await getWarnings(replica.baseUrl)) as string[];
      expect(warnings).toContain('smtp_unencrypted');
      expect(warnings).not.toContain('database_unencrypted');
      const logged = replica.process.log.filter(({ warning }) => warning);
      expect(logged.map(({ level, warning }) => [level, warning])).toEqual(
        // The tests may run on an outdated Node.js version (SC-01).
        warnings.map((warning) => [warning === 'node_outdated' ? 'error' : 'warn', warning]),
      );
      expect(await getWarnings()).toEqual([]);
    });

    it('does not import passkeys into a project without an rpId', async () => {
      const customers = [{ email: uniqueEmail(), passkeys: [portablePasskey()] }];
      const { body } = await instance.request('POST', '/api/v1/customers/import', {
        ...secretKeyOptions(),
        body: { customers },
        baseUrl: replica.baseUrl,
      });
      const message = expect.stringContaining('the project has no passkeys.rpId');
      expect(body.results).toMatchObject([
        { status: 'created', warnings: [{ code: 'not_allowed', message }] },
      ]);
    });

    it('accepts http origins only for the local machine', async () => {
      const send = (allowedOrigins: string[]) =>
        instance.request('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
          ...secretKeyOptions(),
          body: { settings: { allowedOrigins } },
          baseUrl: replica.baseUrl,
        });
      expect(await send(['https://app.example.com', 'http://192.168.1.5:5173'])).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'settings.allowedOrigins', code: 'invalid' }] },
      });
      expect((await send(['https://app.example.com', 'http://localhost:5173'])).status).toBe(200);
    });

    it('has no billing portal without Stripe, and rejects an http returnUrl', async () => {
      const open = (returnUrl: string) =>
        instance.request('POST', '/api/v1/billing/portal', {
          ...secretKeyOptions(),
          body: { returnUrl },
          baseUrl: replica.baseUrl,
        });
      expect(await open('https://app.example.com/billing')).toMatchObject({
        status: 501,
        body: { code: 'billing_not_configured', detail: expect.stringContaining('STRIPE_SECRET_KEY') },
      });
      expect(await open('http://localhost:5173/billing')).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'returnUrl' }] },
      });
    });

    it('ignores the test code for emailed codes', async () => {
      await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
        settings: { signIn: { emailCode: true }, testEmailCode: '424242' },
      });
      const { baseUrl } = replica;
      const email = uniqueEmail();
      const { token } = await eventually('the replica to apply the settings', async () => {
        const { status, body } = await requestEmailCode(instance, email, { baseUrl });
        return status === 202 && body.challenge;
      });
      expect(await verifyEmailCode(instance, { token, code: '424242' }, { baseUrl })).toMatchObject({
        status: 400,
        body: { code: 'invalid_code' },
      });
      expect(await instance.listMailKinds(email)).toEqual(['email-code']);
    });

    it('CO-01: rejects an operator session without a second factor, even one from development', async () => {
      const client = new OperatorClient(instance);
      const { baseUrl } = replica;
      await client.request('POST', '/session', instance.credentials.operator);
      expect((await client.request('POST', '/session/enrollment/skip')).body.state).toBe('signed_in');
      expect((await client.request('GET', '/projects')).status).toBe(200);
      expect(await client.request('GET', '/projects', undefined, {}, baseUrl)).toMatchObject({
        status: 401,
        body: { code: 'operator_session_required' },
      });
      const session = await client.request('GET', '/session', undefined, {}, baseUrl);
      expect(session.body).toMatchObject({ state: 'signed_out', operator: null });
      expect(await client.request('POST', '/session/enrollment', undefined, {}, baseUrl)).toMatchObject({
        status: 401,
        body: { code: 'operator_session_required' },
      });
      const { body } = await client.request('POST', '/session', instance.credentials.operator, {}, baseUrl);
      expect(body).toMatchObject({ state: 'enrollment', maySkipEnrollment: false });
      expect(await client.request('POST', '/session/enrollment/skip', {}, {}, baseUrl)).toMatchObject({
        status: 403,
        body: { code: 'factor_required' },
      });
    });
  });

  it('stays registered until it shuts down; a 0.1.0 process is registered while it is connected', async () => {
    const [rejected, accepted] = responses;
    const detail = expect.stringContaining('would ignore this setting are running: 0.1.0.');
    expect(rejected).toMatchObject({ status: 409, body: { code: 'conflict', detail } });
    expect(accepted!.status).toBe(200);
    expect(await countApiProcesses()).toBe(2);
    await replica.process.stop('SIGTERM');
    expect(await countApiProcesses()).toBe(1);
  });
});

/**
 * Runs a service as a process. Returns its exit code and output.
 * @param start the body of its start function
 * @param before statements that run before it
 */
async function runService(start: string, before = ''): Promise<{ code: number | null; output: string }> {
  const platform = pathToFileURL(`${process.cwd()}/libs/platform/dist/index.js`).href;
  const program = `
    const { runProcess } = await import(${JSON.stringify(platform)});
    ${before}
    await runProcess('service', async () => ({
      start: async () => { ${start} },
      stop: async () => void process.stdout.write('drained'),
    }));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env['PATH']!, ...instance.env, PORT: String(await freePort()) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('a starting process', () => {
  it('RN-02: ends on a SIGTERM that arrives just before its handler is replaced', async () => {
    const { code } = await runService(
      'process.exit(3);',
      `process.once('SIGTERM', () => process.exit(2));
       process.kill(process.pid, 'SIGTERM');`,
    );
    expect(code).toBe(0);
  });

  /** Suspends the process when it first handles SIGTERM, until its standard input ends. */
  const pauseAtHandler = `data:text/javascript,${encodeURIComponent(`
    import { readFileSync, writeSync } from 'node:fs';
    process.on('newListener', function pause(event) {
      if (event !== 'SIGTERM') return;
      process.removeListener('newListener', pause);
      writeSync(1, 'getMetadata' in Reflect ? 'handler after Nest' : 'handler before Nest');
      readFileSync(0);
    });`)}`;

  it.each(['api', 'worker', 'all'] as const)(
    'RN-02: ends on SIGTERM before it has loaded its modules: %s',
    async (name) => {
      const child = spawn(process.execPath, ['--import', pauseAtHandler, entryPoints[name]], {
        env: { PATH: process.env['PATH']!, ...instance.env, PORT: String(await freePort()) },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      await eventually('the handler', () => output !== '');
      child.kill('SIGTERM');
      child.stdin.end();
      const [code] = (await once(child, 'close')) as [number | null];
      // Node.js 24 handles the signal only once the modules are loaded. Even then, nothing starts.
      const [before, ...lines] = output.replace('{', '\n{').trimEnd().split('\n');
      const messages = lines.map((line) => (JSON.parse(line) as { message: string }).message);
      expect({ code, before }).toEqual({ code: 0, before: 'handler before Nest' });
      expect([[], ['stopping']]).toContainEqual(messages);
    },
  );
});

describe('LG-05: the last-resort error handler', () => {
  it('logs an uncaught exception or rejection, finishes work in progress, and exits with 1', async () => {
    const results = await Promise.all([
      runService(`setTimeout(() => { throw new Error('boom'); }, 20)`),
      runService(`setTimeout(() => void Promise.reject(new Error('boom')), 20)`),
    ]);
    for (const { code, output } of results) {
      expect(code).toBe(1);
      expect(output).toContain('"level":"fatal"');
      expect(output).toContain('boom');
      expect(output).toContain('drained');
    }
  });

  it('does not exit if all database connections end at the same time', async () => {
    const processes = [instance.api, ...instance.workers];
    await instance.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await eventually('a registration', async () => (await instance.register()).status === 201);
    expect(processes.map(({ isRunning }) => isRunning)).toEqual([true, true]);
    expect(processes.flatMap(({ log }) => log).filter(({ level }) => level === 'fatal')).toEqual([]);
  });
});

/** A database with one pending migration, and a transaction that locks `customers`. */
interface PendingMigration {
  urls: { url: string; ownerUrl: string };
  /** Starts an API process, which applies the migration. */
  startApi: () => Promise<ServerProcess>;
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** Ends the transaction. */
  unlock: () => Promise<unknown>;
}

/**
 * Runs `work` with a pending migration.
 * @param lock mode in which the transaction locks `customers`
 * @param undo SQL that removes what the migration creates
 */
async function withPendingMigration(
  migration: string,
  lock: 'SHARE' | 'ROW EXCLUSIVE',
  undo: string,
  work: (pending: PendingMigration) => Promise<void>,
): Promise<void> {
  const name = `gatehouse_pending_${randomUUID().slice(0, 8)}`;
  const urls = await createDatabase(name, process.env['TEST_TEMPLATE']!);
  const admin = new pg.Pool({ connectionString: adminUrl(name) });
  const sql = async (text: string) => (await admin.query<Record<string, unknown>>(text)).rows;
  await sql(`DELETE FROM migrations WHERE name LIKE '${migration}%'; ${undo}`);
  const writer = await admin.connect();
  await writer.query(`BEGIN; LOCK TABLE customers IN ${lock} MODE`);
  let api: ServerProcess | undefined;
  const startApi = async (): Promise<ServerProcess> =>
    (api = new ServerProcess(entryPoints.api, {
      ...instance.env,
      ...{ DATABASE_URL: urls.url, MIGRATE_DATABASE_URL: urls.ownerUrl, PORT: String(await freePort()) },
    }));
  try {
    await work({ urls, startApi, sql, unlock: () => writer.query('COMMIT') });
  } finally {
    await api?.stop('SIGKILL');
    writer.release();
    await admin.end();
    await dropDatabase(name);
  }
}

/** Waits until an index build waits for the end of every transaction that has written to the table. */
const waitForBuild = (sql: PendingMigration['sql']) =>
  eventually('the build to wait', async () => {
    const [build] = await sql(
      `SELECT FROM pg_stat_progress_create_index WHERE datname = current_database() AND current_locker_pid > 0`,
    );
    return build;
  });

describe('the migration lease', () => {
  it('requires confirmation before the commit, so a suspended process rolls back its migration', async () => {
    await withPendingMigration('MarkImportedCustomers', 'SHARE', '', async ({ startApi, sql, unlock }) => {
      const api = await startApi();
      await eventually('the migration to wait', async () => {
        const [waiting] = await sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND query LIKE '%SET imported = true%' AND wait_event_type = 'Lock'`,
        );
        return waiting;
      });
      await sql(`UPDATE migration_lease SET id = gen_random_uuid(), holder = 'another process'`);
      await unlock();
      expect(await api.waitForExit()).toBe(1);
      expect(api.output).toContain('another process has taken over the migrations');
      expect(await sql(`SELECT FROM migrations WHERE name LIKE 'MarkImportedCustomers%'`)).toEqual([]);
      expect(await sql('SELECT holder FROM migration_lease')).toEqual([{ holder: 'another process' }]);
    });
  });

  it('requires confirmation before a migration without a transaction is recorded', async () => {
    await withPendingMigration(
      'IndexCustomersWithPasswords',
      'ROW EXCLUSIVE',
      'DROP INDEX customers_password_order',
      async ({ urls, sql, unlock }) => {
        const migrated = migrateDatabase(instance, urls).then(
          () => 'migrated',
          (error: Error) => error.message,
        );
        await waitForBuild(sql);
        await sql(`UPDATE migration_lease SET id = gen_random_uuid(), holder = 'another process'`);
        await unlock();
        expect(await migrated).toContain('another process has taken over the migrations');
        expect(await sql(`SELECT FROM migrations WHERE name LIKE 'IndexCustomersWithPasswords%'`)).toEqual(
          [],
        );
      },
    );
  });
});

describe('an index build', () => {
  it('does not block writes, and is repeated by another process after an interruption', async () => {
    const INDEX = 'customers_password_order';
    await withPendingMigration(
      'IndexCustomersWithPasswords',
      'ROW EXCLUSIVE',
      `DROP INDEX ${INDEX}`,
      async ({ urls, startApi, sql, unlock }) => {
        const api = await startApi();
        await waitForBuild(sql);
        // The database contains the build before the log line arrives.
        const started = await eventually('the log line', () =>
          api.log.find(({ message }) => message === 'index build started'),
        );
        expect(started).toMatchObject({ index: INDEX, isBlocking: false });
        await sql('BEGIN; LOCK TABLE customers IN ROW EXCLUSIVE MODE NOWAIT; COMMIT');
        await api.stop('SIGKILL');
        // Simulates half a minute, after which the lease expires.
        await sql('UPDATE migration_lease SET expires_at = now()');
        const applied = Promise.all([1, 2].map(() => migrateDatabase(instance, urls)));
        await eventually('the invalid index to be dropped', async () => {
          const [drop] = await sql(
            `SELECT FROM pg_stat_activity WHERE datname = current_database()
               AND query LIKE 'DROP INDEX%' AND wait_event_type = 'Lock'`,
          );
          return drop;
        });
        await unlock();
        expect((await applied).flat()).toEqual([expect.stringContaining('IndexCustomersWithPasswords')]);
        expect(await sql(`SELECT indisvalid FROM pg_index WHERE indexrelid = '${INDEX}'::regclass`)).toEqual([
          { indisvalid: true },
        ]);
      },
    );
  });

  nightlyIt('covers each partition of a table, even after an interruption', async () => {
    const database = await connectDatabase(instance);
    const definition = '(duration_ms, id) WHERE NOT success';
    const [partition] = await instance.sql<{ name: string }>(
      `SELECT max(inhrelid::regclass::text) AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
    );
    // Simulates an interrupted run that has built the parent index, and left one partition's index invalid.
    await instance.sql(
      `SET ROLE ${OWNER_ROLE};
       CREATE INDEX attempts_slow ON ONLY attempts ${definition};
       CREATE INDEX ${partition!.name}_attempts_slow ON ${partition!.name} ${definition};
       RESET ROLE;
       UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${partition!.name}_attempts_slow'::regclass`,
    );
    try {
      await database.runAsOwner((source) =>
        createIndexes(source.createQueryRunner(), 'attempts', { attempts_slow: definition }),
      );
      await instance.sql(
        `SET ROLE ${OWNER_ROLE}; CREATE TABLE attempts_other PARTITION OF attempts DEFAULT; RESET ROLE`,
      );
      const [row] = await instance.sql(
        `SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = 'attempts_slow'::regclass) AS "isValid",
           (SELECT count(*)::int FROM pg_inherits WHERE inhparent = 'attempts'::regclass) AS partitions,
           (SELECT count(*)::int FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
            WHERE inhparent = 'attempts_slow'::regclass AND indisvalid) AS indexes`,
      );
      expect(row!['partitions']).toBeGreaterThan(10);
      expect(row).toMatchObject({ isValid: true, indexes: row!['partitions'] });
    } finally {
      await instance.sql('DROP TABLE IF EXISTS attempts_other; DROP INDEX attempts_slow');
      await database.close();
    }
  });
});

describe('a migration', () => {
  /** Timestamp of the last migration in 0.1.0. */
  const LAST_OF_0_1_0 = '1764115203000';
  /** The table that the fifteenth migration creates. */
  const TABLE = 'redelivery_batches';
  const listApplied = async (order = 'id'): Promise<string[]> =>
    (await instance.sql<{ name: string }>(`SELECT name FROM migrations ORDER BY ${order}`)).map(
      ({ name }) => name,
    );
  /** Returns the applied migrations by their current names, oldest first. */
  const listCurrentNames = async (): Promise<string[]> =>
    (await listApplied('timestamp')).filter((name) => !currentMigrationNames.has(name));

  /** Stores the migrations under their names in 0.1.0. */
  const storePreviousNames = () =>
    instance.sql(
      `UPDATE migrations SET name = previous
       FROM unnest($1::text[], $2::text[]) AS names (previous, current) WHERE name = current`,
      [[...currentMigrationNames.keys()], [...currentMigrationNames.values()]],
    );
  const stop = () => Promise.all(instance.processes.map((running) => running.stop('SIGTERM')));
  const urls = () => ({
    url: instance.env['DATABASE_URL']!,
    ownerUrl: instance.env['MIGRATE_DATABASE_URL']!,
  });
  /** Migrates with three connections at once. @returns the names that each of them applied */
  const migrateAtOnce = (): Promise<string[][]> =>
    Promise.all([1, 2, 3].map(() => migrateDatabase(instance, urls())));

  /** Empties the database, and starts an API process whose migrations fail halfway. */
  async function failHalfway(): Promise<void> {
    await instance.sql(`DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION ${OWNER_ROLE}`);
    const holder = await instance.db.connect();
    // The migration that creates this table waits for this transaction, and then fails because the table exists.
    await holder.query(`BEGIN; CREATE TABLE ${TABLE} ()`);
    const api = instance.startApi();
    await eventually('the migration to wait', async () => {
      const waiting = await instance.sql(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%CREATE TABLE ${TABLE}%'
           AND datname = current_database()`,
      );
      return waiting.length > 0;
    });
    const applied = await listApplied();
    expect(applied.length).toBeGreaterThan(10);
    expect(await instance.sql('SELECT FROM deliveries')).toEqual([]);
    await holder.query('COMMIT');
    holder.release();
    expect(await api.waitForExit()).toBe(1);
    expect(await listApplied()).toEqual(applied);
    await instance.sql(`DROP TABLE ${TABLE}`);
  }

  /** Starts an API process while a 0.1.0 process holds its migration lock. The API waits until that process ends. */
  async function withMigratingFirstVersion(startApi: () => ServerProcess): Promise<void> {
    const firstVersion = await instance.db.connect();
    await firstVersion.query('SELECT pg_advisory_lock(7120913)');
    const { log } = startApi();
    const waiting = {
      message: 'waiting for another process to finish its migrations',
      holder: 'a process on version 0.1.0',
    };
    await eventually('the API to wait', () => log.some(({ message }) => message === waiting.message));
    expect(log).toContainEqual(expect.objectContaining(waiting));
    await firstVersion.query('SELECT pg_advisory_unlock_all()');
    firstVersion.release();
  }

  nightlyIt('runs once under its current name after 0.1.0, even in parallel', async () => {
    await stop();
    const all = await listApplied();
    await storePreviousNames();
    const previous = await listApplied();
    const unchanged = previous.filter((name) => all.includes(name) && name.slice(-13) <= LAST_OF_0_1_0);
    expect(unchanged).toEqual(['CreateDeliveries1763683201000']);

    // A process with MIGRATE=off finds no pending migration and changes nothing.
    instance.startApi({ MIGRATE: 'off' });
    await instance.waitUntilReady();
    expect(await listApplied()).toEqual(previous);

    expect(await migrateAtOnce()).toEqual([[], [], []]);
    // The previous names remain for 0.1.0 processes.
    expect(await listApplied()).toEqual([...previous, ...all.filter((name) => !previous.includes(name))]);
    expect((await instance.register()).status).toBe(201);
  });

  // Runs only at night, because it migrates an empty database twice.
  if (isNightly)
    it('runs once at the next start after a failure in 0.1.0, while MIGRATE=off waits', async () => {
      await stop();
      const all = await listCurrentNames();
      await failHalfway();
      await storePreviousNames();
      const previous = await listApplied();
      const waiting = instance.startApi({ MIGRATE: 'off', PORT: String(await freePort()) });
      await eventually('the process to wait', () =>
        waiting.log.some(({ message }) => message === 'waiting for migrations'),
      );
      await withMigratingFirstVersion(() => instance.startApi());
      const [others] = await Promise.all([
        migrateAtOnce(),
        instance.waitUntilReady(),
        waiting.waitUntilReady(),
      ]);
      expect(others.filter((names) => names.length > 0).length).toBeLessThanOrEqual(1);
      const stored = await listApplied();
      expect(stored.slice(0, previous.length)).toEqual(previous);
      expect(stored.filter((name) => all.includes(name)).sort()).toEqual([...all].sort());
      expect((await instance.register()).status).toBe(201);
    });
});
