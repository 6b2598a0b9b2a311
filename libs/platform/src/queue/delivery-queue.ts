import type * as BullMq from 'bullmq';
import { monotonicMs, withTimeout } from '../clock/clock.js';
import type { RedisTarget } from '../config/redis-target.js';
import { errorMessage } from '../runtime/errors.js';
import type { Logger } from '../logging/logger.js';
import type { RedisConnection } from './connect-redis.js';
import { RedisHealth, type RedisProblem } from './redis-health.js';
import { queuePrefix, sharedPrefix } from './redis-prefix.js';

/** The injection token of the queue in Redis, which exists only with REDIS_URL. */
export const REDIS_DELIVERY_QUEUE = Symbol('delivery queue on Redis');

export const QUEUE_NAME = 'deliveries';

/** Maximum time to wait for a response from Redis, in ms. */
const RESPONSE_MS = 250;

const REPORT_EVERY_MS = 10_000;

/** A delivery, and the endpoint and project whose concurrency limits it counts toward. */
export interface DeliveryPointer {
  deliveryId: string;
  endpointId: string;
  /** Null for an event about the organization itself, which is delivered to an endpoint at organization level. */
  projectId: string | null;
}

/** A pointer to work. The work itself is stored in PostgreSQL. */
export interface DeliveryJob extends DeliveryPointer {
  /** The number of the attempt, starting at 1. */
  attempt: number;
}

interface ScheduledJob extends DeliveryJob {
  delayMs: number;
}

/** A job's data in Redis: one attempt, or several that are due at the same time. */
type JobData = DeliveryJob | DeliveryJob[];

/**
 * Maximum number of attempts in one job, so that several workers share the attempts of an event with many endpoints.
 */
const MAX_ATTEMPTS_PER_JOB = 20;

/** The parts of ioredis and BullMQ that the queue uses. Only a process with Redis loads these packages. */
interface Transport {
  target: RedisTarget;
  connection: RedisConnection;
  openQueue: (prefix: string) => Promise<BullMq.Queue>;
  workerClass: typeof BullMq.Worker;
  connectWorker: () => RedisConnection;
}

interface QueueWorker {
  worker: BullMq.Worker;
  connection: RedisConnection;
}

/**
 * Transports delivery jobs with BullMQ. Jobs can be lost, repeated or delayed without harm: every job is only a hint,
 * an attempt starts only with a claim in PostgreSQL, and the worker's due poller finds deliveries whose job was lost.
 * The class is also the queue's injection token. Its value is null without Redis.
 */
export class DeliveryQueue {
  private readonly health: RedisHealth;
  private queue: BullMq.Queue | undefined;
  private current: QueueWorker | undefined;
  private previous: QueueWorker | undefined;
  private lastReportAt = -Infinity;
  private stuckCheckTimer: NodeJS.Timeout | undefined;
  private lastJobAt = 0;
  private runningJobs = 0;

  constructor(
    private readonly transport: Transport,
    private readonly logger: Logger,
    private readonly stuckMs: number,
  ) {
    this.health = new RedisHealth(transport.connection, sharedPrefix(transport.target), logger);
  }

  /** Opens an installation's queue. Until then, Redis counts as unreachable. */
  async open(installationKey: string): Promise<void> {
    const prefix = queuePrefix(this.transport.target, installationKey);
    const queue = await this.transport.openQueue(prefix);
    queue.on('error', (error) => this.logQueueError(error));
    this.queue = queue;
    this.logger.info({ prefix }, 'Redis queue opened');
  }

  /** Returns whether Redis currently accepts jobs. */
  isReady(): boolean {
    return this.problem === null;
  }

  /** The reason why Redis currently does not accept jobs, or null. */
  get problem(): RedisProblem | null {
    return this.queue ? this.health.problem : 'unreachable';
  }

  /**
   * Enqueues each attempt as a job.
   * @throws Error if Redis is unavailable or does not respond within 250 ms
   */
  add(jobs: ScheduledJob[]): Promise<void> {
    return this.addBulk(jobs.map(({ delayMs, ...job }) => [job, delayMs]));
  }

  /**
   * Enqueues attempts that are due at the same time in as few jobs as possible.
   * @throws Error if Redis is unavailable or does not respond within 250 ms
   */
  addTogether(jobs: DeliveryJob[], delayMs: number): Promise<void> {
    const chunks = Array.from({ length: Math.ceil(jobs.length / MAX_ATTEMPTS_PER_JOB) }, (_, index) =>
      jobs.slice(index * MAX_ATTEMPTS_PER_JOB, (index + 1) * MAX_ATTEMPTS_PER_JOB),
    );
    return this.addBulk(chunks.map((chunk) => [chunk.length === 1 ? chunk[0]! : chunk, delayMs]));
  }

  /** Returns the number of jobs in Redis, or null if Redis does not respond within 250 ms. */
  countJobs(): Promise<number | null> {
    return this.countByType('wait', 'active', 'delayed', 'prioritized');
  }

  /** Starts processing the installation's jobs, `concurrency` at a time. */
  process(concurrency: number, handle: (job: DeliveryJob) => Promise<void>): void {
    const runAll = async ({ data }: BullMq.Job<JobData>): Promise<void> => {
      await Promise.all([data].flat().map(handle));
    };
    const run = async (job: BullMq.Job<JobData>): Promise<void> => {
      this.lastJobAt = monotonicMs();
      this.runningJobs += 1;
      await runAll(job).finally(() => (this.runningJobs -= 1));
    };
    this.startWorker(concurrency, run);
    // The previous version's processes add jobs under the prefix that all installations shared. The next version can
    // remove this line (docs/adr/0089-redis-keys-of-an-installation.md).
    this.previous = this.createWorker(sharedPrefix(this.transport.target), concurrency, runAll);
    this.stuckCheckTimer = setInterval(
      () => void this.replaceIfStuck(concurrency, run),
      this.stuckMs / 10,
    ).unref();
  }

  /**
   * Stops taking jobs and waits for running ones. If Redis is unavailable, BullMQ would wait for it, so the worker is
   * closed by force.
   */
  async drain(): Promise<void> {
    this.stopStuckCheck();
    const isForced = !this.isReady();
    await Promise.all([this.current?.worker.close(isForced), this.previous?.worker.close(isForced)]);
  }

  async close(): Promise<void> {
    this.stopStuckCheck();
    this.health.close();
    await this.queue?.close().catch(() => undefined);
    this.transport.connection.disconnect();
    for (const each of [this.current, this.previous]) each?.connection.disconnect();
  }

  private async addBulk(jobs: [data: JobData, delayMs: number][]): Promise<void> {
    // BullMQ would wait indefinitely for the first connection.
    if (!this.queue || !this.isReady()) throw new Error('Redis does not accept jobs');
    const added = this.queue.addBulk(
      jobs.map(([data, delayMs]) => {
        const { deliveryId, attempt } = [data].flat()[0]!;
        return {
          name: 'deliver',
          data,
          opts: {
            jobId: `${deliveryId}-${attempt}`,
            delay: Math.max(0, Math.round(delayMs)),
            removeOnComplete: true,
            removeOnFail: true,
          },
        };
      }),
    );
    await withTimeout(added, RESPONSE_MS, 'Redis did not respond in time');
  }

  private async countByType(...types: BullMq.JobType[]): Promise<number | null> {
    if (!this.queue || !this.isReady()) return null;
    const counted = this.queue.getJobCountByTypes(...types);
    return withTimeout(counted, RESPONSE_MS, 'Redis did not respond in time').catch(() => null);
  }

  private stopStuckCheck(): void {
    clearInterval(this.stuckCheckTimer);
    this.stuckCheckTimer = undefined;
  }

  private startWorker(concurrency: number, run: BullMq.Processor<JobData, void>): void {
    if (!this.queue) throw new Error('the queue is not open');
    this.current = this.createWorker(this.queue.opts.prefix!, concurrency, run);
    this.lastJobAt = monotonicMs();
  }

  private createWorker(
    prefix: string,
    concurrency: number,
    run: BullMq.Processor<JobData, void>,
  ): QueueWorker {
    const connection = this.transport.connectWorker();
    const worker = new this.transport.workerClass<JobData>(QUEUE_NAME, run, {
      connection,
      prefix,
      concurrency,
      // Detects a killed worker after about 20 s instead of 60 s. The lease in PostgreSQL applies in any case.
      lockDuration: 15_000,
      stalledInterval: 5_000,
      skipVersionCheck: true,
    });
    worker.on('error', (error) => this.logQueueError(error));
    return { worker, connection };
  }

  /**
   * Replaces the worker if it is stuck. After a Redis outage, a BullMQ worker sometimes takes no more jobs
   * (taskforcesh/bullmq #2466, #3185).
   */
  private async replaceIfStuck(concurrency: number, run: BullMq.Processor<JobData, void>): Promise<void> {
    const isIdle = this.isReady() && this.runningJobs < concurrency;
    const waiting = isIdle ? await this.countByType('wait') : 0;
    if (!waiting) this.lastJobAt = monotonicMs();
    if (!this.stuckCheckTimer || monotonicMs() - this.lastJobAt < this.stuckMs) return;
    this.logger.warn({ waiting }, 'queue worker replaced: jobs are waiting and none is being processed');
    const stuck = this.current;
    this.startWorker(concurrency, run);
    await stuck?.worker.close(true).catch(() => undefined);
    stuck?.connection.disconnect();
  }

  /**
   * Logs errors while Redis is available. Otherwise, the connection logs that it is lost, or `RedisHealth` logs why
   * Redis rejects writes.
   */
  private logQueueError(error: Error): void {
    if (!this.isReady() || monotonicMs() - this.lastReportAt < REPORT_EVERY_MS) return;
    this.lastReportAt = monotonicMs();
    this.logger.error({ reason: errorMessage(error) }, 'delivery queue failed; the due poller takes over');
  }
}
