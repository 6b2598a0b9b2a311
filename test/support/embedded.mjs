import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createMissingRoles, OWNER_ROLE, roleUrls, RUNTIME_ROLE } from '../../scripts/database-roles.mjs';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { root } from '../../scripts/environment.mjs';
import { describeProcess, lockHolder, run, takeLock } from '../../scripts/processes.mjs';
import { setHostileSettingsSql } from './hostile-settings.mjs';
import { hasRedisServer, redisCommand, spawnRedis } from './redis-process.mjs';
import { freePort } from './server-process.mjs';

const PREFIX = 'gatehouse-test-';
const TEMPLATE = 'gatehouse_template';

/**
 * More Redis databases than a run has instances, so that no instance uses another instance's data, such as request
 * counters.
 */
const REDIS_DATABASES = 2_000;

/**
 * A test run does not have to survive a power failure. Autovacuum would update statistics in the middle of a test,
 * and thereby change plans: a table that was empty at the time would be planned as empty.
 */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

/**
 * Starts PostgreSQL and, if installed, Redis for a test run, and creates the migrated template database.
 * @returns {Promise<{ folder: string, env: Record<string, string> }>} `env` is for the test processes
 */
export async function startServers() {
  const folder = fs.mkdtempSync(path.join(tmpdir(), PREFIX));
  takeLock(path.join(folder, 'owner'));
  try {
    const admin = new URL(process.env.TEST_DATABASE_URL || (await startPostgres(folder)));
    admin.pathname = '/postgres';
    const env = {
      TEST_POSTGRES_URL: admin.href,
      TEST_TEMPLATE: TEMPLATE,
      TEST_SECRET: randomBytes(32).toString('base64url'),
      TEST_FOLDER: folder,
    };
    await createTemplate(admin, { GATEHOUSE_SECRET: env.TEST_SECRET, DATA_DIR: path.join(folder, 'data') });
    const redis = process.env.REDIS_URL || (await startRedis(folder));
    if (!redis) return { folder, env };
    const databases = process.env.REDIS_URL ? 16 : REDIS_DATABASES;
    return { folder, env: { ...env, TEST_REDIS_URL: redis, TEST_REDIS_DATABASES: String(databases) } };
  } catch (error) {
    await stopServers(folder);
    throw error;
  }
}

/** Stops the servers of a folder from `startServers` and removes the folder. @param {string} folder */
export async function stopServers(folder) {
  const redis = Number(readIfExists(path.join(folder, 'redis.pid')));
  if (redis && describeProcess(redis)?.includes('redis-server')) process.kill(redis, 'SIGKILL');
  const postgres = path.join(folder, 'postgres');
  if (fs.existsSync(postgres)) await stopEmbeddedPostgres(postgres, 'immediate');
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Stops the servers of runs whose process has ended: Jest runs no teardown when it is interrupted. */
export async function reapServers() {
  for (const name of fs.readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(tmpdir(), name);
    const isOwn = process.getuid?.() === fs.statSync(folder, { throwIfNoEntry: false })?.uid;
    if (isOwn && lockHolder(path.join(folder, 'owner')) === undefined) await stopServers(folder);
  }
}

async function startPostgres(folder) {
  return (await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), settings: FAST_SETTINGS }))
    .adminUrl;
}

async function createTemplate(admin, env) {
  await createMissingRoles(admin.href);
  await runStatements(admin.href, [
    `DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`,
    `CREATE DATABASE ${TEMPLATE} OWNER ${OWNER_ROLE}`,
    setHostileSettingsSql(TEMPLATE),
  ]);
  const url = new URL(admin);
  url.pathname = `/${TEMPLATE}`;
  const roles = roleUrls(url.href);
  const { code, output } = await run(process.execPath, ['dist/programs/gatehouse.js', 'migrate'], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'test',
      ...env,
      DATABASE_URL: roles.url,
      MIGRATE_DATABASE_URL: roles.ownerUrl,
    },
  });
  if (code !== 0) throw new Error(`${output}\nMigrating the template database failed with code ${code}.`);
  // Tests create tables as the superuser, and triggers on Gatehouse's tables that write to them.
  await runStatements(url.href, [`ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ${RUNTIME_ROLE}`]);
}

async function runStatements(url, statements) {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startRedis(folder) {
  if (!hasRedisServer) return undefined;
  const port = await freePort();
  const child = spawnRedis({ port, dir: folder, databases: REDIS_DATABASES }, { detached: true });
  fs.writeFileSync(path.join(folder, 'redis.pid'), String(child.pid));
  child.unref();
  for (
    const deadline = Date.now() + 10_000;
    (await redisCommand(port, 'PING')) !== '+PONG';
    await sleep(20)
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('redis-server did not start.');
  }
  return `redis://127.0.0.1:${port}`;
}

function readIfExists(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
