import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntilListening, type ListeningProgram } from './listening-program.js';
import { freePort } from './server-process.mjs';
import type { TestInstance } from './test-instance.js';

/** An example from examples/, started by `npm run example` with an instance's keys. */
export class Example {
  private constructor(
    /** The URL without a trailing slash. */
    readonly url: string,
    private readonly program: ListeningProgram,
    /** Stops the example and removes its data. */
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * Starts an example. Resolves once it accepts connections.
   * @param name its folder in examples/
   * @throws Error if it ends first
   */
  static async start(name: string, instance: TestInstance): Promise<Example> {
    const port = String(await freePort());
    const url = `http://localhost:${port}`;
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-example-'));
    await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(instance.credentials));
    const child = spawn(process.execPath, ['scripts/example.mjs', name], {
      // The example consists of several processes. They form one process group and end together.
      detached: true,
      env: { PATH: process.env['PATH'], HOME: dataDir, DATA_DIR: dataDir, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    const stop = async (): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid!, 'SIGKILL');
        await exited;
      }
      await rm(dataDir, { recursive: true, force: true });
    };
    try {
      return new Example(url, await waitUntilListening(`the example ${name}`, child, url), stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** The output so far. */
  get output(): string {
    return this.program.output;
  }
}
