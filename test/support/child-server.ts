import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** Returns the path to a program that is usually not on the `PATH`, or undefined if it is not installed. */
export const findProgram = (name: string): string | undefined =>
  ['/usr/sbin', '/usr/bin', '/usr/local/bin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** A third-party server. A test writes its configuration to a new folder. */
export abstract class ChildServer {
  private readonly child: ChildProcess;

  /** @param folder contains the configuration. `stop` removes it */
  protected constructor(
    private readonly folder: string,
    [program, ...args]: string[],
    stdio: SpawnOptions['stdio'] = 'ignore',
  ) {
    this.child = spawn(program!, args, { cwd: folder, stdio });
  }

  /** Creates a server's folder. */
  protected static createFolder(name: string): Promise<string> {
    return mkdtemp(join(tmpdir(), `gatehouse-${name}-`));
  }

  /** Waits until the server responds. @throws Error if it ends first */
  protected async waitUntil(isReady: () => Promise<boolean>): Promise<this> {
    await eventually(`${this.constructor.name} to respond`, () => {
      const { exitCode } = this.child;
      if (exitCode !== null) throw new Error(`${this.constructor.name} ended with code ${exitCode}`);
      return isReady();
    });
    return this;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
