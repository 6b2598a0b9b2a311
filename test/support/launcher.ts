import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';

/**
 * A process started by `npm start`: the launcher with its embedded PostgreSQL, in a folder with a space in its name.
 */
export class Launcher {
  output = '';
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
  }

  static start(env: Record<string, string>, command = [process.execPath, 'scripts/start.mjs']): Launcher {
    const child = spawn(command[0]!, command.slice(1), {
      env: { PATH: process.env['PATH']!, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Launcher(child);
  }

  async waitForBanner(): Promise<string> {
    await eventually(
      'the banner',
      () => this.output.includes('Press Ctrl-C') || this.child.exitCode !== null,
    );
    if (this.child.exitCode !== null) throw new Error(this.output);
    return this.output;
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
    return this.child.exitCode;
  }

  async waitForExit(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}
