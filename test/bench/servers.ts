import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The functions from test/support/embedded.mjs that are used here. */
interface Embedded {
  startServers(): Promise<{ folder: string; env: Record<string, string> }>;
  stopServers(folder: string): Promise<void>;
  reapServers(): Promise<void>;
}

interface EmbeddedPostgres {
  startEmbeddedPostgres(options: {
    dataDir: string;
    settings: Record<string, string>;
  }): Promise<{ adminUrl: string; pid: number }>;
}

interface Processes {
  takeLock(file: string): unknown;
}

/** Imports a script. Scripts are not compiled and locate the repository by their own path. */
const importScript = (path: string): Promise<unknown> =>
  import(pathToFileURL(join(process.cwd(), path)).href);

/** The servers' process ids. Redis is included only if it is installed. */
export const serverPids: { postgresql: number[]; redis: number[] } = { postgresql: [], redis: [] };

/**
 * Starts PostgreSQL with production durability and, if it is installed, Redis. Creates the migrated template database
 * that `TestInstance` clones.
 * @param settings additional PostgreSQL settings
 * @returns a function that stops them
 */
export async function startBenchServers(settings: Record<string, string> = {}): Promise<() => Promise<void>> {
  const embedded = (await importScript('test/support/embedded.mjs')) as Embedded;
  const postgres = (await importScript('scripts/embedded-postgres.mjs')) as EmbeddedPostgres;
  const processes = (await importScript('scripts/processes.mjs')) as Processes;
  await embedded.reapServers();

  // The folder is named and locked like a test run's folder. If this run is killed, the next one removes it.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-bench-'));
  processes.takeLock(join(folder, 'owner'));
  const folders = [folder];
  const stop = async (): Promise<void> => {
    for (const each of folders.splice(0).reverse()) await embedded.stopServers(each);
  };
  try {
    const { adminUrl, pid } = await postgres.startEmbeddedPostgres({
      dataDir: join(folder, 'postgres'),
      settings: { track_commit_timestamp: 'on', ...settings },
    });
    serverPids.postgresql = [pid];
    process.env['TEST_DATABASE_URL'] = adminUrl;
    const servers = await embedded.startServers();
    folders.push(servers.folder);
    Object.assign(process.env, servers.env);
    const redis = join(servers.folder, 'redis.pid');
    if (existsSync(redis)) serverPids.redis = [Number(readFileSync(redis, 'utf8'))];
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns true if this machine has a Redis server for the benchmark. */
export const hasRedis = (): boolean => process.env['TEST_REDIS_URL'] !== undefined;
