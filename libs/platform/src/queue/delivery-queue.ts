import { Queue, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { monotonicMs, withTimeout } from '../clock/clock.js';
import { errorMessage } from '../errors.js';
import type { Logger } from '../logging/logger.js';
import { connectRedis } from './redis.js';

const QUEUE_NAME = 'deliveries';
const PREFIX = 'gatehouse';

/** Longest time that anybody waits for Redis to take a job, in ms. */
const ADD_TIMEOUT_MS = 250;

const REPORT_EVERY_MS = 10_000;

/** A pointer to work; the work itself stands in PostgreSQL. */
export interface DeliveryJob {
  deliveryId: string;
  /** The attempt to be made, starting at 1. */
  attempt: number;
}

interface ScheduledJob extends DeliveryJob {
  delayMs: number;
}

/**
 * The carrier of delivery jobs: BullMQ on Redis. It may lose, repeat or delay jobs without harm, because every
 * job is only a hint that the claim in PostgreSQL judges, and the sweeper finds what got lost.
 */
export class DeliveryQueue {
  private readonly connection: Redis;
  private readonly queue: Queue;
  private worker: Worker | undefined;
  private workerConnection: Redis | undefined;
  private reportedAt = -Infinity;

  constructor(
    private readonly redisUrl: string,
    private readonly logger: Logger,
  ) {
    this.connection = connectRedis(redisUrl, logger, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    this.queue = new Queue(QUEUE_NAME, {
      connection: this.connection,
      prefix: PREFIX,
      skipVersionCheck: true,
    });
    this.queue.on('error', (error) => this.report(error));
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
      jobs.map(({ deliveryId, attempt, delayMs }) => ({
        name: 'deliver',
        data: { deliveryId, attempt } satisfies DeliveryJob,
        opts: {
          jobId: `${deliveryId}-${attempt}`,
          delay: Math.max(0, Math.round(delayMs)),
          removeOnComplete: true,
          removeOnFail: true,
        },
      })),
    );
    await withTimeout(added, ADD_TIMEOUT_MS, 'Redis did not answer in time');
  }

  /** Starts to take jobs, `concurrency` at a time. */
  process(concurrency: number, handle: (job: DeliveryJob) => Promise<void>): void {
    this.workerConnection = connectRedis(this.redisUrl, this.logger, { maxRetriesPerRequest: null });
    this.worker = new Worker<DeliveryJob>(QUEUE_NAME, (job: Job<DeliveryJob>) => handle(job.data), {
      connection: this.workerConnection,
      prefix: PREFIX,
      concurrency,
      // A killed worker is noticed after about 20 s instead of 60; the lease in PostgreSQL decides anyway.
      lockDuration: 15_000,
      stalledInterval: 5_000,
      skipVersionCheck: true,
    });
    this.worker.on('error', (error) => this.report(error));
  }

  /** Stops taking jobs and waits for those in hand; BullMQ itself would wait for an absent Redis as well. */
  async drain(): Promise<void> {
    await this.worker?.close(!this.ready());
  }

  async close(): Promise<void> {
    await this.queue.close().catch(() => undefined);
    this.connection.disconnect();
    this.workerConnection?.disconnect();
  }

  /** What BullMQ complains about while Redis is there, such as a full memory; its absence the connection tells. */
  private report(error: Error): void {
    if (!this.ready() || monotonicMs() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = monotonicMs();
    this.logger.error({ reason: errorMessage(error) }, 'the delivery queue failed; the sweeper takes over');
  }
}
