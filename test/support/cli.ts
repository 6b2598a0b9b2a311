import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { run } from '../../packages/cli/src/run.js';
import type { TestInstance } from './test-instance.js';

export interface CliOptions {
  /** Command environment, in addition to the test's URL and key. */
  env?: Record<string, string | undefined>;
  /** The working directory. Default: a new empty folder. */
  cwd?: string;
  /** The input that is typed or piped into the command. */
  input?: string;
  /** Terminal width. Without it, no stream is a terminal. */
  columns?: number;
  /** Replaces the command's pauses. */
  wait?: (ms: number, until?: AbortSignal) => Promise<void>;
}

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A command that runs in this process with its own streams. */
export class RunningCli {
  stdout = '';
  stderr = '';
  readonly exit: Promise<number>;
  /** The keyboard or the pipe that the command reads. */
  readonly stdin = new PassThrough();
  private readonly interruption = new AbortController();
  private readonly listeners = new Set<() => void>();

  /** @param ownFolder the working directory if the options contain none. It is removed at the end */
  constructor(
    args: string[],
    { env = {}, cwd = '', input, columns, wait }: CliOptions,
    ownFolder: string | null = null,
  ) {
    const terminal = columns === undefined ? {} : { isTTY: true, columns };
    const capture = (name: 'stdout' | 'stderr'): PassThrough => {
      const stream = new PassThrough().setEncoding('utf8');
      stream.on('data', (text: string) => {
        this[name] += text;
        for (const listener of this.listeners) listener();
      });
      return Object.assign(stream, terminal);
    };
    if (input !== undefined) this.stdin.end(input);
    const stdin = Object.assign(this.stdin, terminal, { setRawMode: () => stdin });
    const [stdout, stderr] = [capture('stdout'), capture('stderr')];
    const { signal } = this.interruption;
    this.exit = run(args, {
      env,
      cwd: ownFolder ?? cwd,
      stdin,
      stdout,
      stderr,
      signal,
      ...(wait && { wait }),
    }).then(async (code) => {
      stdout.end();
      stderr.end();
      await Promise.all([finished(stdout), finished(stderr)]);
      if (ownFolder) await rm(ownFolder, { recursive: true, force: true });
      return code;
    });
  }

  /** Interrupts the command, as Ctrl-C does. @returns the exit code */
  interrupt(): Promise<number> {
    this.interruption.abort();
    return this.exit;
  }

  /** Waits until a stream contains a string. @throws Error if the command ends first */
  async waitFor(text: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const appears = new Promise<void>((resolve) => {
      const check = (): void => {
        if (!this[stream].includes(text)) return;
        this.listeners.delete(check);
        resolve();
      };
      this.listeners.add(check);
      check();
    });
    const ends = this.exit.then((code) => {
      if (!this[stream].includes(text))
        throw new Error(`exit code ${code} without "${text}": ${this.stdout}${this.stderr}`);
    });
    await Promise.race([appears, ends]);
  }
}

const running = new Set<RunningCli>();
// A command that is still running after a failed test would keep the process alive.
afterAll(() => Promise.all([...running].map((cli) => cli.interrupt())));

/** Starts a command with an instance's project key. */
export async function startCli(
  instance: TestInstance,
  args: string[],
  options: CliOptions = {},
): Promise<RunningCli> {
  const ownFolder = options.cwd ? null : await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
  const env = {
    GATEHOUSE_URL: instance.baseUrl,
    GATEHOUSE_SECRET_KEY: instance.credentials.projectSecretKey,
    ...options.env,
  };
  const cli = new RunningCli(args, { ...options, env }, ownFolder);
  running.add(cli);
  return cli;
}

/** Runs a command with an instance's project key. */
export async function runCli(
  instance: TestInstance,
  args: string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const cli = await startCli(instance, args, options);
  const code = await cli.exit;
  return { code, stdout: cli.stdout, stderr: cli.stderr };
}

/** Parses a command's `--json` output. */
export const parseLines = (output: string): any[] =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
