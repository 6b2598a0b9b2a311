import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { withMemoryOptions } from './memory-options.mjs';

const MAX_RESTART_DELAY_MS = 30_000;
const STABLE_AFTER_MS = 60_000;
const STOP_TIMEOUT_MS = 14_000;

/**
 * Exit code of a process that rejects its configuration (EX_CONFIG). It is not restarted, because the error
 * would recur.
 */
export const CONFIG_EXIT_CODE = 78;

/** Opens the log of the launcher and its programs: JSON lines, formatted on a developer's terminal. */
export async function openLog() {
  const readable = process.stdout.isTTY && process.env.NODE_ENV !== 'production';
  const sink = readable ? await createPrettySink() : process.stdout;
  return {
    /** Forwards complete lines, so that the lines of two programs are never mixed. */
    forward(source, target = sink) {
      let rest = '';
      source.setEncoding('utf8').on('data', (text) => {
        const end = text.lastIndexOf('\n') + 1;
        if (end > 0) target.write(rest + text.slice(0, end));
        rest = end > 0 ? text.slice(end) : rest + text;
      });
      source.on('end', () => rest && target.write(`${rest}\n`));
    },
    write(level, message) {
      const line = { level, time: new Date().toISOString(), service: 'launcher', pid: process.pid, message };
      sink.write(`${JSON.stringify(line)}\n`);
    },
    async close() {
      if (!readable) return;
      sink.end();
      await once(sink, 'close', { signal: AbortSignal.timeout(500) }).catch(() => {});
    },
  };
}

async function createPrettySink() {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    sync: true,
    ignore: 'pid,service',
    messageKey: 'message',
    errorLikeObjectKeys: ['error'],
    messageFormat: '{service}: {message}',
    translateTime: 'SYS:HH:MM:ss.l',
  });
}

/** A program that is restarted when it exits, with increasing delays. */
export class Program {
  #name;
  #file;
  #log;
  #onConfigError;
  #onMessage;
  #resolveReady;
  #child;
  #restartTimer;
  #shouldRun = false;
  #restartDelay = 500;

  /** Resolves when the program has reported for the first time that it is ready. */
  ready = new Promise((resolve) => (this.#resolveReady = resolve));

  /**
   * @param {{ name: string, file: string, log: Awaited<ReturnType<typeof openLog>>, onConfigError(): void,
   *   onMessage(message: unknown): void }} options
   */
  constructor({ name, file, log, onConfigError, onMessage }) {
    this.#name = name;
    this.#file = file;
    this.#log = log;
    this.#onConfigError = onConfigError;
    this.#onMessage = onMessage;
  }

  /** @param {NodeJS.ProcessEnv} env */
  start(env) {
    this.#shouldRun = true;
    const started = performance.now();
    // A separate process group shields the program from Ctrl-C: the launcher stops the programs one after the
    // other. The closed IPC channel tells a program that the launcher has exited.
    const child = spawn(process.execPath, [this.#file], {
      env: withMemoryOptions(env),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    this.#log.forward(child.stdout);
    this.#log.forward(child.stderr, process.stderr);
    child.on('error', (error) => this.#log.write('error', `${this.#name}: ${error.message}`));
    child.on('message', (message) => (message === 'ready' ? this.#resolveReady() : this.#onMessage(message)));
    child.once('close', (code, signal) => {
      this.#child = undefined;
      if (!this.#shouldRun) return;
      if (code === CONFIG_EXIT_CODE) this.#onConfigError();
      else
        this.#scheduleRestart(env, signal ? `signal ${signal}` : `code ${code}`, performance.now() - started);
    });
  }

  #scheduleRestart(env, reason, uptime) {
    if (uptime > STABLE_AFTER_MS) this.#restartDelay = 500;
    this.#log.write(
      'error',
      `${this.#name} exited unexpectedly (${reason}); restarting in ${this.#restartDelay / 1000} s`,
    );
    this.#restartTimer = setTimeout(() => this.start(env), this.#restartDelay);
    this.#restartDelay = Math.min(this.#restartDelay * 2, MAX_RESTART_DELAY_MS);
  }

  /** Sends a message to the program. Returns false if it is not running. */
  send(message) {
    if (!this.#child?.connected) return false;
    // The program may exit before it has read the message.
    this.#child.send(message, () => {});
    return true;
  }

  /** Sends SIGTERM to the program and waits until it exits. Kills it after 14 s. */
  async stop() {
    this.#shouldRun = false;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (!child) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#log.write(
        'error',
        `${this.#name} did not stop within ${STOP_TIMEOUT_MS / 1000} s; sending SIGKILL`,
      );
      this.kill();
    }, STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }

  kill() {
    this.#shouldRun = false;
    clearTimeout(this.#restartTimer);
    this.#child?.kill('SIGKILL');
  }
}

/** The api and the webhook-worker on one machine. */
export class Programs {
  #api;
  #worker;

  /**
   * @param {{ folder: string, log: Awaited<ReturnType<typeof openLog>>, onConfigError(): void }} options `folder`
   *   contains the programs
   */
  constructor({ folder, log, onConfigError }) {
    const create = (name, onMessage) =>
      new Program({ name, file: path.join(folder, `${name}.js`), log, onConfigError, onMessage });
    // The api serves the metrics of the worker (METRICS_TOKEN). Its request and the response pass through here.
    this.#api = create('api', (message) => {
      if (message === 'metrics' && !this.#worker.send(message)) this.#api.send({ metrics: null });
    });
    this.#worker = create('webhook-worker', (message) => {
      if (Object.hasOwn(message, 'metrics')) this.#api.send(message);
    });
  }

  /** Resolves when both have been ready. */
  get ready() {
    return Promise.all([this.#api.ready, this.#worker.ready]);
  }

  /** @param {NodeJS.ProcessEnv} env */
  start(env) {
    this.#api.start(env);
    // Only the api runs migrations.
    const { MIGRATE_DATABASE_URL: _, MIGRATE_DATABASE_URL_FILE: __, ...workerEnv } = env;
    // Both run on the same machine, so they need different ports. The api reports an invalid one.
    const port = Number(env.METRICS_PORT);
    this.#worker.start(port > 0 ? { ...workerEnv, METRICS_PORT: String(port + 1) } : workerEnv);
  }

  /** Stops both in order: the api first, because it creates work for the worker. */
  async stop() {
    await this.#api.stop();
    await this.#worker.stop();
  }

  kill() {
    this.#api.kill();
    this.#worker.kill();
  }
}
