import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt, ensureInstalled } from './build.mjs';
import { ScriptError, main, root } from './environment.mjs';
import { Launcher } from './launcher.mjs';
import { lockHolder, takeLock } from './processes.mjs';
import { CONFIG_EXIT_CODE, openLog, stopWithNpm } from './supervisor.mjs';

const report = process.stdout;
// A closed terminal or a full disk must not terminate the launcher before its programs.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** @type {Launcher | undefined} */
let launcher;

await main(async () => {
  stopWithNpm(() => launcher?.isStopping ?? false);
  report.write('Gatehouse\n');
  await requireFreePort();
  await ensureInstalled(report);
  await ensureBuilt(report);
  const config = await loadCheckedConfig();
  const lock = lockDataDir(config.dataDir);
  launcher = new Launcher(config, await openLog(), lock);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => launcher.onSignal());
  try {
    await launcher.start();
  } catch (error) {
    await launcher.stop();
    throw error;
  }
  if (process.argv.includes('--watch')) watch(launcher);
});

/** Checks the port first, so that the error does not appear only after minutes of installing and building. */
async function requireFreePort() {
  const port = Number(process.env.PORT?.trim() || 3000);
  const host = process.env.HOST?.trim() || '127.0.0.1';
  // Configuration validation reports a better error.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return;

  // After a crash of the launcher, its programs need a moment to notice and release the port.
  const lockFile = path.resolve(process.env.DATA_DIR?.trim() || '.data', 'launcher.pid');
  const crashed = fs.existsSync(lockFile) && lockHolder(lockFile) === undefined;
  for (const deadline = performance.now() + (crashed ? 15_000 : 0); ; await sleep(100)) {
    const { code, found } = await tryListen(port, host);
    // PORT=0 selects any free port. The banner and the programs must use the same port.
    if (found) return void (process.env.PORT = String(found));
    if (code === 'EADDRINUSE' && performance.now() < deadline) continue;
    if (code === 'EADDRINUSE') {
      throw new ScriptError(
        `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start`,
      );
    }
    if (code === 'EACCES') {
      throw new ScriptError(
        `Port ${port} requires elevated privileges. Choose another port: PORT=3000 npm start`,
      );
    }
    throw new ScriptError(
      `Cannot listen on HOST=${host}, port ${port} (${code}). Try: HOST=127.0.0.1 npm start`,
    );
  }
}

function tryListen(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', ({ code }) => resolve({ code }));
    server.listen(port, host, () => {
      const found = server.address().port;
      server.close(() => resolve({ found }));
    });
  });
}

async function loadCheckedConfig() {
  const { loadConfig } = await import('@gatehouse/platform');
  try {
    return loadConfig(process.env);
  } catch (error) {
    throw new ScriptError(error.message, CONFIG_EXIT_CODE);
  }
}

/** Locks the data directory, because two launchers would share a database and overwrite each other's keys. */
function lockDataDir(dataDir) {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = takeLock(path.join(dataDir, 'launcher.pid'));
  if (lock.release) return lock;
  throw new ScriptError(
    `Another Gatehouse process (${lock.holder}) is using the data directory ${dataDir}. ` +
      'Stop it, or choose another directory: DATA_DIR=.data-2 npm start',
  );
}

/** Rebuilds and restarts the programs after every change. If a build fails, the programs keep running. */
function watch(launcher) {
  let timer;
  let work = Promise.resolve();
  const rebuild = async () => {
    if (launcher.isStopping) return;
    try {
      if (!(await ensureBuilt(report))) return;
      await launcher.restartPrograms();
    } catch (error) {
      console.error(error instanceof ScriptError ? error.message : error);
    }
  };
  for (const folder of ['apps', 'libs']) {
    const watcher = fs.watch(path.join(root, folder), { recursive: true }, (_event, name) => {
      if (name?.split(path.sep).includes('dist')) return;
      clearTimeout(timer);
      timer = setTimeout(() => (work = work.then(rebuild)), 200);
    });
    watcher.on('error', (error) => console.error(`Changes in ${folder} are not watched: ${error.message}`));
  }
}
