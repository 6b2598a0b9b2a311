import type { Logger } from './logging/logger.js';

/** Named places where a test lets a process kill itself. */
export type Failpoint =
  /** Of a transaction that makes deliveries, which none at boot does. */
  | 'delivery.before-commit'
  | 'delivery.before-enqueue'
  /** The target has answered. */
  | 'delivery.before-close';

/** Kills this process with SIGKILL at the places that FAILPOINTS names; refused in production. */
export class Failpoints {
  constructor(
    private readonly names: string[],
    private readonly logger: Logger,
  ) {}

  hit(name: Failpoint): void {
    if (!this.names.includes(name)) return;
    this.logger.warn({ failpoint: name }, 'failpoint reached');
    process.kill(process.pid, 'SIGKILL');
  }
}
