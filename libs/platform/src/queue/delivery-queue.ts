import type * as BullMq from 'bullmq';
import type { Redis } from 'ioredis';
import { monotonicMs, withTimeout } from '../clock/clock.js';
import { errorMessage } from '../errors.js';
import type { Logger } from '../logging/logger.js';
import { connectRedis } from './redis.js';

const QUEUE_NAME = 'deliveries';
const PREFIX = 'gatehouse';

/** Longest time that anybody waits for an answer of Redis, in ms. */
const ANSWER_MS = 250;

const REPORT_EVERY_MS = 10_000;

/** How long jobs may wait while none is taken, before the worker that should take them is replaced, in ms. */
const STUCK_MS = 60_000;

/** A delivery, and whose room in flight it takes. */
export interface DeliveryPointer {
  deliveryId: string;
  endpointId: string;
  /** Null for what goes to an endpoint of organization level about the organization itself. */
  projectId: string | null;
}

/** A pointer to work; the work itself stands in PostgreSQL. */
export interface DeliveryJob extends DeliveryPointer {
  /** The attempt to be made, starting at 1. */
  attempt: number;
}

interface ScheduledJob extends DeliveryJob {
  delayMs: number;
}

/**
 * The carrier of delivery jobs: BullMQ on Redis. It may lose, repeat or delay jobs without harm, because every
 * job is only a hint that the claim in PostgreSQL judges, and the worker's due source finds what got lost.
 */
export class DeliveryQueue {
  private readonly connection: Redis;
  private readonly queue: BullMq.Queue;
  private worker: BullMq.Worker | undefined;
  private workerConnection: Redis | undefined;
  private reportedAt = -Infinity;
  private watch: NodeJS.Timeout | undefined;
  private takenAt = 0;
  private running = 0;

  private constructor(
    private readonly bullMq: typeof BullMq,
    private readonly redisUrl: string,
    private readonly logger: Logger,
    private readonly stuckMs: number,
  ) {
    this.connection = connectRedis(redisUrl, logger, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    this.queue = new bullMq.Queue(QUEUE_NAME, {
      connection: this.connection,
      prefix: PREFIX,
      skipVersionCheck: true,
    });
    this.queue.on('error', (error) => this.report(error));
  }

  /**
   * Loads BullMQ, which a house without Redis is spared.
   * @param stuckMs how long jobs may wait while none is taken
   */
  static async load(redisUrl: string, logger: Logger, stuckMs = STUCK_MS): Promise<DeliveryQueue> {
    return new DeliveryQueue(await import('bullmq'), redisUrl, logger, stuckMs);
  }

  /** Whether Redis takes jobs right now. */
  ready(): boolean {
    return this.connection.status === 'ready';
  }

  /** @throws Error when Redis is away or does not answer within 250 ms */
  async add(jobs: ScheduledJob[]): Promise<void> {
    // BullMQ waits for ever before the first connect, so it is asked only while Redis is there.
    if (!this.ready()) throw new Error('Redis is not reachable');
    const added = this.queue.addBulk(
      jobs.map(({ delayMs, ...job }) => ({
        name: 'deliver',
        data: job satisfies DeliveryJob,
        opts: {
          jobId: `${job.deliveryId}-${job.attempt}`,
          delay: Math.max(0, Math.round(delayMs)),
          removeOnComplete: true,
          removeOnFail: true,
        },
      })),
    );
    await withTimeout(added, ANSWER_MS, 'Redis did not respond in time');
  }

  /** How many jobs Redis holds; null when it does not say within 250 ms. */
  size(): Promise<number | null> {
    return this.count('wait', 'active', 'delayed', 'prioritized');
  }

  /** Starts to take jobs, `concurrency` at a time. */
  process(concurrency: number, handle: (job: DeliveryJob) => Promise<void>): void {
    const run = async ({ data }: BullMq.Job<DeliveryJob>): Promise<void> => {
      this.takenAt = monotonicMs();
      this.running += 1;
      await handle(data).finally(() => (this.running -= 1));
    };
    this.startWorker(concurrency, run);
    this.watch = setInterval(() => void this.replaceIfStuck(concurrency, run), this.stuckMs / 10).unref();
  }

  /** Stops taking jobs and waits for those in hand; BullMQ itself would wait for an absent Redis as well. */
  async drain(): Promise<void> {
    this.stopWatching();
    await this.worker?.close(!this.ready());
  }

  async close(): Promise<void> {
    this.stopWatching();
    await this.queue.close().catch(() => undefined);
    this.connection.disconnect();
    this.workerConnection?.disconnect();
  }

  private async count(...types: BullMq.JobType[]): Promise<number | null> {
    if (!this.ready()) return null;
    const counted = this.queue.getJobCountByTypes(...types);
    return withTimeout(counted, ANSWER_MS, 'Redis did not respond in time').catch(() => null);
  }

  private stopWatching(): void {
    clearInterval(this.watch);
    this.watch = undefined;
  }

  private startWorker(concurrency: number, run: BullMq.Processor<DeliveryJob, void>): void {
    this.workerConnection = connectRedis(this.redisUrl, this.logger, { maxRetriesPerRequest: null });
    this.worker = new this.bullMq.Worker<DeliveryJob>(QUEUE_NAME, run, {
      connection: this.workerConnection,
      prefix: PREFIX,
      concurrency,
      // A killed worker is noticed after about 20 s instead of 60; the lease in PostgreSQL decides anyway.
      lockDuration: 15_000,
      stalledInterval: 5_000,
      skipVersionCheck: true,
    });
    this.worker.on('error', (error) => this.report(error));
    this.takenAt = monotonicMs();
  }

  /** BullMQ's worker has been seen to take nothing more once Redis was back (taskforcesh/bullmq #2466, #3185). */
  private async replaceIfStuck(concurrency: number, run: BullMq.Processor<DeliveryJob, void>): Promise<void> {
    const isIdle = this.ready() && this.running < concurrency;
    const waiting = isIdle ? await this.count('wait') : 0;
    if (!waiting) this.takenAt = monotonicMs();
    if (!this.watch || monotonicMs() - this.takenAt < this.stuckMs) return;
    this.logger.warn({ waiting }, 'queue worker replaced: jobs are waiting and none is being processed');
    const [worker, connection] = [this.worker, this.workerConnection];
    this.startWorker(concurrency, run);
    await worker?.close(true).catch(() => undefined);
    connection?.disconnect();
  }

  /** What BullMQ complains about while Redis is there, such as a full memory; its absence the connection tells. */
  private report(error: Error): void {
    if (!this.ready() || monotonicMs() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = monotonicMs();
    this.logger.error({ reason: errorMessage(error) }, 'delivery queue failed; the due poller takes over');
  }
}
