import fs from 'node:fs';
import path from 'node:path';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { ScriptError, main } from './environment.mjs';
import { lockHolder, run } from './processes.mjs';

await main(async () => {
  // The output of the command may be piped, so progress goes to stderr.
  await ensureInstalled(process.stderr);
  await ensureBuilt(process.stderr);
  // Ctrl-C reaches the command directly. This process continues, to stop the database after it.
  process.on('SIGINT', () => {});

  const env = { ...process.env };
  const dataDir = path.resolve(process.env.DATA_DIR || '.data');
  const cluster = path.join(dataDir, 'postgres');
  const createsDatabase = ['migrate', 'bootstrap'].includes(process.argv[2]);
  const hasDatabase = env.DATABASE_URL || env.DATABASE_URL_FILE;
  const needsDatabase = !hasDatabase && process.argv[2] !== 'alert-secret';
  if (needsDatabase && !createsDatabase && process.argv[2] && !fs.existsSync(cluster)) {
    throw new ScriptError(`No database exists in ${dataDir}. Set DATA_DIR or DATABASE_URL.`);
  }
  const postgres = needsDatabase ? await startDatabase(cluster) : undefined;
  if (postgres) Object.assign(env, { DATABASE_URL: postgres.url, MIGRATE_DATABASE_URL: postgres.ownerUrl });
  try {
    const args = ['dist/programs/gatehouse.js', ...process.argv.slice(2)];
    const { code } = await run(process.execPath, args, { env, stdio: 'inherit' });
    return code;
  } finally {
    // A launcher that was started meanwhile has adopted the server.
    const adopted = postgres?.adopted || lockHolder(path.join(dataDir, 'launcher.pid')) !== undefined;
    if (!adopted) await postgres?.stop();
  }
});

async function startDatabase(dataDir) {
  const { startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
  return startEmbeddedPostgres({ dataDir });
}
