import type { Logger } from './logging/logger.js';
import type { TestCommands } from './test-commands.js';

/** Named places where a test lets a process kill itself. */
export type Failpoint =
  /** Of a transaction that makes deliveries, which none at boot does. */
  | 'delivery.before-commit'
  | 'delivery.before-enqueue'
  /** The target has answered. */
  | 'delivery.before-close';

/** Named places where a test holds what passes, until it releases it. */
export type HoldPoint =
  /** A password has a thread and is about to be hashed. */
  'password.before-hash';

/**
 * Places where a process kills itself with SIGKILL (FAILPOINTS) or waits for a test (the commands `hold` and `release`).
 * Both are refused in production.
 */
export class Failpoints {
  /** What waits at each place that is held. */
  private readonly waitingByName = new Map<string, (() => void)[]>();

  constructor(
    private readonly names: string[],
    private readonly logger: Logger,
    commands?: TestCommands,
  ) {
    commands?.on('hold', (name) => void this.waitingByName.set(name, this.waitingByName.get(name) ?? []));
    commands?.on('release', (name) => this.release(name));
    commands?.on('held', (name) => this.waitingByName.get(name)?.length ?? 0);
  }

  hit(name: Failpoint): void {
    if (!this.names.includes(name)) return;
    this.logger.warn({ failpoint: name }, 'failpoint reached');
    process.kill(process.pid, 'SIGKILL');
  }

  /** Resolves when the place is released; undefined when it is not held. */
  waitIfHeld(name: HoldPoint): Promise<void> | undefined {
    const waiting = this.waitingByName.get(name);
    return waiting && new Promise((resolve) => waiting.push(resolve));
  }

  /** Releases every place. */
  releaseAll(): void {
    for (const name of [...this.waitingByName.keys()]) this.release(name);
  }

  private release(name: string): void {
    const waiting = this.waitingByName.get(name) ?? [];
    this.waitingByName.delete(name);
    for (const proceed of waiting) proceed();
  }
}
