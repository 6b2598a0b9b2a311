import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { adminUrl, createDatabase } from './databases.mjs';
import { redisDatabase } from './redis-database.mjs';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';

/**
 * Maximum database growth, in bytes. In a larger database, the dead rows that each file leaves would slow down every
 * scan. Nothing removes dead rows, because autovacuum is off (embedded.mjs).
 */
const MAX_GROWTH = 64 * 1024 * 1024;

/** An api process with its database, which a jest worker's test files use in turn. */
class SharedServer {
  /** @type {ServerProcess} */
  api;
  isInUse = false;
  #db;
  #restoreTables = '';
  #schema = '';
  #size = 0;
  #credentials;

  constructor(env) {
    this.env = env;
    this.#db = new pg.Client({ connectionString: adminUrl(env.DATABASE_URL) });
    // The client stays connected until the jest worker ends, so a connection error at the end is expected.
    this.#db.on('error', () => undefined);
  }

  static async start(settings, withRedis) {
    const port = String(await freePort());
    const database = await createDatabase(
      `test_${randomUUID().replaceAll('-', '')}`,
      process.env.TEST_TEMPLATE,
      true,
    );
    const env = {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: await mkdtemp(join(process.env.TEST_FOLDER, 'instance-')),
      DATABASE_URL: database.url,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
      SEED: 'on',
      BCRYPT_COST: '4',
      ...(withRedis ? { REDIS_URL: await redisDatabase() } : {}),
      ...settings,
    };
    const server = new SharedServer(env);
    await server.#boot();
    await server.#db.connect();
    server.#db.connection.stream.unref();
    server.#restoreTables = await seedStatements(server.#db);
    server.#schema = await schemaOf(server.#db);
    server.#size = await sizeOf(server.#db);
    return server;
  }

  /**
   * The `credentials.json` content after the first start. It is a string, because the parsed object must belong to the
   * test's realm. The file changes if a test starts an API process with a different PUBLIC_URL on the same database.
   */
  get credentials() {
    this.#credentials ??= readFileSync(join(this.env.DATA_DIR, 'credentials.json'), 'utf8');
    return this.#credentials;
  }

  /**
   * Resets tables, Redis and memory to their state after the first start.
   * @returns {Promise<boolean>} false if this server cannot be used again, because a test has changed the schema,
   * left a large database or stopped the api
   */
  async reset() {
    if (!this.api.isRunning) return false;
    await this.api.runCommand('reset');
    await this.#untilIdle();
    if ((await schemaOf(this.#db)) !== this.#schema) return false;
    if ((await sizeOf(this.#db)) > this.#size + MAX_GROWTH) return false;
    await this.#db.query(this.#restoreTables);
    await this.#flushRedis();
    // A test may have rotated the signing keys, and memory must match the tables.
    await this.api.runCommand('reload-signing-keys');
    this.api.clearLog();
    return true;
  }

  /** Stops the api. The database is removed at the end of the test run. */
  async discard() {
    this.api.isShared = false;
    await this.api.stop('SIGKILL');
    await this.#db.end();
  }

  async #boot() {
    // Signing keys are reloaded only on command: a periodic reload could interfere with tests that change key ages.
    this.api = new ServerProcess(entryPoints.api, { ...this.env, PERIODIC_JOBS: 'off' });
    this.api.isShared = true;
    this.api.unref();
    await this.api.waitUntilReady();
  }

  /**
   * Waits until no connection is busy, because a request may still be in a transaction after its client has
   * disconnected.
   */
  async #untilIdle() {
    const busy = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND backend_type = 'client backend' AND state <> 'idle'`;
    while ((await this.#db.query(busy)).rows.length > 0) await sleep(5);
  }

  async #flushRedis() {
    if (!this.env.REDIS_URL) return;
    const { Redis } = await import('ioredis');
    const redis = new Redis(this.env.REDIS_URL);
    await redis.flushdb();
    redis.disconnect();
  }
}

/** Returns statements that restore the current rows of all tables. */
async function seedStatements(db) {
  const { rows: tables } = await db.query(
    `SELECT c.oid::regclass::text AS name,
            (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
     FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  // Triggers and foreign keys are disabled: the audit log is immutable, and tables would have to be restored in
  // order.
  const statements = ['BEGIN', 'SET LOCAL session_replication_role = replica'];
  for (const { name, columns } of tables) {
    const { rows } = await db.query(`SELECT coalesce(jsonb_agg(t), '[]')::text AS seed FROM ${name} t`);
    statements.push(`DELETE FROM ${name}`);
    if (rows[0].seed !== '[]')
      statements.push(
        `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${columns} FROM jsonb_populate_recordset(NULL::${name}, ${pg.escapeLiteral(rows[0].seed)})`,
      );
  }
  return [...statements, 'COMMIT'].join(';\n');
}

/** Returns a hash that changes if a table, column, constraint, trigger or function is added, removed or renamed. */
async function schemaOf(db) {
  const { rows } = await db.query(
    `SELECT md5(string_agg(part, ' ' ORDER BY part)) AS schema FROM (
       SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'v', 'i', 'I')
       UNION ALL SELECT conrelid::regclass || ' ' || conname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
         WHERE k.connamespace = 'public'::regnamespace AND NOT c.relispartition
       UNION ALL SELECT t.tgrelid::regclass || ' ' || t.tgname || ' ' || t.tgenabled::text FROM pg_trigger t
         JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND NOT c.relispartition
       UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     ) AS schema (part)`,
  );
  return rows[0].schema;
}

/** Returns the database size in bytes. */
async function sizeOf(db) {
  const { rows } = await db.query('SELECT pg_database_size(current_database())::float8 AS size');
  return rows[0].size;
}

/** @type {Promise<number> | undefined} */
let reservedPort;

/**
 * Returns the port to which all shared servers of this jest worker send DNS queries. No name server listens on it,
 * unless a test starts one.
 */
export const nameServerPort = () => (reservedPort ??= freePort());

/** @type {Map<string, Promise<SharedServer>>} */
const servers = new Map();

/**
 * Returns this jest worker's api with these settings, in its initial state. It is started on first use.
 * @param {Record<string, string>} settings in addition to the default ones
 * @param {boolean} withRedis
 * @returns {Promise<SharedServer>} in use until `isInUse` is set to false
 * @throws Error if a test in the same file still uses it
 */
export async function sharedServer(settings, withRedis) {
  const key = JSON.stringify([Object.entries(settings).sort(), withRedis]);
  if (!servers.has(key)) servers.set(key, SharedServer.start(settings, withRedis));
  const server = await servers.get(key);
  if (server.isInUse) throw new Error('this file already uses the shared server: stop the first instance');
  if (!(await server.reset())) {
    servers.delete(key);
    await server.discard();
    return sharedServer(settings, withRedis);
  }
  server.isInUse = true;
  return server;
}

/** Releases all servers, in case a test file has ended without releasing them. */
export async function releaseSharedServers() {
  for (const server of servers.values()) (await server).isInUse = false;
}
