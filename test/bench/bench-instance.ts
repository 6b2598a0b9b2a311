import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { withProgramOptions } from '../../scripts/program-options.mjs';
import { eventually } from '../support/eventually.js';
import { TestInstance, type InstanceOptions, type Programs } from '../support/test-instance.js';

const instances = new Set<Promise<{ stop(): Promise<void> }>>();
let isStopping = false;

/**
 * An instance whose processes discard their logs: reading them, as tests do, would slow down the measured work.
 * Everything else is as in production, including the log level.
 */
export class BenchInstance {
  private readonly children = new Map<ChildProcess, string>();
  private isStopped = false;
  private constructor(readonly instance: TestInstance) {}

  /**
   * Starts the api, without workers.
   * @param prepare called before the measured api starts. It can change the instance's environment
   */
  static start(
    options: InstanceOptions,
    prepare: (instance: TestInstance) => Promise<void> = () => Promise.resolve(),
  ): Promise<BenchInstance> {
    if (isStopping) throw new Error('the benchmark is stopping');
    const starting = BenchInstance.boot(options, prepare);
    instances.add(starting);
    return starting;
  }

  private static async boot(
    options: InstanceOptions,
    prepare: (instance: TestInstance) => Promise<void>,
  ): Promise<BenchInstance> {
    const instance = await TestInstance.start({ ...options, workers: 0 });
    const bench = new BenchInstance(instance);
    // The first start created the keys. The measured api is a second process, whose log is discarded.
    await instance.api.stop();
    await prepare(instance);
    bench.spawn(instance.programs.api);
    await eventually('the api to be ready', () =>
      fetch(`${instance.baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return bench;
  }

  /**
   * Starts a worker.
   * @param env settings in addition to the instance's settings
   * @returns a function that stops it
   */
  startWorker(env: Record<string, string> = {}): () => Promise<void> {
    const child = this.spawn(this.instance.programs.worker, env);
    return () => this.end(child);
  }

  /** Returns the ids of a program's running processes. */
  pids(program: keyof Programs): number[] {
    const { [program]: path } = this.instance.programs;
    const running = [...this.children].filter(([, entryPoint]) => entryPoint === path);
    return running.map(([child]) => child.pid!);
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await Promise.all([...this.children.keys()].map((child) => this.end(child)));
    await this.instance.stop();
  }

  private spawn(entryPoint: string, more: Record<string, string> = {}): ChildProcess {
    const env = withProgramOptions({ PATH: process.env['PATH'], ...this.instance.env, ...more });
    // The IPC channel closes when the benchmark ends, which ends the child process as well.
    const child = spawn(process.execPath, [...profilingArguments(entryPoint), entryPoint], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.children.set(child, entryPoint);
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

/**
 * Returns the Node.js options that write a CPU profile. The folder BENCH_CPU_PROFILES contains a folder for each
 * program.
 */
const profilingArguments = (entryPoint: string): string[] => {
  const folder = process.env['BENCH_CPU_PROFILES'];
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${join(folder, basename(entryPoint, '.js'))}`] : [];
};

/** Registers an instance other than a `BenchInstance`, so that it is stopped when the run is aborted. */
export function stopOnExit<Stoppable extends { stop(): Promise<void> }>(
  starting: Promise<Stoppable>,
): Promise<Stoppable> {
  instances.add(starting);
  return starting;
}

/** Stops every running or starting instance and prevents new ones. */
export async function stopInstances(): Promise<void> {
  isStopping = true;
  await Promise.allSettled([...instances].map(async (starting) => (await starting).stop()));
}
