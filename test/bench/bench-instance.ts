import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually.js';
import { TestInstance, type InstanceOptions } from '../support/test-instance.js';
import { entryPoints } from '../support/server-process.mjs';

const instances = new Set<Promise<{ stop(): Promise<void> }>>();
let isStopping = false;

/**
 * An instance whose processes write their log to nowhere: reading it, as the tests do, would take time from what
 * is measured. Everything else is as in production, the log's level included.
 */
export class BenchInstance {
  private readonly children = new Set<ChildProcess>();
  private isStopped = false;
  private constructor(readonly instance: TestInstance) {}

  /** Brings up the api; workers are started by `startWorker`. */
  static start(options: InstanceOptions): Promise<BenchInstance> {
    if (isStopping) throw new Error('the run is over');
    const starting = BenchInstance.boot(options);
    instances.add(starting);
    return starting;
  }

  private static async boot(options: InstanceOptions): Promise<BenchInstance> {
    const instance = await TestInstance.start({ ...options, workers: 0 });
    const bench = new BenchInstance(instance);
    // The first start made the keys; the second has the api to itself.
    await instance.api.stop();
    bench.spawn(entryPoints.api);
    await eventually('the api being ready', () =>
      fetch(`${instance.baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return bench;
  }

  /** @returns how to stop it */
  startWorker(): () => Promise<void> {
    const child = this.spawn(entryPoints.worker);
    return () => this.end(child);
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await Promise.all([...this.children].map((child) => this.end(child)));
    await this.instance.stop();
  }

  private spawn(entryPoint: string): ChildProcess {
    const env = { PATH: process.env['PATH']!, ...this.instance.env };
    // The channel tells the process when the benchmark is gone.
    const child = spawn(process.execPath, [...profilingArguments(), entryPoint], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.children.add(child);
    return child;
  }

  private async end(child: ChildProcess): Promise<void> {
    this.children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}

/** `BENCH_CPU_PROFILES=<folder>` makes every process of the product leave a profile there. */
const profilingArguments = (): string[] => {
  const folder = process.env['BENCH_CPU_PROFILES'];
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
};

/** Has an instance that is no `BenchInstance` stopped as well when the run is broken off. */
export function stopOnExit<TestInstance extends { stop(): Promise<void> }>(
  starting: Promise<TestInstance>,
): Promise<TestInstance> {
  instances.add(starting);
  return starting;
}

/** Stops every instance that still stands, or is about to; from then on there are no new ones. */
export async function stopInstances(): Promise<void> {
  isStopping = true;
  await Promise.allSettled([...instances].map(async (starting) => (await starting).stop()));
}
