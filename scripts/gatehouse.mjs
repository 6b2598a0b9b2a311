import fs from 'node:fs';
import path from 'node:path';
import { findMissingProgram, isCurrent, PROGRAMS_PART } from './build-parts.mjs';
import { ScriptError, main } from './environment.mjs';
import { lockHolder, run } from './processes.mjs';
import { withProgramOptions } from './program-options.mjs';

const PROGRAM = 'dist/programs/gatehouse.js';

await main(async () => {
  requireProgram();
  // Ctrl-C reaches the command directly. This process keeps running to stop the database afterwards.
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
    const args = [PROGRAM, ...process.argv.slice(2)];
    const { code } = await run(process.execPath, args, { env: withProgramOptions(env), stdio: 'inherit' });
    return code;
  } finally {
    // A launcher that started in the meantime may have adopted the server.
    const adopted = postgres?.adopted || lockHolder(path.join(dataDir, 'launcher.pid')) !== undefined;
    if (!adopted) await postgres?.stop();
  }
});

/**
 * Requires the packages and the program, but does not install or build them, because the api and the worker of a
 * running installation may use the same files.
 */
function requireProgram() {
  if (!fs.existsSync('node_modules'))
    throw new ScriptError('The packages of Gatehouse are not installed. Install them: npm ci');
  const missing = findMissingProgram('gatehouse');
  if (missing) throw new ScriptError(missing);
  // Printed to stderr, because the command's output may be piped.
  if (!isCurrent(PROGRAMS_PART))
    console.error(
      'The programs were not built from the current sources. To build them again, when nothing uses them: npm run build',
    );
}

async function startDatabase(dataDir) {
  const { startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
  return startEmbeddedPostgres({ dataDir });
}
