import { Redis } from 'ioredis';
import { adminUrl } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { insertProject } from '../support/tenants.js';
import type { Queue, TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import { fillBacklog, readSampleBody } from './deliveries.js';
import { UsageMeter, type Usage } from './process-usage.js';
import type { ClosedLoop, OpenLoop, Publication, PublishTarget, Responses } from './publishers.js';
import { serverPids } from './servers.js';
import {
  countNotifications,
  prepareTracking,
  readBackends,
  readRedisUse,
  readStatements,
  resetStatements,
  setTracking,
  type Program,
  type RedisUse,
  type StatementUse,
} from './statements.js';

/** The process groups whose resource usage is measured. The last two belong to the benchmark. */
export const processGroups = ['api', 'worker', 'PostgreSQL', 'Redis', 'client', 'receiver'] as const;
export type ProcessGroup = (typeof processGroups)[number];

/** Resource usage while a number of events is handled. */
export interface Measurement {
  events: number;
  seconds: number;
  usage: Record<ProcessGroup, Usage>;
  /** Number of transactions that wrote data. */
  transactions: number;
  walBytes: number;
  /** Milliseconds from each response until the event arrives. Defined only for a steady load. */
  delays?: number[];
  /** Defined only for a tracked instance. */
  tracked?: Tracked;
}

/** The statements, messages and commands that the programs send to PostgreSQL and Redis. */
export interface Tracked {
  statements: StatementUse[];
  /** Number of messages to the workers, by sender. */
  notifications: Record<Program, number>;
  /** Usage of the PostgreSQL processes that serve each program. */
  backends: Record<Program, Usage>;
  redis: RedisUse | null;
}

/** Endpoints, and the publishers of their events. */
export interface Targets {
  publication: Publication;
  endpointIds: string[];
  publishers: PublishTarget[];
  /** Number of endpoints that receive each event. */
  fanOut: number;
}

interface TargetOptions {
  publication: Publication;
  /** Each project has its own key and customers. */
  projects?: number;
  /** Endpoints per project; each receives every event in the project. */
  fanOut?: number;
}

/** Concurrent requests in a closed loop. */
export const PUBLISHERS = 16;

const CUSTOMERS = 100;
/** Deliveries per worker that are not counted: they include startup, compilation and first connections. */
const BACKLOG_WARM_UP = 2_000;
/** Number of probes while waiting for the last outcome: five minutes. */
const SETTLE_PROBES = 12_000;

const eventTypes: Record<Publication, string> = { patch: 'customer.updated', custom: 'app.*' };

/** An instance with a receiver and publishers, each in its own process. */
export class EventsBench {
  private readonly receiver = new Child('receiver');
  private readonly publishers = new Child('publishers');
  private url = '';
  private body = '';
  private stopWorkers: (() => Promise<void>)[] = [];
  /** Worker settings in a tracked instance. */
  private workerEnv: Record<string, string> = {};

  private constructor(
    private readonly bench: BenchInstance,
    private readonly isTracked: boolean,
  ) {}

  /** @param isTracked true to count statements, which takes some CPU time */
  static async start(queue: Queue, isTracked = false): Promise<EventsBench> {
    await setTracking(isTracked);
    // The publishers share an IP address and a few keys, so rate limits would slow them down.
    const env = { RATE_LIMITS: 'off' };
    const events = new EventsBench(await BenchInstance.start({ queue, env }), isTracked);
    events.url = await events.receiver.call<string>('listenForMarks');
    events.body = await readSampleBody(events.instance);
    if (isTracked) {
      const { instance } = events;
      const url = await prepareTracking((text) => instance.sql(text), instance.env['DATABASE_URL']!);
      events.workerEnv = { DATABASE_URL: url };
    }
    if (events.hasRedis) await events.withRedis((redis) => redis.config('SET', 'appendonly', 'yes'));
    return events;
  }

  get hasRedis(): boolean {
    return this.instance.env['REDIS_URL'] !== undefined;
  }

  get superuserUrl(): string {
    return adminUrl(this.instance.env['DATABASE_URL']!);
  }

  async stop(): Promise<void> {
    if (this.hasRedis) await this.withRedis((redis) => redis.config('SET', 'appendonly', 'no'));
    await Promise.all([this.receiver.stop(), this.publishers.stop(), this.bench.stop()]);
  }

  /** Stops the running workers and starts `count` new ones. */
  async startWorkers(count: number): Promise<void> {
    await Promise.all(this.stopWorkers.splice(0).map((stop) => stop()));
    while (this.stopWorkers.length < count) this.stopWorkers.push(this.bench.startWorker(this.workerEnv));
  }

  /** Creates projects with customers, and endpoints for their events. */
  async createTargets({ publication, projects = 1, fanOut = 1 }: TargetOptions): Promise<Targets> {
    const targets: Targets = { publication, endpointIds: [], publishers: [], fanOut };
    for (let index = 0; index < projects; index += 1) {
      const { secretKey } = await insertProject(this.instance, this.instance.credentials.organizationId);
      for (let endpoint = 0; endpoint < fanOut; endpoint += 1)
        targets.endpointIds.push(await this.createEndpoint(secretKey, eventTypes[publication]));
      for (let customer = 0; customer < CUSTOMERS / projects; customer += 1)
        targets.publishers.push({ secretKey, customerId: await this.createCustomer(secretKey, customer) });
    }
    return targets;
  }

  /** Deletes the endpoints, so that they receive nothing from later measurements. */
  async removeTargets({ endpointIds }: Targets): Promise<void> {
    await this.instance.sql(`UPDATE webhook_endpoints SET status = 'deleted' WHERE id = ANY ($1)`, [
      endpointIds,
    ]);
  }

  /** Publishes events without measuring, with one worker: compiled code is several times faster. */
  async warmUp(targets: Targets, total: number): Promise<void> {
    if (this.stopWorkers.length !== 1) await this.startWorkers(1);
    await this.publishAll(targets, Math.ceil(total / targets.fanOut));
  }

  /** Publishes as fast as the api responds, and waits until the last delivery has arrived and is recorded. */
  async publishAll(targets: Targets, total: number): Promise<Measurement> {
    const input: ClosedLoop = { ...this.publishing(targets), publishers: PUBLISHERS, total };
    let publishing: Promise<void>;
    const measured = await this.measure(total, async () => {
      publishing = this.publishers.call('publishAll', input);
      const outcomes = this.waitForOutcomes(total * targets.fanOut);
      // autocannon reports a failed request immediately, but notices only once a second that all requests are done.
      await Promise.race([outcomes, publishing.then(() => outcomes)]);
    });
    await publishing!;
    return measured;
  }

  /** Publishes at a steady rate, and measures the delay from each response to the arrival of its event. */
  async publishSteadily(targets: Targets, perSecond: number, seconds: number): Promise<Measurement> {
    const input: OpenLoop = { ...this.publishing(targets), perSecond, seconds };
    let responses: Responses = [];
    const measured = await this.measure(perSecond * seconds, async () => {
      responses = await this.publishers.call<Responses>('publishSteadily', input);
      await this.waitForOutcomes(responses.length);
    });
    const arrivals = new Map(await this.receiver.call<[string, number][]>('marks'));
    // A delivery can arrive before the response to the request that caused it.
    const delays = responses.map(([mark, at]) => Math.max(0, arrivals.get(mark)! - at));
    return { ...measured, delays };
  }

  /** Inserts due deliveries while no worker runs, and measures how workers drain them. */
  async drainBacklog({ endpointIds }: Targets, workers: number, total: number): Promise<Measurement> {
    await this.startWorkers(0);
    await this.receiver.call('reset');
    const warmUp = Math.min(BACKLOG_WARM_UP * workers, Math.floor(total / 2));
    await fillBacklog(this.instance, { endpointIds, body: this.body, count: total });
    await this.startWorkers(workers);
    await this.receiver.call('waitFor', warmUp);
    return this.measure(total - warmUp, () => this.waitForOutcomes(total), { isReset: true });
  }

  /** Calls `work` with a connection to the instance's Redis database. */
  private async withRedis<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    const redis = new Redis(this.instance.env['REDIS_URL']!);
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  private get instance(): TestInstance {
    return this.bench.instance;
  }

  private publishing({
    publication,
    publishers,
  }: Targets): Pick<OpenLoop, 'baseUrl' | 'publication' | 'targets'> {
    return { baseUrl: this.instance.baseUrl, publication, targets: publishers };
  }

  private async createEndpoint(secretKey: string, type: string): Promise<string> {
    const body = { url: this.url, events: [type] };
    const response = await this.instance.requestWithBearer(secretKey, 'POST', '/v1/webhooks/endpoints', body);
    if (response.status !== 201)
      throw new Error(`endpoint was not created: ${JSON.stringify(response.body)}`);
    const id = response.body.data.id as string;
    return id.slice(id.indexOf('_') + 1);
  }

  private async createCustomer(secretKey: string, index: number): Promise<string> {
    const body = { email: `bench-${index}@example.com` };
    const response = await this.instance.requestWithBearer(secretKey, 'POST', '/api/v1/customers', body);
    if (response.status !== 201)
      throw new Error(`customer was not created: ${JSON.stringify(response.body)}`);
    return response.body.id as string;
  }

  private async waitForOutcomes(deliveries: number): Promise<void> {
    await this.receiver.call('waitFor', deliveries);
    await eventually(
      'the outcome of every delivery',
      async () => {
        const [row] = await this.instance.sql<{ isPending: boolean }>(
          `SELECT EXISTS (SELECT FROM deliveries WHERE state = 'pending') AS "isPending"`,
        );
        return !row!.isPending;
      },
      SETTLE_PROBES,
    );
  }

  private async measure(
    events: number,
    work: () => Promise<void>,
    { isReset = false } = {},
  ): Promise<Measurement> {
    if (!isReset) await this.receiver.call('reset');
    const tracking = this.isTracked ? await this.startTracking() : undefined;
    const before = await this.readDatabaseCounters();
    const meter = new UsageMeter<ProcessGroup>({
      api: this.bench.pids('api'),
      worker: this.bench.pids('worker'),
      PostgreSQL: serverPids.postgresql,
      Redis: this.hasRedis ? serverPids.redis : [],
      client: [this.publishers.pid],
      receiver: [this.receiver.pid],
    });
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    const usage = meter.measure();
    const after = await this.readDatabaseCounters();
    const transactions = after.transactions - before.transactions;
    const walBytes = after.walBytes - before.walBytes;
    const tracked = tracking && { tracked: await tracking() };
    return { events, seconds, usage, transactions, walBytes, ...tracked };
  }

  /** Resets the counters. @returns a function that reads them */
  private async startTracking(): Promise<() => Promise<Tracked>> {
    const sql: TestInstance['sql'] = (text) => this.instance.sql(text);
    await resetStatements(sql);
    if (this.hasRedis) await this.withRedis((redis) => redis.config('RESETSTAT'));
    const readNotifications = await countNotifications(sql, this.superuserUrl);
    const meter = new UsageMeter<Program>(await readBackends(sql));
    return async () => ({
      backends: meter.measure(),
      notifications: await readNotifications(),
      statements: await readStatements(sql),
      redis: this.hasRedis ? await this.withRedis(readRedisUse) : null,
    });
  }

  private async readDatabaseCounters(): Promise<Pick<Measurement, 'transactions' | 'walBytes'>> {
    const [row] = await this.instance.sql<{ transactions: number; walBytes: number }>(
      `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS transactions,
         (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes"`,
    );
    return row!;
  }
}
