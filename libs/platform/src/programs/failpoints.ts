import type { Logger } from '../logging/logger.js';
import type { TestCommands } from './test-commands.js';

/** Points at which a test can cause a process to kill itself. */
export type Failpoint =
  /** Before a transaction that creates deliveries is committed. Transactions at startup create none. */
  | 'delivery.before-commit'
  | 'delivery.before-enqueue'
  /** After the receiver's response, before the outcome is recorded. */
  | 'delivery.before-record'
  /** Between two committed batches of an encrypted column. */
  | 'reencrypt.between-batches';

/** Points at which a test can pause callers until it releases them. */
export type HoldPoint =
  /** A password has been assigned a thread and is about to be hashed. */
  'password.before-hash';

/**
 * Points at which a process kills itself with SIGKILL (FAILPOINTS), or waits for a test (the commands `hold` and
 * `release`). Production rejects both.
 */
export class Failpoints {
  /** The waiting callers, by held point. */
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

  /** Returns a promise that resolves when the point is released, or undefined if the point is not held. */
  waitIfHeld(name: HoldPoint): Promise<void> | undefined {
    const waiting = this.waitingByName.get(name);
    return waiting && new Promise((resolve) => waiting.push(resolve));
  }

  /** Releases every point. */
  releaseAll(): void {
    for (const name of [...this.waitingByName.keys()]) this.release(name);
  }

  private release(name: string): void {
    const waiting = this.waitingByName.get(name) ?? [];
    this.waitingByName.delete(name);
    for (const proceed of waiting) proceed();
  }
}
