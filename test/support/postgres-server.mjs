import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { takeLock } from '../../scripts/processes.mjs';
import { stopServers } from './embedded.mjs';

/** An embedded PostgreSQL of a test's own, which it may freeze, kill and start again. */
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
    // Named and locked like the folder of a test run, so that the next run removes what a killed one left.
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-test-own-'));
    takeLock(path.join(folder, 'owner'));
    const server = new PostgresServer(folder);
    await server.start();
    return server;
  }

  /** On the port of the last time. */
  async start() {
    const { url, pid } = await startEmbeddedPostgres({ dataDir: this.dataDir });
    this.url = url;
    this.pid = pid;
  }

  /** Crashes it: it has to recover when it is started again. */
  async crash() {
    await stopEmbeddedPostgres(this.dataDir, 'immediate');
  }

  /** An orderly stop, which ends every connection. */
  async stop() {
    await stopEmbeddedPostgres(this.dataDir);
  }

  /** Ends the server without a chance to write anything; its other processes notice and follow. */
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
        // It has noticed by itself, and is gone.
        if (error.code !== 'ESRCH') throw error;
      }
    }
    await client.end().catch(() => undefined);
  }

  /** From now on it answers nothing, and keeps every connection. */
  async freeze() {
    const client = new pg.Client(this.url);
    await client.connect();
    // First who makes new processes, so that none is missed.
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
