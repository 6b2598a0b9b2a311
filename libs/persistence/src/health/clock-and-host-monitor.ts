import { hostname } from 'node:os';
import {
  errorMessage,
  newId,
  splitHosts,
  withTimeout,
  type Config,
  type Logger,
  type Metrics,
} from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import { describeClockSkew, CLOCK_SKEW_LIMIT_MS, measureClockSkew } from './clock-skew.js';
import type {
  ProblemSource,
  ProcessProblem,
  ProcessProblemsRepository,
} from './process-problems.repository.js';
import { findWritableHosts } from './writable-hosts.js';

/** Pause between two checks, in ms. */
export const CLOCK_AND_HOST_CHECK_INTERVAL_MS = 60_000;

/** Maximum time in ms by which removing the problems may delay the shutdown. */
const END_TIMEOUT_MS = 1_000;

/**
 * Compares this process's clock with PostgreSQL's, and checks whether more than one host in DATABASE_URL accepts writes
 * (ADR 0095). Reports problems in the log and in metrics, and stores them in the database for alerts and the health
 * page.
 */
export class ClockAndHostMonitor {
  /** Time by which this process's clock is ahead of PostgreSQL's, in ms; null if it is unknown. */
  private clockSkewMs: number | null = null;
  /** The hosts in DATABASE_URL that accept writes; null if they are not checked. */
  private writableHosts: string[] | null = null;
  private problems: ProcessProblem[] = [];
  /** True if the database may contain problems of this process. */
  private mayHaveRecords = false;
  private readonly source: ProblemSource;

  constructor(
    private readonly database: Database,
    private readonly repository: ProcessProblemsRepository,
    private readonly config: Config,
    private readonly logger: Logger,
    service: ProblemSource['service'],
    metrics: Metrics | null,
  ) {
    this.source = { id: newId(), service, host: hostname() };
    metrics?.gauge(
      'gatehouse_clock_skew_seconds',
      'Time by which the clock of this process is ahead of PostgreSQL, negative if it is behind.',
      () => this.clockSkewMs && this.clockSkewMs / 1_000,
    );
    metrics?.gauge(
      'gatehouse_database_writable_hosts',
      'Number of servers in DATABASE_URL that accept writes. Reported only if DATABASE_URL has several hosts.',
      () => this.writableHosts && this.writableHosts.length,
    );
  }

  /** Performs both checks, and reports problems that have appeared or been resolved. Does not throw. */
  async check(): Promise<void> {
    await Promise.all([this.checkClock(), this.checkHosts()]);
    await this.record();
  }

  /** Deletes this process's problem records. */
  async end(): Promise<void> {
    if (!this.mayHaveRecords) return;
    const removed = this.repository.record(this.source, []);
    await withTimeout(removed, END_TIMEOUT_MS, 'PostgreSQL did not respond').catch(() => undefined);
  }

  private async record(): Promise<void> {
    const hasProblems = this.problems.length > 0;
    if (!hasProblems && !this.mayHaveRecords) return;
    this.mayHaveRecords = true;
    try {
      await this.repository.record(this.source, this.problems);
      this.mayHaveRecords = hasProblems;
    } catch (error) {
      this.logger.warn({ reason: errorMessage(error) }, 'process problems not recorded');
    }
  }

  private async checkClock(): Promise<void> {
    const skewMs = await measureClockSkew(this.database).catch(() => null);
    this.clockSkewMs = skewMs;
    // A database outage does not end a clock problem.
    if (skewMs === null) return;
    const isSkewed = Math.abs(skewMs) >= CLOCK_SKEW_LIMIT_MS;
    const change = this.change('clock_skew', isSkewed ? describeClockSkew(skewMs) : null);
    const fields = { skewMs: Math.round(skewMs) };
    if (change === 'began') this.logger.warn(fields, 'clock differs from the clock of PostgreSQL');
    else if (change === 'ended') this.logger.info(fields, 'clock agrees with the clock of PostgreSQL again');
  }

  private async checkHosts(): Promise<void> {
    const { url, pooler } = this.config.database;
    if (pooler !== 'none' || splitHosts(url!).length === 1) return;
    const hosts = await findWritableHosts(url!);
    this.writableHosts = hosts;
    const change = this.change('two_writable_hosts', hosts.length > 1 ? hosts.join(', ') : null);
    if (change === 'began') this.logger.error({ hosts }, 'more than one host in DATABASE_URL accepts writes');
    else if (change === 'ended') this.logger.info({ hosts }, 'DATABASE_URL has only one writable host again');
  }

  /** Adds, updates or removes a problem. @param detail null to remove it */
  private change(kind: ProcessProblem['kind'], detail: string | null): 'began' | 'ended' | null {
    const existed = this.problems.some((problem) => problem.kind === kind);
    this.problems = this.problems.filter((problem) => problem.kind !== kind);
    if (detail !== null) this.problems.push({ kind, detail });
    if (existed === (detail !== null)) return null;
    return existed ? 'ended' : 'began';
  }
}
