import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { AuditLogRepository, Database } from '@gatehouse/persistence';
import { createLogger, loadConfig } from '@gatehouse/platform';
import { uuidAt } from '../support/seed-deliveries.js';
import { adminUrl, createDatabase, dropDatabase, OWNER_ROLE, RUNTIME_ROLE } from '../support/databases.mjs';
import { withoutTimeouts } from '../support/hostile-settings.mjs';
import { migrateDatabase } from '../support/migrate-database.js';
import { TestInstance } from '../support/test-instance.js';

const DAY_MS = 86_400_000;
/** The trigger on the audit log reports the same code with a different message. */
const NO_TABLE_RIGHT =
  /^42501 permission denied for table (audit_log|audit_retention|migration_lease|migrations)$/;
const PERMISSION_DENIED = /^42501 /;

let instance: TestInstance;
/** Connections as the runtime role and as the role that owns the tables. */
let runtime: pg.Pool;
let owner: pg.Pool;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  const settings = { max: 1, options: withoutTimeouts };
  runtime = new pg.Pool({ connectionString: instance.env['DATABASE_URL']!, ...settings });
  owner = new pg.Pool({ connectionString: instance.env['MIGRATE_DATABASE_URL']!, ...settings });
});
afterAll(async () => {
  await runtime?.end();
  await owner?.end();
  await instance?.stop();
});

/** Runs statements in a transaction that is rolled back. Returns the error code and message, or `accepted`. */
async function outcome(sql: string): Promise<string> {
  const client = await runtime.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql);
    return 'accepted';
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    return `${code} ${message}`;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Expects each statement to have an outcome that matches the pattern, and reports all mismatches at once. */
async function expectOutcome(statements: string[], pattern: RegExp): Promise<void> {
  const found: [string, string][] = [];
  for (const statement of statements) found.push([statement, await outcome(statement)]);
  expect(found).toEqual(statements.map((statement) => [statement, expect.stringMatching(pattern)]));
}

/** Inserts an entry with a given time, in ms since the epoch, as the runtime role. Returns its id. */
async function insertEntry(time: number): Promise<string> {
  const id = uuidAt(time);
  await runtime.query(
    `INSERT INTO audit_log (id, organization_id, actor_type, action, target_type, target_id, created_at)
     VALUES ($1, $2, 'system', 'customer.created', 'customer', 'roles', $3)`,
    [id, instance.credentials.organizationId, new Date(time)],
  );
  return id;
}
const listEntryIds = async (): Promise<string[]> =>
  (await instance.sql<{ id: string }>(`SELECT id FROM audit_log WHERE target_id = 'roles' ORDER BY id`)).map(
    ({ id }) => id,
  );

describe('OP-05: the runtime role', () => {
  it('reads and adds audit log entries, but cannot change, delete or lock them', async () => {
    await insertEntry(Date.now());
    expect((await runtime.query('SELECT FROM audit_log')).rowCount).toBeGreaterThan(0);
    await expectOutcome(
      [
        `UPDATE audit_log SET action = 'customer.created'`,
        `UPDATE audit_log SET ip = NULL`,
        'DELETE FROM audit_log',
        `SET LOCAL gatehouse.audit_retention = 'on'; DELETE FROM audit_log`,
        'TRUNCATE audit_log',
        `INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (id) DO UPDATE SET ip = NULL`,
        'MERGE INTO audit_log a USING (VALUES (1)) AS v (n) ON true WHEN MATCHED THEN DELETE',
        'SELECT FROM audit_log FOR UPDATE',
        'LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE',
        'UPDATE audit_retention SET age_ms = 0',
        'DELETE FROM audit_retention',
        'INSERT INTO audit_retention (age_ms) VALUES (0)',
        'DELETE FROM migrations',
        'DELETE FROM migration_lease',
        `INSERT INTO migrations (timestamp, name) VALUES (0, 'x')`,
      ],
      NO_TABLE_RIGHT,
    );
  });

  it('fails to change the table, its trigger or its functions, and to become its owner', async () => {
    await expectOutcome(
      [
        'ALTER TABLE audit_log DISABLE TRIGGER ALL',
        'ALTER TABLE audit_log DISABLE TRIGGER audit_log_kept',
        'ALTER TABLE audit_log RENAME TO other',
        `ALTER TABLE audit_log OWNER TO ${RUNTIME_ROLE}`,
        `ALTER TABLE audit_log SET SCHEMA pg_temp`,
        'DROP TABLE audit_log',
        'DROP TRIGGER audit_log_kept ON audit_log',
        'DROP FUNCTION keep_audit_log CASCADE',
        'DROP FUNCTION prune_audit_log',
        'DROP SCHEMA public CASCADE',
        'CREATE RULE keep AS ON INSERT TO audit_log DO INSTEAD NOTHING',
        `CREATE TRIGGER skip BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
        'CREATE TABLE public.children () INHERITS (audit_log)',
        `CREATE OR REPLACE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'`,
        `CREATE OR REPLACE FUNCTION prune_audit_log(age_ms bigint, batch_size integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
        'ALTER FUNCTION prune_audit_log SET search_path = pg_temp',
        'ALTER FUNCTION prune_audit_log SECURITY INVOKER',
        `GRANT DELETE ON audit_log TO ${RUNTIME_ROLE}; DELETE FROM audit_log`,
        'SET LOCAL session_replication_role = replica',
        `SET LOCAL ROLE ${OWNER_ROLE}`,
        `SET LOCAL SESSION AUTHORIZATION ${OWNER_ROLE}`,
        `GRANT ${OWNER_ROLE} TO ${RUNTIME_ROLE}`,
        `ALTER ROLE ${RUNTIME_ROLE} SUPERUSER`,
        `ALTER ROLE ${OWNER_ROLE} PASSWORD 'x'`,
        'CREATE ROLE other',
        `REASSIGN OWNED BY ${OWNER_ROLE} TO ${RUNTIME_ROLE}`,
        `ALTER DEFAULT PRIVILEGES FOR ROLE ${OWNER_ROLE} GRANT ALL ON TABLES TO PUBLIC`,
        `COPY audit_log TO PROGRAM 'true'`,
      ],
      PERMISSION_DENIED,
    );
  });

  it("fails to shadow the objects that the owner's functions use", async () => {
    await expectOutcome(
      [
        'CREATE TABLE public.shadow ()',
        'CREATE SCHEMA shadow',
        `CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'`,
        `CREATE OPERATOR public.- (LEFTARG = timestamptz, RIGHTARG = interval, FUNCTION = timestamptz_mi_interval)`,
        'CREATE VIEW public.shadow AS SELECT 1',
        'CREATE TYPE public.shadow AS ENUM ()',
        'CREATE EXTENSION hstore',
      ],
      PERMISSION_DENIED,
    );
    // The role may create temporary objects, but the owner's functions ignore them.
    const recent = await insertEntry(Date.now() - DAY_MS);
    const shadows = `
      CREATE TEMP TABLE audit_retention AS SELECT 0::bigint AS age_ms;
      CREATE TEMP TABLE audit_log AS SELECT * FROM public.audit_log;
      CREATE FUNCTION pg_temp.pg_has_role(name, name, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE FUNCTION pg_temp.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT ''infinity''::timestamptz';
      SET LOCAL search_path = pg_temp, public;`;
    expect(await outcome(shadows)).toBe('accepted');
    expect(await outcome(`${shadows} SELECT prune_audit_log(0, 100)`)).toMatch(PERMISSION_DENIED);
    const hour = 3_600_000;
    expect(await outcome(`${shadows} SELECT prune_audit_log(${hour}, 100)`)).toMatch(PERMISSION_DENIED);
    expect(await listEntryIds()).toContain(recent);
  });

  it("deletes audit log entries only after the owner's AUDIT_RETENTION", async () => {
    const [retention] = await instance.sql<{ age: string }>('SELECT age_ms AS age FROM audit_retention');
    expect(retention!.age).toBe(String(365 * DAY_MS));
    const remaining = [await insertEntry(Date.now() - 364 * DAY_MS)];
    const expired = [
      await insertEntry(Date.now() - 366 * DAY_MS),
      await insertEntry(Date.now() - 900 * DAY_MS),
    ];
    await expectOutcome(
      [364.99 * DAY_MS, 0, -1, 'NULL'].map((age) => `SELECT prune_audit_log(${age}, 100)`),
      PERMISSION_DENIED,
    );
    const { rows } = await runtime.query(`SELECT prune_audit_log(${365 * DAY_MS}, 100) AS removed`);
    expect(rows).toEqual([{ removed: 2 }]);
    const ids = await listEntryIds();
    expect(expired.filter((id) => ids.includes(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(remaining));
    // The permission ends with the function call.
    expect(await outcome(`SELECT prune_audit_log(${365 * DAY_MS}, 100); DELETE FROM audit_log`)).toMatch(
      PERMISSION_DENIED,
    );
  });

  it('creates, renames and drops partitions of attempts, and no other table', async () => {
    const names = [
      'customers',
      'attempts',
      'attempts_counted',
      'attempts_2026010',
      'attempts_20260101; DROP TABLE customers',
      'attempts_20260101\n',
      'public.attempts_20260101',
      'ATTEMPTS_20260101',
      'pg_temp.attempts_20260101',
      '',
    ].map((name) => pg.escapeLiteral(name));
    await expectOutcome(
      [...names, 'NULL'].flatMap((name) => [
        `SELECT create_attempts_table(${name})`,
        `SELECT attach_attempts_table(${name}, '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001')`,
        `SELECT rename_attempts_table(${name}, 'attempts_kept_20260101')`,
        `SELECT create_attempts_table('attempts_19990101'); SELECT rename_attempts_table('attempts_19990101', ${name})`,
        `SELECT drop_attempts_table(${name})`,
      ]),
      /^22023 not a partition of attempts: /,
    );
    expect(
      await outcome(
        `SELECT create_attempts_table('attempts_19990101'); SELECT rename_attempts_table('attempts_19990101', 'attempts_kept_19990101');
         INSERT INTO attempts_kept_19990101 SELECT * FROM attempts; SELECT drop_attempts_table('attempts_kept_19990101')`,
      ),
    ).toBe('accepted');
  });

  it('has its privileges on every table, including tables that later migrations create', async () => {
    await owner.query('CREATE TABLE later (id integer)');
    const rows = await instance.sql<{ name: string; privileges: string }>(
      `SELECT c.relname AS name, string_agg(p, ' ' ORDER BY p) AS privileges
       FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND has_table_privilege($1, c.oid, p)
       GROUP BY c.relname`,
      [RUNTIME_ROLE],
    );
    await owner.query('DROP TABLE later');
    const tables = await instance.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
    );
    const restricted: Record<string, string> = {
      audit_log: 'INSERT SELECT',
      audit_retention: 'SELECT',
      migration_lease: 'SELECT',
      migrations: 'SELECT',
    };
    const expected = [...tables, { name: 'later' }].map(({ name }) => [
      name,
      restricted[name] ?? 'DELETE INSERT SELECT UPDATE',
    ]);
    expect(expected.length).toBeGreaterThan(36);
    expect(Object.fromEntries(rows.map(({ name, privileges }) => [name, privileges]))).toEqual(
      Object.fromEntries(expected),
    );
  });

  it("is the only role except the owner that can call the owner's SECURITY DEFINER functions", async () => {
    const functions = await instance.sql(
      `SELECT p.proname AS name, o.rolname AS owner, o.rolsuper AS "isSuperuser", p.proconfig AS settings,
         (SELECT array_agg(coalesce(g.rolname::text, 'PUBLIC') ORDER BY g.rolname) FROM aclexplode(p.proacl) a
            LEFT JOIN pg_roles g ON g.oid = a.grantee) AS callers
       FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner
       WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef`,
    );
    expect(functions).toHaveLength(5);
    for (const each of functions)
      expect(each).toEqual({
        name: each['name'],
        owner: OWNER_ROLE,
        isSuperuser: false,
        settings: ['search_path=pg_catalog, pg_temp'],
        callers: [OWNER_ROLE, RUNTIME_ROLE],
      });
  });
});

describe('OP-05: the audit log', () => {
  /** Returns true if a new role with the runtime role's privileges cannot change the audit log. */
  const isProtectedFrom = async (attributes: string): Promise<boolean> => {
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await instance.sql(
      `CREATE ROLE ${role} LOGIN PASSWORD 'x' IN ROLE ${RUNTIME_ROLE}; ${attributes.replaceAll('?', role)}`,
    );
    const url = Object.assign(new URL(instance.env['DATABASE_URL']!), { username: role, password: 'x' }).href;
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    const database = new Database(loadConfig({ ...instance.env, DATABASE_URL: url }), logger);
    try {
      await database.connect();
      return await new AuditLogRepository(database, logger).isProtected();
    } finally {
      await database.close();
      await instance.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  };

  it('counts as protected from a role only if that role cannot assume one with more privileges', async () => {
    expect(await isProtectedFrom('GRANT pg_monitor TO ?')).toBe(true);
    const found: [string, boolean][] = [];
    const superuser = new URL(process.env['TEST_POSTGRES_URL']!).username;
    const attributes = [
      `GRANT ${OWNER_ROLE} TO ?`,
      ...[
        OWNER_ROLE,
        superuser,
        'pg_write_all_data',
        'pg_write_server_files',
        'pg_execute_server_program',
      ].map((other) => `ALTER ROLE ? NOINHERIT; GRANT ${other} TO ?`),
      'ALTER ROLE ? CREATEROLE',
      'GRANT UPDATE (ip) ON audit_log TO ?',
      'GRANT TRUNCATE ON audit_log TO ?',
      'GRANT CREATE ON SCHEMA public TO ?',
    ];
    for (const each of attributes) found.push([each, await isProtectedFrom(each)]);
    expect(found).toEqual(attributes.map((each) => [each, false]));
  });

  it('allows the table owner to delete entries regardless of the stored retention', async () => {
    const [recent, old] = [await insertEntry(Date.now()), await insertEntry(Date.now() - 2 * DAY_MS)];
    await owner.query(`SELECT prune_audit_log(${DAY_MS}, 100)`);
    const ids = await listEntryIds();
    expect([recent, old].map((id) => ids.includes(id))).toEqual([true, false]);
  });
});

describe('the migration run', () => {
  it('mentions MIGRATE_DATABASE_URL if the role cannot migrate and migrations are pending', async () => {
    const name = 'gatehouse_roles';
    const { url, ownerUrl } = await createDatabase(name, 'template1');
    try {
      await expect(migrateDatabase(instance, { url, ownerUrl: null })).rejects.toThrow(
        new RegExp(`pending migrations .* role ${RUNTIME_ROLE} .* set MIGRATE_DATABASE_URL`),
      );
      await migrateDatabase(instance, { url, ownerUrl });
      await migrateDatabase(instance, { url, ownerUrl: null });
    } finally {
      await dropDatabase(name);
    }
  });

  it('OP-05: revokes excessive privileges, and grants missing ones after a restore', async () => {
    const name = 'gatehouse_restored_roles';
    const { url, ownerUrl } = await createDatabase(name, process.env['TEST_TEMPLATE']!);
    const admin = new pg.Client({ connectionString: adminUrl(name) });
    await admin.connect();
    const readRights = async () =>
      (
        await admin.query(
          `SELECT has_table_privilege($1, 'audit_log', 'INSERT') AS insert, has_table_privilege($1, 'audit_log', 'DELETE') AS delete,
             has_table_privilege($1, 'customers', 'DELETE') AS "deleteCustomers", has_schema_privilege($1, 'public', 'CREATE') AS create,
             has_function_privilege($1, 'prune_audit_log(bigint, integer)', 'EXECUTE') AS prune,
             has_function_privilege('pg_monitor', 'prune_audit_log(bigint, integer)', 'EXECUTE') AS "pruneAsOther"`,
          [RUNTIME_ROLE],
        )
      ).rows[0];
    const complete = await readRights();
    expect(complete).toEqual({
      insert: true,
      delete: false,
      deleteCustomers: true,
      create: false,
      prune: true,
      pruneAsOther: false,
    });
    try {
      for (const change of [
        `GRANT ALL ON audit_log TO ${RUNTIME_ROLE}`,
        'GRANT DELETE ON audit_log TO PUBLIC',
        'GRANT CREATE ON SCHEMA public TO PUBLIC',
        `REVOKE ALL ON customers, audit_log FROM ${RUNTIME_ROLE}`,
        'GRANT EXECUTE ON FUNCTION prune_audit_log TO PUBLIC',
        `REVOKE ALL ON FUNCTION prune_audit_log FROM ${RUNTIME_ROLE}`,
      ]) {
        await admin.query(`SET ROLE ${OWNER_ROLE}; ${change}; RESET ROLE`);
        expect([change, await readRights()]).not.toEqual([change, complete]);
        await migrateDatabase(instance, { url, ownerUrl });
        expect([change, await readRights()]).toEqual([change, complete]);
      }
    } finally {
      await admin.end();
      await dropDatabase(name);
    }
  });
});
