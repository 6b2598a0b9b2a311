import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withProgramOptions } from './program-options.mjs';

const MAX_RESTART_DELAY_MS = 30_000;
const STABLE_AFTER_MS = 60_000;
const STOP_TIMEOUT_MS = 14_000;

/**
 * Exit code of a process that rejects its configuration (EX_CONFIG). It is not restarted, because it would fail again.
 */
export const CONFIG_EXIT_CODE = 78;

/** Interval at which the launcher checks whether npm's shell is still running, in ms. */
const NPM_CHECK_INTERVAL_MS = 500;

/**
 * Sends SIGTERM to this process when the shell in which npm runs it has exited. npm forwards SIGTERM only to this
 * shell, and `dash`, Debian's `sh`, exits without forwarding it. Does nothing if the process was started without npm.
 * @param {() => boolean} isStopping
 */
export function stopWithNpm(isStopping) {
  const { npm_lifecycle_script: script } = process.env;
  if (!script?.includes(path.basename(process.argv[1]))) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    // After Ctrl-C, this process is already stopping: the terminal sends the signal to both processes.
    if (!isStopping()) process.kill(process.pid, 'SIGTERM');
  }, NPM_CHECK_INTERVAL_MS);
  timer.unref();
}

/**
 * Opens the log for the launcher and its programs: JSON lines, or formatted lines on a developer's terminal. A full
 * disk or an unread pipe does not block the launcher.
 */
export async function openLog() {
  const { LineOutput } = await import('../libs/platform/dist/logging/line-output.js');
  const isReadable = process.stdout.isTTY && process.env.NODE_ENV !== 'production';
  const format = isReadable ? await createFormatter() : (lines) => lines;
  const write = (level, message, fields) => {
    const time = new Date().toISOString();
    const line = { level, time, service: 'launcher', pid: process.pid, ...fields, message };
    output.write(format(`${JSON.stringify(line)}\n`));
  };
  const reportDropped = (lines) => write('error', 'log lines dropped', { lines });
  const output = new LineOutput(process.stdout, reportDropped);
  const errors = new LineOutput(process.stderr, reportDropped);
  return {
    write,
    /**
     * Forwards a program's output in complete lines, so that lines from different programs are never mixed. While an
     * output stalls, does not read from the program, which then drops and counts its log lines.
     */
    forward(child) {
      forwardLines(child, child.stdout, (lines) => output.write(format(lines)) || output.drained());
      forwardLines(child, child.stderr, (lines) => errors.write(lines) || errors.drained());
    },
    async close() {
      await Promise.race([output.drained(), sleep(500, undefined, { ref: false })]);
    },
  };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {import('node:stream').Readable} source
 * @param {(lines: string) => true | Promise<void>} send returns true, or a promise that resolves when more lines are
 *   accepted
 */
function forwardLines(child, source, send) {
  let rest = '';
  let hasExited = false;
  const forward = (lines) => {
    const sent = send(lines);
    if (sent === true || hasExited) return;
    source.pause();
    void sent.then(() => source.resume());
  };
  source.setEncoding('utf8').on('data', (text) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) forward(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  source.on('end', () => rest && forward(`${rest}\n`));
  source.on('error', () => {});
  // Reads the rest. The program is restarted after `close`, which is emitted only when everything has been read.
  child.once('exit', () => {
    hasExited = true;
    source.resume();
  });
}

/** Returns a function that formats lines for humans. Lines that are not JSON stay unchanged. */
async function createFormatter() {
  const { prettyFactory } = await import('pino-pretty');
  const formatLine = prettyFactory({
    ignore: 'pid,service',
    messageKey: 'message',
    errorLikeObjectKeys: ['error'],
    messageFormat: '{service}: {message}',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return (lines) => lines.split('\n').slice(0, -1).map(formatLine).join('');
}

/** A program that is restarted with increasing delays when it exits. */
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

  /** Resolves when the program reports for the first time that it is ready. */
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
    const restart = (reason) => this.#scheduleRestart(env, reason, performance.now() - started);
    const report = (error) => this.#log.write('error', `${this.#name}: ${error.message}`);
    let child;
    try {
      child = this.#spawn(env);
    } catch (error) {
      // spawn() throws if there is not enough memory for a process.
      report(error);
      restart('not started');
      return;
    }
    this.#child = child;
    const onEnd = (code, reason) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#shouldRun) return;
      if (code === CONFIG_EXIT_CODE) this.#onConfigError();
      else restart(reason);
    };
    child.on('error', (error) => {
      report(error);
      // Without a free file descriptor, the child has no streams and emits no other event.
      if (child.pid === undefined) onEnd(undefined, 'not started');
    });
    if (child.stdout) this.#log.forward(child);
    child.on('message', (message) => (message === 'ready' ? this.#resolveReady() : this.#onMessage(message)));
    child.once('close', (code, signal) => onEnd(code, signal ? `signal ${signal}` : `code ${code}`));
  }

  #spawn(env) {
    // The separate process group shields the program from Ctrl-C, so that the launcher can stop the programs one after
    // the other. The IPC channel closes when the launcher exits, so that the programs notice.
    return spawn(process.execPath, [this.#file], {
      env: withProgramOptions(env),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
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
    // The program may exit before it reads the message.
    this.#child.send(message, () => {});
    return true;
  }

  /** Sends SIGTERM to the program and waits until it exits. Kills it if it is still running after 14 s. */
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
   * @param {{ folder: string, log: Awaited<ReturnType<typeof openLog>>, onConfigError(): void, onWaiting?(): void }}
   * options `folder` contains the programs; `onWaiting` is called repeatedly while one of them waits for PostgreSQL
   */
  constructor({ folder, log, onConfigError, onWaiting = () => {} }) {
    const create = (name, handle) => {
      const onMessage = (message) => (message === 'waiting' ? onWaiting() : handle(message));
      return new Program({ name, file: path.join(folder, `${name}.js`), log, onConfigError, onMessage });
    };
    // The api serves the worker's metrics (METRICS_TOKEN). Its request to the worker and the worker's response are
    // forwarded here.
    this.#api = create('api', (message) => {
      if (message === 'metrics' && !this.#worker.send(message)) this.#api.send({ metrics: null });
    });
    this.#worker = create('webhook-worker', (message) => {
      if (Object.hasOwn(message, 'metrics')) this.#api.send(message);
    });
  }

  /** Resolves when both have reported that they are ready. */
  get ready() {
    return Promise.all([this.#api.ready, this.#worker.ready]);
  }

  /** @param {NodeJS.ProcessEnv} env */
  start(env) {
    this.#api.start(env);
    // Only the api runs migrations.
    const { MIGRATE_DATABASE_URL: _, MIGRATE_DATABASE_URL_FILE: __, ...workerEnv } = env;
    // Both programs run on the same machine, so they need different ports. The api reports an invalid port.
    const port = Number(env.METRICS_PORT);
    this.#worker.start(port > 0 ? { ...workerEnv, METRICS_PORT: String(port + 1) } : workerEnv);
  }

  /** Stops the api first, because it creates work for the worker. */
  async stop() {
    await this.#api.stop();
    await this.#worker.stop();
  }

  kill() {
    this.#api.kill();
    this.#worker.kill();
  }
}
