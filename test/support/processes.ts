import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const root = process.cwd();

export const entryPoints = {
  api: `${root}/dist/programs/api.js`,
  worker: `${root}/dist/programs/webhook-worker.js`,
};

/** A real process of the product, with what it has logged so far. */
export class ServerProcess {
  readonly log: Record<string, unknown>[] = [];
  output = '';
  /** The signal that a test sent, if it did. */
  told: NodeJS.Signals | undefined;
  /** When it ended, in ms since 1970. */
  endedAt: number | undefined;
  private readonly child: ChildProcess;

  constructor(
    readonly entryPoint: string,
    private readonly env: Record<string, string>,
  ) {
    this.child = spawn(process.execPath, [entryPoint], {
      env: { PATH: process.env['PATH']!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.once('exit', () => (this.endedAt = Date.now()));
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines)
          if (line.startsWith('{')) this.log.push(JSON.parse(line) as Record<string, unknown>);
      });
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** It killed itself where a test wanted it to. */
  get hitFailpoint(): boolean {
    return (
      this.env['FAILPOINTS'] !== undefined && this.told === undefined && this.child.signalCode === 'SIGKILL'
    );
  }

  /** Sends a signal and waits for the end. @returns the exit code, or null after a fatal signal */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isRunning) {
      const exited = once(this.child, 'exit');
      this.told = signal;
      this.child.kill(signal);
      this.thaw();
      await exited;
    }
    return this.child.exitCode;
  }

  /** From now on it does nothing, and keeps every connection. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** The exit code of a process that ends by itself. */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

/**
 * Where free ports are looked for: below those that the system gives out by itself (32768 and up), a stretch for each of
 * jest's workers. So nobody else takes one before whoever it is meant for listens on it.
 */
const PORTS = 2_000;
const firstPort = 10_000 + PORTS * (Number(process.env['JEST_WORKER_ID'] ?? 0) % 10);
const given = new Set<number>();

/** A port that is free right now, and that nobody else in this process was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(PORTS);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
