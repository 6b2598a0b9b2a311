import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localUrl, printBanner } from './banner.mjs';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from './embedded-postgres.mjs';
import { step } from './environment.mjs';
import { describeProcess } from './processes.mjs';
import { Program } from './supervisor.mjs';

/** Runs the database, the API and the webhook-worker. */
export class Launcher {
  #config;
  #log;
  #lock;
  #postgres;
  #databaseCheckTimer;
  #api;
  #worker;
  #env = { ...process.env };
  #stopping;
  #signaledAt;
  #stopMode = 'fast';

  constructor(config, log, lock) {
    this.#config = config;
    this.#log = log;
    this.#lock = lock;
    const onConfigError = () => this.stop().then(() => process.exit(1));
    this.#api = new Program({ name: 'api', file: 'dist/programs/api.js', log, onConfigError });
    const worker = 'dist/programs/webhook-worker.js';
    this.#worker = new Program({ name: 'webhook-worker', file: worker, log, onConfigError });
  }

  async start() {
    if (!this.#config.database.url) await this.#setUpDatabase();
    if (this.#stopping) return;
    process.stdout.write('  Starting the api and the webhook-worker …\n');
    this.#startPrograms();
    await this.#waitUntilReady();
    if (!this.#stopping)
      printBanner(process.stdout, this.#config, performance.now() / 1000, this.#env.SEED === 'on');
  }

  async #setUpDatabase() {
    this.#postgres = step(process.stdout, 'Starting the embedded PostgreSQL', () => this.#startDatabase());
    await this.#postgres;
    this.#env.SEED ||= 'on';
    this.#databaseCheckTimer = setInterval(() => this.#restartDatabaseIfDown(), 1_000);
  }

  async #startDatabase() {
    const server = await startEmbeddedPostgres({ dataDir: this.#databaseDir() });
    this.#env.DATABASE_URL = server.url;
    this.#env.MIGRATE_DATABASE_URL = server.ownerUrl;
    return server;
  }

  async #restartDatabaseIfDown() {
    const { pid, url } = await this.#postgres;
    if (this.#stopping || describeProcess(pid) !== undefined) return;
    this.#log.write('error', 'embedded PostgreSQL exited unexpectedly; restarting');
    this.#postgres = this.#startDatabase().catch((error) => {
      this.#log.write('error', error.message);
      return { pid, url };
    });
    // Another program may have taken its port in the meantime.
    if ((await this.#postgres).url !== url) await this.restartPrograms();
  }

  #databaseDir() {
    return path.join(this.#config.dataDir, 'postgres');
  }

  #startPrograms() {
    const { port } = this.#config.metrics;
    this.#api.start(this.#env);
    // Only the api runs migrations.
    const { MIGRATE_DATABASE_URL: _, ...workerEnv } = this.#env;
    // Both run on the same machine, so they need different ports.
    this.#worker.start(port === null ? workerEnv : { ...workerEnv, METRICS_PORT: String(port + 1) });
  }

  async #waitUntilReady() {
    const url = `${localUrl(this.#config.http)}/readyz`;
    const hint = setTimeout(() => {
      this.#log.write('warn', 'api not ready after 30 s; see the log lines above');
    }, 30_000);
    while (!this.#stopping && !(await respondsWith200(url))) await sleep(50);
    clearTimeout(hint);
  }

  async restartPrograms() {
    await this.#api.stop(14_000);
    await this.#worker.stop(14_000);
    if (!this.#stopping) this.#startPrograms();
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /**
   * Handles a signal. npm forwards the Ctrl-C that the terminal has already sent to all processes, so one key
   * press arrives twice.
   */
  onSignal() {
    this.#signaledAt ??= performance.now();
    if (performance.now() - this.#signaledAt > 1_000) this.#killPrograms();
    this.stop().then(() => process.exit(0));
  }

  #killPrograms() {
    this.#stopMode = 'immediate';
    this.#api.kill();
    this.#worker.kill();
  }

  /** Stops everything in order, so that a program's dependencies run until it has stopped. */
  stop() {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll() {
    this.#log.write('info', 'stopping');
    clearInterval(this.#databaseCheckTimer);
    // These limits, and 3 s for the database, bound the duration of a shutdown after Ctrl-C.
    await this.#api.stop(14_000);
    await this.#worker.stop(14_000);
    const server = await Promise.resolve(this.#postgres).catch(() => undefined);
    if (server) await stopEmbeddedPostgres(this.#databaseDir(), this.#stopMode);
    await this.#log.close();
    this.#lock.release();
  }
}

function respondsWith200(url) {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
