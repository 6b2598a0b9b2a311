import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { withProgramOptions } from '../../scripts/program-options.mjs';

const root = process.cwd();

export const entryPoints = {
  all: `${root}/dist/programs/all.js`,
  api: `${root}/dist/programs/api.js`,
  gatehouse: `${root}/dist/programs/gatehouse.js`,
  worker: `${root}/dist/programs/webhook-worker.js`,
};

/** A real Gatehouse process and its log so far. It ends with the process that started it. */
export class ServerProcess {
  /** @type {Record<string, unknown>[]} */
  log = [];
  output = '';
  /**
   * The signal that a test sent, if any.
   * @type {NodeJS.Signals | undefined}
   */
  sentSignal = undefined;
  /** The time at which the process ended, in ms since 1970. @type {number | undefined} */
  endedAt = undefined;
  /** True if several test files share the process. They may neither stop nor freeze it (shared-servers.mjs). */
  isShared = false;
  /** @type {Map<number, { resolve(value: unknown): void, reject(error: Error): void }>} */
  #commands = new Map();
  #commandId = 0;
  #isReady = false;
  #child;
  #env;

  /**
   * @param {string} entryPoint
   * @param {Record<string, string>} env
   * @param {number | 'pipe'} output the file for standard output and standard error. By default, this class reads both
   */
  constructor(entryPoint, env, output = 'pipe') {
    this.entryPoint = entryPoint;
    this.#env = env;
    // The IPC channel transmits test commands. It also ends the process when its parent has ended.
    this.#child = spawn(process.execPath, [entryPoint], {
      env: withProgramOptions({
        PATH: process.env.PATH,
        ...(env.NODE_ENV === 'production' ? {} : { TEST_COMMANDS: 'on' }),
        ...env,
      }),
      stdio: ['ignore', output, output, 'ipc'],
    });
    this.#child.once('exit', () => {
      this.endedAt = Date.now();
      for (const { reject } of this.#commands.values()) reject(new Error('the process has ended'));
    });
    this.#child.on('message', ({ id, result, error }) => {
      const command = this.#commands.get(id);
      this.#commands.delete(id);
      if (error === undefined) command?.resolve(result);
      else command?.reject(new Error(error));
    });
    for (const stream of output === 'pipe' ? [this.#child.stdout, this.#child.stderr] : []) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (chunk) => {
        this.output += chunk;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('{')) this.#read(JSON.parse(line));
      });
    }
  }

  get pid() {
    return /** @type {number} */ (this.#child.pid);
  }

  /** True if the process accepts test commands, which production does not. */
  get acceptsCommands() {
    return this.#env.NODE_ENV !== 'production';
  }

  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** True if the process killed itself at a failpoint. */
  get hitFailpoint() {
    return (
      this.#env.FAILPOINTS !== undefined &&
      this.sentSignal === undefined &&
      this.#child.signalCode === 'SIGKILL'
    );
  }

  /**
   * Waits until the process has logged that it is ready, which LOG_LEVEL must allow.
   * @returns {Promise<void>}
   * @throws Error with the output if the process ends first
   */
  async waitUntilReady() {
    await this.#until(() => this.#isReady);
  }

  /**
   * Runs a test command in the process (libs/platform/src/programs/test-commands.ts).
   * @param {string} command
   * @param {string} [argument]
   * @returns {Promise<any>} the command's result
   * @throws Error with the error message from the command
   */
  runCommand(command, argument = '') {
    const id = (this.#commandId += 1);
    const result = new Promise((resolve, reject) => this.#commands.set(id, { resolve, reject }));
    this.#child.send({ id, command, argument }, (error) => {
      if (error) this.#commands.get(id)?.reject(error);
    });
    return result;
  }

  /**
   * Runs a worker's periodic job now. Resolves when the job has finished.
   * @param {string} name
   * @returns {Promise<void>}
   */
  runJob(name) {
    return this.runCommand('run-job', name);
  }

  /**
   * Sends a signal and waits until the process has ended.
   * @param {NodeJS.Signals} [signal]
   * @returns {Promise<number | null>} the exit code, or null after a fatal signal
   */
  async stop(signal = 'SIGTERM') {
    this.#throwIfShared();
    if (this.isRunning) {
      const exited = once(this.#child, 'exit');
      this.sentSignal = signal;
      this.#child.kill(signal);
      this.thaw();
      await exited;
    }
    return this.#child.exitCode;
  }

  /** Suspends the process. Its connections stay open. */
  freeze() {
    this.#throwIfShared();
    this.#child.kill('SIGSTOP');
  }

  thaw() {
    this.#child.kill('SIGCONT');
  }

  /** Waits until the process ends by itself. @returns {Promise<number | null>} the exit code */
  async waitForExit() {
    if (this.isRunning) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  /** Clears the log and the output. */
  clearLog() {
    this.log.length = 0;
    this.output = '';
  }

  /** Allows the parent process to end while this process is running. */
  unref() {
    this.#child.unref();
    for (const stream of [this.#child.stdout, this.#child.stderr, this.#child.channel]) stream?.unref();
  }

  /** @param {Record<string, unknown>} line */
  #read(line) {
    this.log.push(line);
    // The output of `all` also contains its programs' lines.
    const isOwnLine = this.entryPoint !== entryPoints.all || line.service === 'launcher';
    this.#isReady ||= line.message === 'ready' && isOwnLine;
    this.#child.emit('gatehouse:line');
  }

  /** @param {() => boolean} isTrue called again after each log line */
  #until(isTrue) {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = () => {
        if (isTrue()) resolve(undefined);
        else if (!this.isRunning) reject(new Error(`the process ended before it was ready:\n${this.output}`));
        else return;
        for (const event of ['gatehouse:line', 'close']) child.off(event, settle);
      };
      for (const event of ['gatehouse:line', 'close']) child.on(event, settle);
      settle();
    });
  }

  #throwIfShared() {
    if (this.isShared)
      throw new Error(
        'other test files use this server: name the file *.dedicated.spec.ts and start its own (docs/development/tests.md)',
      );
  }
}

/**
 * The range of free ports. It is below the system's ephemeral ports (32768 and up) and separate for each jest worker,
 * so no other process takes a port before the intended process listens on it.
 */
const PORTS = 2_000;
const firstPort = 10_000 + PORTS * (Number(process.env.JEST_WORKER_ID ?? 0) % 10);
/**
 * Ports that were returned before, and the port in the range that `fetch` blocks
 * (https://fetch.spec.whatwg.org/#port-blocking).
 */
const usedPorts = new Set([10_080]);

/** Returns a port that is currently free and was not returned before in this process. @returns {Promise<number>} */
export async function freePort() {
  for (;;) {
    const port = firstPort + randomInt(PORTS);
    if (usedPorts.has(port)) continue;
    usedPorts.add(port);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
