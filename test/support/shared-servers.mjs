import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase } from './databases.mjs';
import { redisDatabase } from './redis-database.mjs';
import { entryPoints, freePort, ServerProcess } from './server-process.mjs';

/** An api process with its database, which the test files of one jest worker use one after the other. */
class SharedServer {
  /** @type {ServerProcess} */
  api;
  isInUse = false;
  #db;
  #emptyTables = '';
  #redis;

  constructor(env) {
    this.env = env;
    this.#db = new pg.Client({ connectionString: env.DATABASE_URL });
    // It stays connected until the jest worker ends.
    this.#db.on('error', () => undefined);
  }

  static async start(settings, withRedis) {
    const port = String(await freePort());
    const env = {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: await mkdtemp(join(tmpdir(), 'gatehouse-instance-')),
      DATABASE_URL: await createDatabase(
        `test_${randomUUID().replaceAll('-', '')}`,
        process.env.TEST_TEMPLATE,
      ),
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
    server.#emptyTables = await seedStatements(server.#db);
    return server;
  }

  /** What `credentials.json` holds, as text: the object belongs into the test's own realm. */
  get credentials() {
    return readFileSync(join(this.env.DATA_DIR, 'credentials.json'), 'utf8');
  }

  /** Brings tables, Redis and memory back to what they were after the first boot. */
  async reset() {
    if (!this.api.isRunning) await this.#boot();
    await this.api.command('reset');
    await this.#untilIdle();
    await this.#db.query(this.#emptyTables);
    await this.#flushRedis();
    // A test may have rotated the keys: memory must hold those of the tables.
    await this.api.command('reload-signing-keys');
    this.api.clearLog();
  }

  async #boot() {
    this.api = new ServerProcess(entryPoints.api, this.env);
    this.api.isShared = true;
    this.api.unref();
    await this.api.ready();
  }

  /** A request whose client has gone may still be in a transaction. */
  async #untilIdle() {
    const busy = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                  AND backend_type = 'client backend' AND state <> 'idle'`;
    while ((await this.#db.query(busy)).rows.length > 0) await sleep(5);
  }

  async #flushRedis() {
    if (!this.env.REDIS_URL) return;
    const { Redis } = await import('ioredis');
    this.#redis ??= new Redis(this.env.REDIS_URL);
    await this.#redis.flushdb();
    this.#redis.disconnect();
    this.#redis = undefined;
  }
}

/** Statements that leave in the tables exactly the rows that they hold now. */
async function seedStatements(db) {
  const { rows: tables } = await db.query(
    `SELECT c.oid::regclass::text AS name,
            (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
     FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  // No trigger and no foreign key: the audit log may not be changed, and the order would matter.
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

/** @type {Map<string, Promise<SharedServer>>} */
const servers = new Map();

/**
 * The api of this jest worker with these settings, started by the first file that wants it, as new.
 * @param {Record<string, string>} settings beside the usual ones
 * @param {boolean} withRedis
 * @returns {Promise<SharedServer>} in use until `isInUse` is set to false
 * @throws Error when a test of the same file still uses it
 */
export async function sharedServer(settings, withRedis) {
  const key = JSON.stringify([Object.entries(settings).sort(), withRedis]);
  if (!servers.has(key)) servers.set(key, SharedServer.start(settings, withRedis));
  const server = await servers.get(key);
  if (server.isInUse)
    throw new Error('this file uses the shared server twice at once: stop the first instance');
  await server.reset();
  server.isInUse = true;
  return server;
}

/** After a file that ended without giving back what it used. */
export async function releaseSharedServers() {
  for (const server of servers.values()) (await server).isInUse = false;
}
