import { appendFileSync, cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { takeLock } from '../../scripts/processes.mjs';
import { stopServers } from './embedded.mjs';

/** An embedded PostgreSQL server for one test, which may freeze, kill and restart it. */
export class PostgresServer {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.dataDir = path.join(folder, 'postgres');
    this.url = '';
    this.pid = 0;
    /** @type {number[]} */
    this.frozen = [];
  }

  static async start() {
    // The folder is named and locked like a test run's folder. If this run is killed, the next one removes it.
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-test-own-'));
    takeLock(path.join(folder, 'owner'));
    const server = new PostgresServer(folder);
    await server.start();
    return server;
  }

  /** Restarts this server together with a standby, which begins as a copy of it. */
  async startStandby() {
    await this.stop();
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-test-own-'));
    takeLock(path.join(folder, 'owner'));
    const standby = new PostgresServer(folder);
    cpSync(this.dataDir, standby.dataDir, { recursive: true });
    await this.start();
    const { hostname: host, port, username: user, password } = new URL(this.url);
    const cluster = path.join(standby.dataDir, 'cluster');
    const primary = `host=${host} port=${port} user=${user} password=${password}`;
    appendFileSync(path.join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    writeFileSync(path.join(cluster, 'standby.signal'), '');
    await standby.start();
    return standby;
  }

  /** Starts the server, on the same port as before. */
  async start() {
    const { adminUrl, pid } = await startEmbeddedPostgres({ dataDir: this.dataDir });
    this.url = adminUrl;
    this.pid = pid;
  }

  /**
   * Runs a statement as the superuser.
   * @param {string} text
   */
  async query(text) {
    const client = new pg.Client(this.url);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Stops the server without a checkpoint, so that it has to recover when it starts again. */
  async crash() {
    await stopEmbeddedPostgres(this.dataDir, 'immediate');
  }

  /** Stops the server cleanly, which ends every connection. */
  async stop() {
    await stopEmbeddedPostgres(this.dataDir);
  }

  /** Kills all server processes, before they can write anything. */
  async kill() {
    const client = new pg.Client(this.url);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query(`SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`);
    process.kill(this.pid, 'SIGKILL');
    for (const { pid } of rows) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        // The process has already ended, because it has detected the loss of the server.
        if (error.code !== 'ESRCH') throw error;
      }
    }
    await client.end().catch(() => undefined);
  }

  /** Suspends all server processes. Connections stay open, but there is no response. */
  async freeze() {
    const client = new pg.Client(this.url);
    await client.connect();
    // The parent process is suspended first, so that it cannot start other processes in the meantime.
    this.stopProcess(this.pid);
    const { rows } = await client.query('SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    for (const { pid } of rows) this.stopProcess(pid);
    await client.end();
  }

  thaw() {
    for (const pid of this.frozen.splice(0)) process.kill(pid, 'SIGCONT');
  }

  async remove() {
    this.thaw();
    await stopServers(this.folder);
  }

  /** @param {number} pid */
  stopProcess(pid) {
    process.kill(pid, 'SIGSTOP');
    this.frozen.push(pid);
  }
}
