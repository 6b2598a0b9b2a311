import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is used of test/support/embedded.mjs. */
interface Embedded {
  startServers(): Promise<{ folder: string; env: Record<string, string> }>;
  stopServers(folder: string): Promise<void>;
  reapServers(): Promise<void>;
}

interface EmbeddedPostgres {
  startEmbeddedPostgres(options: {
    dataDir: string;
    settings: Record<string, string>;
  }): Promise<{ url: string }>;
}

interface Processes {
  takeLock(file: string): unknown;
}

/** The scripts are not compiled: they find the repository from where they lie. */
const script = (path: string): Promise<unknown> => import(pathToFileURL(join(process.cwd(), path)).href);

/**
 * Starts PostgreSQL, durable as in production, and Redis where there is one, with the migrated template
 * database that `TestInstance` clones.
 * @returns how to stop them
 */
export async function startBenchServers(): Promise<() => Promise<void>> {
  const embedded = (await script('test/support/embedded.mjs')) as Embedded;
  const postgres = (await script('scripts/embedded-postgres.mjs')) as EmbeddedPostgres;
  const processes = (await script('scripts/processes.mjs')) as Processes;
  await embedded.reapServers();

  // Named and locked like the folder of a test run, so that the next run removes what a killed one left.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-bench-'));
  processes.takeLock(join(folder, 'owner'));
  const folders = [folder];
  const stop = async (): Promise<void> => {
    for (const each of folders.splice(0).reverse()) await embedded.stopServers(each);
  };
  try {
    const settings = { track_commit_timestamp: 'on' };
    const { url } = await postgres.startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings });
    process.env['TEST_DATABASE_URL'] = url;
    const servers = await embedded.startServers();
    folders.push(servers.folder);
    Object.assign(process.env, servers.env);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whether this machine has a Redis for the benchmark. */
export const hasRedis = (): boolean => process.env['TEST_REDIS_URL'] !== undefined;
