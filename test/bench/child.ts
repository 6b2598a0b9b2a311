import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Handlers = Record<string, (input: any) => unknown>;

interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}

const running = new Set<Child>();
let isStopping = false;

/**
 * A benchmark process that handles calls. It is separate, because measuring code must not share a thread with the
 * measured code.
 */
export class Child {
  private readonly process: ChildProcess;
  private readonly pending = new Map<number, (reply: Reply) => void>();
  private lastId = 0;

  /** @param name a file in this folder that calls `serve` */
  constructor(name: string) {
    if (isStopping) throw new Error('the benchmark is stopping');
    this.process = fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)));
    this.process.on('message', (reply: Reply) => this.pending.get(reply.id)?.(reply));
    this.process.once('exit', () => {
      running.delete(this);
      for (const settle of this.pending.values()) settle({ id: 0, error: `${name} ended` });
    });
    running.add(this);
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Calls a handler in the child process. @throws Error with the handler's message if it fails */
  async call<T = void>(name: string, input?: unknown): Promise<T> {
    const id = (this.lastId += 1);
    const reply = new Promise<Reply>((resolve) => this.pending.set(id, resolve));
    if (this.process.connected) this.process.send({ id, name, input });
    else this.pending.get(id)!({ id, error: `${name} was called on a process that has ended` });
    const { value, error } = await reply;
    this.pending.delete(id);
    if (error !== undefined) throw new Error(error);
    return value as T;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }
}

/** Stops every running child and prevents new ones. */
export async function stopChildren(): Promise<void> {
  isStopping = true;
  await Promise.all([...running].map((child) => child.stop()));
}

/** Handles calls from a `Child`. The process ends with its parent. */
export function serve(handlers: Handlers): void {
  process.on('disconnect', () => process.exit());
  // Ctrl-C signals every process in the terminal; the parent decides when to end.
  process.on('SIGINT', () => undefined);
  process.on('message', ({ id, name, input }: { id: number; name: string; input: unknown }) => {
    Promise.resolve()
      .then(() => handlers[name]!(input))
      .then(
        (value) => process.send!({ id, value }),
        (error: Error) => process.send!({ id, error: error.stack ?? error.message }),
      );
  });
}
