import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './server-process.mjs';
import type { TestInstance } from './test-instance.js';

/** An example of examples/, started by `npm run example` with the keys of an instance. */
export class Example {
  /** Everything that it has written so far. */
  output = '';
  private readonly exited: Promise<unknown>;

  private constructor(
    /** URL without a trailing slash. */
    readonly url: string,
    private readonly dataDir: string,
    private readonly child: ReturnType<typeof spawn>,
  ) {
    this.exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /**
   * Starts an example. Resolves once it accepts connections.
   * @param name folder in examples/
   * @throws Error if it ends before
   */
  static async start(
    name: string,
    instance: TestInstance,
    env: Record<string, string> = {},
  ): Promise<Example> {
    const port = String(await freePort());
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-example-'));
    await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(instance.credentials));
    const child = spawn(process.execPath, ['scripts/example.mjs', name], {
      // The example consists of several processes, which end together as the group of the first one.
      detached: true,
      env: { PATH: process.env['PATH'], HOME: dataDir, DATA_DIR: dataDir, PORT: port, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const example = new Example(`http://localhost:${port}`, dataDir, child);
    await eventually(`the example ${name} to listen`, async () => {
      if (child.exitCode !== null) throw new Error(example.output);
      return fetch(example.url).then(
        () => true,
        () => false,
      );
    });
    return example;
  }

  /** Stops the example and removes its data. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      process.kill(-this.child.pid!, 'SIGKILL');
      await this.exited;
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
