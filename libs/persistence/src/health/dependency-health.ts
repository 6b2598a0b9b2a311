import { now, type Config, type DeliveryQueue, type HealthReport } from '@gatehouse/platform';
import { cacheReads } from '../cached-reads.js';
import type { Database } from '../database.js';
import type { SystemStatusRepository } from './system-status.repository.js';

export const readinessStatuses = ['ready', 'degraded', 'unavailable'] as const;
export type ReadinessStatus = (typeof readinessStatuses)[number];

/** Age in ms from which a pending email is reported. */
const MAX_MAIL_AGE_MS = 300_000;

/** The states of the servers on which a process depends (ADR 0094). */
export class DependencyHealth {
  private readonly readSystemStatus;

  constructor(
    private readonly database: Database,
    private readonly queue: DeliveryQueue | null,
    private readonly config: Config,
    systemStatus: SystemStatusRepository,
  ) {
    this.readSystemStatus = cacheReads(() => systemStatus.read());
  }

  /**
   * Returns the readiness of a process that has started: `degraded` without PostgreSQL or the Redis that is configured,
   * `unavailable` if statements would return wrong results. Does not wait for a server.
   */
  readReadiness(): ReadinessStatus {
    if (this.database.problem === 'wrong_settings') return 'unavailable';
    return this.database.problem || this.queue?.isReady() === false ? 'degraded' : 'ready';
  }

  /**
   * Returns the state of each dependency: `ok`, `not_configured`, or a problem.
   * @param readiness of the process
   * @param components that only this process knows
   */
  async read(
    readiness: ReadinessStatus,
    components: Readonly<Record<string, string>> = {},
  ): Promise<HealthReport> {
    const all = {
      postgresql: this.database.problem ?? 'ok',
      redis: this.queue ? (this.queue.problem ?? 'ok') : 'not_configured',
      mail: await this.readMailState(),
      ...components,
    };
    const hasProblem = Object.values(all).some((state) => !['ok', 'not_configured'].includes(state));
    return { status: readiness === 'ready' && hasProblem ? 'degraded' : readiness, components: all };
  }

  /** Returns whether emails are sent, from the age of the oldest pending one. */
  private async readMailState(): Promise<string> {
    if (this.config.mail.smtpUrl === null) return 'not_configured';
    const status = await this.readSystemStatus().catch(() => null);
    if (!status) return 'unknown';
    const { oldestMailAt } = status;
    return oldestMailAt && now().getTime() - oldestMailAt.getTime() > MAX_MAIL_AGE_MS ? 'delayed' : 'ok';
  }
}
