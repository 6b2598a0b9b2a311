import type { Config, DeliveryQueue, HealthReport } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { BacklogRepository } from './backlog.repository.js';
import { cacheReads } from './cached-reads.js';

export const readinessStatuses = ['ready', 'degraded', 'unavailable'] as const;
export type ReadinessStatus = (typeof readinessStatuses)[number];

/** Time between two checks of a started process, in ms. */
export const DEPENDENCY_CHECK_INTERVAL_MS = 1_000;

/**
 * Tracks the states of the servers that a process depends on (ADR 0094). They are read from memory, so that a hung
 * server does not delay probes.
 */
export class DependencyHealth {
  /** Number of failing emails (ADR 0091); null if PostgreSQL did not return it. */
  private failingMails: number | null = null;
  private readonly countFailingMails;

  constructor(
    private readonly database: Database,
    private readonly queue: DeliveryQueue | null,
    private readonly config: Config,
    backlog: BacklogRepository,
  ) {
    this.countFailingMails = cacheReads(() => backlog.countFailingMails());
  }

  /** Updates the states that come from PostgreSQL. Does not throw. Can take as long as two statement timeouts. */
  async check(): Promise<void> {
    await this.database.check();
    if (this.database.problem || this.config.mail.smtpUrl === null) return;
    this.failingMails = await this.countFailingMails().catch(() => null);
  }

  /**
   * Returns the readiness of a started process: `degraded` without PostgreSQL or the configured Redis, `unavailable`
   * if statements would return wrong results.
   */
  readReadiness(): ReadinessStatus {
    if (this.database.problem === 'wrong_settings') return 'unavailable';
    return this.database.problem || this.queue?.isReady() === false ? 'degraded' : 'ready';
  }

  /**
   * Returns each dependency's state: `ok`, `not_configured`, or a problem.
   * @param readiness the process's readiness
   * @param components states of components that only this process can report
   */
  read(readiness: ReadinessStatus, components: Readonly<Record<string, string>> = {}): HealthReport {
    const all = {
      postgresql: this.database.problem ?? 'ok',
      redis: this.queue ? (this.queue.problem ?? 'ok') : 'not_configured',
      mail: this.readMailState(),
      ...components,
    };
    const hasProblem = Object.values(all).some((state) => !['ok', 'not_configured'].includes(state));
    return { status: readiness === 'ready' && hasProblem ? 'degraded' : readiness, components: all };
  }

  private readMailState(): string {
    if (this.config.mail.smtpUrl === null) return 'not_configured';
    if (this.database.problem || this.failingMails === null) return 'unknown';
    return this.failingMails > 0 ? 'failing' : 'ok';
  }
}
