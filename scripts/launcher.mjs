import path from 'node:path';
import { printBanner } from './banner.mjs';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from './embedded-postgres.mjs';
import { step } from './environment.mjs';
import { describeProcess } from './processes.mjs';
import { Programs } from './supervisor.mjs';

/** Runs the database, the API and the webhook-worker. */
export class Launcher {
  #config;
  #log;
  #lock;
  #postgres;
  #databaseCheckTimer;
  #programs;
  #env = { ...process.env };
  #stopping;
  #signaledAt;
  #stopMode = 'fast';

  constructor(config, log, lock) {
    this.#config = config;
    this.#log = log;
    this.#lock = lock;
    const onConfigError = () => this.stop().then(() => process.exit(1));
    this.#programs = new Programs({ folder: 'dist/programs', log, onConfigError });
  }

  async start() {
    if (!this.#config.database.url) await this.#setUpDatabase();
    if (this.#stopping) return;
    process.stdout.write('  Starting the API and the webhook-worker …\n');
    this.#programs.start(this.#env);
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
    // Another program may have taken the port in the meantime.
    if ((await this.#postgres).url !== url) await this.restartPrograms();
  }

  #databaseDir() {
    return path.join(this.#config.dataDir, 'postgres');
  }

  async #waitUntilReady() {
    const hint = setTimeout(() => {
      this.#log.write('warn', 'programs not ready after 30 s; see the log lines above');
    }, 30_000);
    await this.#programs.ready;
    clearTimeout(hint);
  }

  async restartPrograms() {
    await this.#programs.stop();
    if (!this.#stopping) this.#programs.start(this.#env);
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** Handles a signal. One Ctrl-C arrives twice: the terminal sends it to all processes, and npm forwards it. */
  onSignal() {
    this.#signaledAt ??= performance.now();
    if (performance.now() - this.#signaledAt > 1_000) {
      this.#stopMode = 'immediate';
      this.#programs.kill();
    }
    this.stop().then(() => process.exit(0));
  }

  /** Stops everything in order, so that a program's dependencies run until the program has stopped. */
  stop() {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll() {
    this.#log.write('info', 'stopping');
    clearInterval(this.#databaseCheckTimer);
    await this.#programs.stop();
    const server = await Promise.resolve(this.#postgres).catch(() => undefined);
    if (server) await stopEmbeddedPostgres(this.#databaseDir(), this.#stopMode);
    await this.#log.close();
    this.#lock.release();
  }
}
