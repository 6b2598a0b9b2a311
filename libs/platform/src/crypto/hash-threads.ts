import { GatehouseError } from '@gatehouse/domain';
import { Piscina } from 'piscina';
import { monotonicMs, sleep } from '../clock/clock.js';
import { HashQueue, type QueuedTask, type ThreadState } from './hash-queue.js';
import { RetrySlots } from './retry-slots.js';
import { estimateBcryptMs, type ImportedHash } from './imported-hash-parameters.js';

/** Interval in ms at which a background task gets a thread even if other tasks wait, to prevent starvation. */
const BACKGROUND_INTERVAL_MS = 1_000;

/**
 * How long a thread can be idle before it ends and releases its memory (about 8 MB), in ms. One thread keeps running,
 * because starting a thread takes almost as long as a hash.
 */
const THREAD_IDLE_MS = 30_000;

/** The weight of the newest duration in the moving average. */
const AVERAGE_WEIGHT = 0.2;

/**
 * Maximum for a duration in the moving average, as a multiple of the average. Without it, a process that was suspended
 * for a few seconds would reject requests for a long time.
 */
const MAX_DURATION_FACTOR = 4;

/** Polling interval of `waitUntilIdle` and `drain`, in ms. */
const POLL_INTERVAL_MS = 10;

/** A task for a thread: hashing a password, or comparing it with a Gatehouse hash or an imported hash. */
export type HashTask =
  | { input: string; cost: number }
  | { input: string; hash: string }
  | { passwords: string[]; imported: ImportedHash; weight: number };

/** Options for a task's caller. */
export interface HashOptions {
  /** The project, which can use only a share of the queue. null for the server itself, which has no such limit. */
  projectId?: string | null;
  /** Aborted when the caller no longer waits for the result. The task is then removed from the queue. */
  signal?: AbortSignal;
  /** A permit from `reserve`, which the task consumes. */
  permit?: HashPermit;
  /**
   * True if no user waits for the result. The task then waits, without a limit, until no other task needs the thread,
   * and is never rejected. A caller with many tasks should submit only a few at a time.
   */
  isBackground?: boolean;
}

/** Reserved capacity in the queue for a caller that has other work to do first. */
export interface HashPermit {
  /** Releases the permit. Further calls do nothing. */
  release(): void;
}

/**
 * Hashes passwords in low-priority worker threads, behind a queue that limits the expected wait. In libuv's thread
 * pool, hashing would delay all other requests and DNS lookups.
 */
export class HashThreads {
  /**
   * Created with the first task, so that a short command does not terminate threads that are still loading, which would
   * crash Node.js.
   */
  private pool: Piscina | undefined;
  private readonly queue: HashQueue;
  private busyThreads = 0;
  /** Waiting background tasks, in arrival order. Other tasks take precedence. */
  private readonly backgroundWaiting = new Set<() => void>();
  private backgroundBusy = 0;
  /** Time at which a background task last started, or at which the first waiting one arrived. */
  private lastBackgroundAt = 0;
  /** Retry slots for rejected callers, by project. */
  private readonly retrySlots = new Map<string, RetrySlots>();
  /**
   * Moving average of Gatehouse hash durations, in ms. It includes the time that a thread waits for a core, so it
   * depends on the machine's load.
   */
  private averageMs: number;

  /** Called when a task other than a background task gets a thread. */
  onStart: (waitedMs: number) => void = () => undefined;
  /** Called when a task is rejected. */
  onRejection: () => void = () => undefined;
  /** Awaited before a task is sent to its thread, so that a test can pause it (Failpoints). */
  beforeTask: () => Promise<void> | undefined = () => undefined;

  /**
   * @param cost the bcrypt cost, for the initial duration estimate
   * @param maxWaitMs maximum expected time that a task waits for a thread
   */
  constructor(
    private readonly threads: number,
    cost: number,
    private readonly maxWaitMs: number,
    private readonly backgroundIntervalMs = BACKGROUND_INTERVAL_MS,
  ) {
    this.queue = new HashQueue(maxWaitMs);
    this.averageMs = estimateBcryptMs(cost);
  }

  /** The number of waiting tasks, excluding background tasks. */
  get queueLength(): number {
    return this.queue.length;
  }

  /**
   * Runs a task on a thread and returns its result.
   * @throws GatehouseError `overloaded` immediately if the expected wait is too long or the project has used its queue
   * share; `request_timeout` if the signal aborts while the task waits
   */
  async run<T>(task: HashTask, options: HashOptions = {}): Promise<T> {
    const isImported = 'imported' in task;
    options.permit?.release();
    const enqueuedAt = monotonicMs();
    if (options.isBackground) await this.waitInBackground(options.signal);
    else if (this.busyThreads >= this.threads) await this.enqueue(isImported ? task.weight : 1, options);
    else this.busyThreads += 1;
    if (!options.isBackground) this.onStart(monotonicMs() - enqueuedAt);
    let isTypical = false;
    let started = monotonicMs();
    try {
      const held = this.beforeTask();
      if (held) started = await held.then(monotonicMs);
      // A thread's first task includes starting the thread, so its duration is not typical.
      const startedThreads = this.pool?.threads.length ?? 0;
      isTypical = !isImported && startedThreads >= this.busyThreads;
      this.pool ??= createPool(this.threads);
      return (await this.pool.run(task)) as T;
    } finally {
      if (isTypical) this.recordDuration(monotonicMs() - started);
      if (options.isBackground) this.backgroundBusy -= 1;
      this.releaseThread();
      if (this.queue.isEmpty) this.retrySlots.clear();
    }
  }

  private recordDuration(ms: number): void {
    const counted = Math.min(ms, MAX_DURATION_FACTOR * this.averageMs);
    this.averageMs += AVERAGE_WEIGHT * (counted - this.averageMs);
  }

  /** Passes the thread directly to the next waiting task, so that no new task can take it first. */
  private releaseThread(): void {
    const [nextBackground] = this.backgroundWaiting;
    const isDue =
      this.queue.length === 0 || monotonicMs() - this.lastBackgroundAt > this.backgroundIntervalMs;
    if (nextBackground && isDue && this.hasCapacityForBackground()) {
      this.backgroundWaiting.delete(nextBackground);
      nextBackground();
      return;
    }
    const next = this.queue.takeNext(monotonicMs(), this.msEach);
    if (next) next.proceed();
    else this.busyThreads -= 1;
  }

  /**
   * Returns whether another background task can start. If there are several threads, one is kept free of background
   * tasks, so that it is available to other tasks.
   */
  private hasCapacityForBackground(): boolean {
    return this.backgroundBusy < Math.max(1, this.threads - 1);
  }

  private waitInBackground(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw clientDisconnectedError();
    if (this.busyThreads < this.threads && this.hasCapacityForBackground()) {
      this.busyThreads += 1;
      this.startBackground();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        this.backgroundWaiting.delete(proceed);
        reject(clientDisconnectedError());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', leaveQueue);
        this.startBackground();
        resolve();
      };
      if (this.backgroundWaiting.size === 0) this.lastBackgroundAt = monotonicMs();
      this.backgroundWaiting.add(proceed);
      signal?.addEventListener('abort', leaveQueue, { once: true });
    });
  }

  /** Counts a background task before it runs. Otherwise, a second one could start in the meantime. */
  private startBackground(): void {
    this.backgroundBusy += 1;
    this.lastBackgroundAt = monotonicMs();
  }

  /**
   * Reserves capacity for a caller that queries the database first. Without it, the task could be rejected after the
   * query.
   * @throws GatehouseError `overloaded` like `run`
   */
  reserve(projectId: string | null): HashPermit {
    this.assertCapacity(projectId);
    return { release: this.queue.reserve(projectId) };
  }

  /**
   * Resolves once a thread is available for the next password, or after a second at most. Call it before CPU-intensive
   * work outside the threads. Such work delays them, because they have a lower priority than all other threads.
   */
  async waitUntilIdle(): Promise<void> {
    const end = monotonicMs() + this.backgroundIntervalMs;
    const isBusy = (): boolean =>
      this.queue.length > 0 || this.busyThreads - this.backgroundBusy >= this.threads;
    while (isBusy() && monotonicMs() < end) await sleep(POLL_INTERVAL_MS);
  }

  /**
   * Ends the threads once no task runs or waits. Terminating a thread while it runs bcrypt crashes the process, because
   * its C++ code throws an uncaught exception. (Piscina's `close` method does not wait for all tasks.)
   */
  async close(): Promise<void> {
    await this.drain();
    await this.pool?.close();
  }

  /** Resolves once no task runs or waits. Clears the retry slots. */
  async drain(): Promise<void> {
    while (this.busyThreads > 0) await sleep(POLL_INTERVAL_MS);
    this.retrySlots.clear();
  }

  /** The average time in ms in which all threads together complete one Gatehouse hash. */
  private get msEach(): number {
    return this.averageMs / this.threads;
  }

  /** @throws GatehouseError `overloaded` with a Retry-After if the task would wait too long */
  private assertCapacity(projectId: string | null, weight = 1): void {
    const { msEach } = this;
    const threads: ThreadState = { idle: this.threads - this.busyThreads, msEach };
    if (this.queue.hasCapacity(projectId, weight, threads)) return;
    const key = projectId ?? '';
    const retrySlots = this.retrySlots.get(key) ?? new RetrySlots();
    this.retrySlots.set(key, retrySlots);
    const earliest = Math.max(1, Math.ceil(this.queue.expectedWaitMs(threads) / 1_000));
    this.onRejection();
    const wait = retrySlots.assign(monotonicMs(), earliest, Math.ceil(1_000 / msEach));
    throw new GatehouseError('overloaded', { headers: { 'Retry-After': String(wait) } });
  }

  private enqueue(weight: number, { projectId = null, signal }: HashOptions): Promise<void> {
    if (signal?.aborted) throw clientDisconnectedError();
    this.assertCapacity(projectId, weight);
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        this.queue.remove(queued);
        reject(clientDisconnectedError());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', leaveQueue);
        resolve();
      };
      const latestStart = monotonicMs() + this.maxWaitMs;
      const queued: QueuedTask = { projectId, weight, latestStart, proceed };
      this.queue.add(queued);
      signal?.addEventListener('abort', leaveQueue, { once: true });
    });
  }
}

/**
 * Creates a pool without an error listener: if a thread fails outside a task, the process exits and is restarted. With
 * a listener, a password would wait forever for a thread that cannot start.
 */
const createPool = (count: number): Piscina =>
  new Piscina({
    filename: new URL('./hash-worker.mjs', import.meta.url).href,
    minThreads: 1,
    maxThreads: count,
    idleTimeout: THREAD_IDLE_MS,
    niceIncrement: 10,
  });

const clientDisconnectedError = (): GatehouseError =>
  new GatehouseError('request_timeout', { detail: 'The client closed the connection.' });
