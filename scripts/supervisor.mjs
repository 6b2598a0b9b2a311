import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './environment.mjs';
import { withMemoryOptions } from './memory-options.mjs';

const MAX_RESTART_DELAY_MS = 30_000;
const STABLE_AFTER_MS = 60_000;

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
  #child;
  #restartTimer;
  #shouldRun = false;
  #restartDelay = 500;

  /**
   * @param {{ name: string, file: string, log: Awaited<ReturnType<typeof openLog>>, onConfigError(): void }}
   *   options
   */
  constructor({ name, file, log, onConfigError }) {
    this.#name = name;
    this.#file = file;
    this.#log = log;
    this.#onConfigError = onConfigError;
  }

  /** @param {NodeJS.ProcessEnv} env */
  start(env) {
    this.#shouldRun = true;
    const started = performance.now();
    // A separate process group shields the program from Ctrl-C: the launcher stops the programs one after the
    // other. The closed IPC channel tells a program that the launcher has exited.
    const child = spawn(process.execPath, [this.#file], {
      cwd: root,
      env: withMemoryOptions(env),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    this.#log.forward(child.stdout);
    this.#log.forward(child.stderr, process.stderr);
    child.on('error', (error) => this.#log.write('error', `${this.#name}: ${error.message}`));
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

  /**
   * Sends SIGTERM to the program and waits until it exits.
   * @param {number} grace time until the program is killed, in ms
   */
  async stop(grace) {
    this.#shouldRun = false;
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (!child) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#log.write('error', `${this.#name} did not stop within ${grace / 1000} s; sending SIGKILL`);
      this.kill();
    }, grace);
    await closed;
    clearTimeout(timer);
  }

  kill() {
    this.#shouldRun = false;
    clearTimeout(this.#restartTimer);
    this.#child?.kill('SIGKILL');
  }
}
