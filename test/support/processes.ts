import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

const root = process.cwd();

export const entryPoints = {
  api: `${root}/dist/apps/api/src/main.js`,
  worker: `${root}/dist/apps/webhook-worker/src/main.js`,
};

/** A real process of the product, with what it has logged so far. */
export class HouseProcess {
  readonly log: Record<string, unknown>[] = [];
  output = '';
  private readonly child: ChildProcess;

  constructor(entryPoint: string, env: Record<string, string>) {
    this.child = spawn(process.execPath, [entryPoint], {
      env: { PATH: process.env['PATH']!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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

  /** Sends a signal and waits for the end. @returns the exit code, or null after a fatal signal */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isRunning) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }

  /** The exit code of a process that ends by itself. */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

/** A port that is free right now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
