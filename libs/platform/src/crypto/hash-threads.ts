import { GatehouseError } from '@gatehouse/domain';
import { Piscina } from 'piscina';
import { monotonicMs, sleep } from '../clock/clock.js';
import { RetrySlots } from './retry-slots.js';
import { estimateBcryptMs, type ImportedHash } from './imported-hash.js';

/** Longest time that a password may be expected to wait for a thread, in ms. */
const MAX_WAIT_MS = 1_200;

/** Longest time that the waiting passwords of one project may take up of it, in ms. */
const MAX_PROJECT_WAIT_MS = MAX_WAIT_MS / 2;

/** While others wait, one patient task gets a thread in so many ms: enough not to stand still. */
const BACKGROUND_INTERVAL_MS = 1_000;

/** How often somebody who lets others go first looks whether they have gone, in ms. */
const POLL_INTERVAL_MS = 10;

/** Makes a hash, compares with one of ours, or tries passwords against one that was imported. */
export type HashTask =
  | { input: string; cost: number }
  | { input: string; hash: string }
  | { passwords: string[]; imported: ImportedHash; weight: number };

/** Who asks for a hash. */
export interface HashOptions {
  /** Only a share of the queue is for one project. null: the house itself, no share. */
  projectId?: string | null;
  /** Aborted when nobody waits for the result any more: the task then leaves the queue. */
  signal?: AbortSignal;
  /** Held by `reserve`; the task takes it. */
  permit?: HashPermit;
  /**
   * Nobody sits in front of it: the task waits for a thread that nobody else wants, however long, and is never
   * refused. Whoever asks for many keeps few waiting.
   */
  isBackground?: boolean;
}

/** A place in the queue that is kept free for somebody who does something else first. */
export interface HashPermit {
  /** Gives the place up; nothing happens the second time. */
  release(): void;
}

interface QueuedTask {
  projectId: string | null;
  /** How many hashes of our own it takes as long as, a whole number. */
  weight: number;
  proceed: () => void;
}

/**
 * Hashes in worker threads of low priority, behind a queue bounded by time: hashing on libuv's own pool
 * would make every other request and DNS look-up wait for it.
 */
export class HashThreads {
  /** Begun by the first task: a command that ends at once must not end threads that still load, for Node.js aborts then. */
  private pool: Piscina | undefined;
  /** In the order of arrival. */
  private readonly waiting = new Set<QueuedTask>();
  /** The weight of all that waits, and of what waits for one project. */
  private totalWeight = 0;
  private readonly projectWeights = new Map<string, number>();
  private busyThreads = 0;
  /** How many have begun so far. */
  private startedTasks = 0;
  /** In the order of arrival, behind everybody who is not patient. */
  private readonly backgroundWaiting = new Set<() => void>();
  private backgroundBusy = 0;
  /** When one got a thread, or the first of those that wait came. */
  private lastBackgroundAt = 0;
  /** For those who are refused, by project. */
  private readonly retrySlots = new Map<string, RetrySlots>();
  /** Moving average of the duration of a hash of our own, in ms. */
  private averageMs: number;

  /** Called when somebody who is not patient gets a thread, and when somebody is refused one. */
  onStart: (waitedMs: number) => void = () => undefined;
  onRejection: () => void = () => undefined;
  /** Awaited before a task goes to its thread: a test may hold it there (Failpoints). */
  beforeTask: () => Promise<void> | undefined = () => undefined;

  /** @param cost bcrypt's cost, for a first guess of the duration */
  constructor(
    private readonly threads: number,
    cost: number,
    private readonly backgroundIntervalMs = BACKGROUND_INTERVAL_MS,
  ) {
    this.averageMs = estimateBcryptMs(cost);
  }

  /** Who waits for a thread and is not patient. */
  get queueLength(): number {
    return this.waiting.size;
  }

  /** @throws GatehouseError `overloaded` at once when the wait, or the project's part of it, would be too long */
  async run<T>(task: HashTask, options: HashOptions = {}): Promise<T> {
    const isImported = 'imported' in task;
    options.permit?.release();
    const asked = monotonicMs();
    if (options.isBackground) await this.waitInBackground(options.signal);
    else if (this.busyThreads >= this.threads) await this.enqueue(isImported ? task.weight : 1, options);
    else this.busyThreads += 1;
    if (!options.isBackground) this.onStart(monotonicMs() - asked);
    // The first of each thread pays for its start, which says nothing of those to come.
    const isTypical = !isImported && this.startedTasks >= this.threads;
    this.startedTasks += 1;
    let started = monotonicMs();
    try {
      const held = this.beforeTask();
      if (held) started = await held.then(monotonicMs);
      this.pool ??= createPool(this.threads);
      return (await this.pool.run(task)) as T;
    } finally {
      if (isTypical) this.averageMs += 0.1 * (monotonicMs() - started - this.averageMs);
      if (options.isBackground) this.backgroundBusy -= 1;
      this.releaseThread();
      if (this.totalWeight === 0) this.retrySlots.clear();
    }
  }

  /** A thread passes straight to the next in line, so that nobody can slip in between. */
  private releaseThread(): void {
    const [next] = this.waiting;
    const [patient] = this.backgroundWaiting;
    const isDue = !next || monotonicMs() - this.lastBackgroundAt > this.backgroundIntervalMs;
    if (patient && isDue && this.hasCapacityForBackground()) {
      this.backgroundWaiting.delete(patient);
      patient();
    } else if (next) {
      this.dequeue(next);
      next.proceed();
    } else this.busyThreads -= 1;
  }

  /** One thread stays free of them, if there are two: whoever comes next finds it idle. */
  private hasCapacityForBackground(): boolean {
    return this.backgroundBusy < Math.max(1, this.threads - 1);
  }

  private waitInBackground(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw clientDisconnected();
    if (this.busyThreads < this.threads && this.hasCapacityForBackground()) {
      this.busyThreads += 1;
      this.startBackground();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.backgroundWaiting.delete(proceed);
        reject(clientDisconnected());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', giveUp);
        this.startBackground();
        resolve();
      };
      if (this.backgroundWaiting.size === 0) this.lastBackgroundAt = monotonicMs();
      this.backgroundWaiting.add(proceed);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Counted at once, not when the task runs: a second one could come in between. */
  private startBackground(): void {
    this.backgroundBusy += 1;
    this.lastBackgroundAt = monotonicMs();
  }

  /**
   * Keeps a place for a caller who has to touch the database first, so that nobody does so in vain.
   * @throws GatehouseError `overloaded` like `run`
   */
  reserve(projectId: string | null): HashPermit {
    this.assertCapacity(projectId);
    const place = { projectId, weight: 1 };
    this.addWeight(place, 1);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.addWeight(place, -1);
        isHeld = false;
      },
    };
  }

  /**
   * Resolves once the next password would find a thread idle, but after a second at the latest. For large work that
   * needs no hash, but cores: the threads have the lowest priority of all that this house runs.
   */
  async waitUntilIdle(): Promise<void> {
    const end = monotonicMs() + this.backgroundIntervalMs;
    const isBusy = (): boolean =>
      this.waiting.size > 0 || this.busyThreads - this.backgroundBusy >= this.threads;
    while (isBusy() && monotonicMs() < end) await sleep(POLL_INTERVAL_MS);
  }

  /**
   * Ends the threads once nothing runs or waits. A thread that is ended within bcrypt takes the process with it: its
   * C++ throws, and nobody catches. (Piscina's own `close` waits for some tasks and ends others.)
   */
  async close(): Promise<void> {
    await this.drain();
    await this.pool?.close();
  }

  /** Resolves once nothing runs or waits, and forgets when whoever was refused may come back. */
  async drain(): Promise<void> {
    while (this.busyThreads > 0) await sleep(POLL_INTERVAL_MS);
    this.retrySlots.clear();
  }

  /** @throws GatehouseError `overloaded` */
  private assertCapacity(projectId: string | null, weight = 1): void {
    const msEach = this.averageMs / this.threads;
    // Who finds a thread idle waits for nobody; otherwise one more, for those that are running.
    const idle = this.threads - this.busyThreads;
    const expectedMs = (this.totalWeight + 1 - idle) * msEach;
    const own = (this.projectWeights.get(projectId ?? '') ?? 0) - idle;
    // One task may wait for each project whatever it weighs, or a dear one would never get a thread under load.
    const exceedsShare = own > 0 && (own + weight) * msEach > MAX_PROJECT_WAIT_MS;
    if (expectedMs <= MAX_WAIT_MS && !exceedsShare) return;
    const key = projectId ?? '';
    const appointments = this.retrySlots.get(key) ?? new RetrySlots();
    this.retrySlots.set(key, appointments);
    const earliest = Math.max(1, Math.ceil(expectedMs / 1_000));
    this.onRejection();
    const wait = appointments.assign(monotonicMs(), earliest, Math.ceil(1_000 / msEach));
    throw new GatehouseError('overloaded', { headers: { 'Retry-After': String(wait) } });
  }

  private enqueue(weight: number, { projectId = null, signal }: HashOptions): Promise<void> {
    if (signal?.aborted) throw clientDisconnected();
    this.assertCapacity(projectId, weight);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.dequeue(place);
        reject(clientDisconnected());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const place: QueuedTask = { projectId, weight, proceed };
      this.waiting.add(place);
      this.addWeight(place, weight);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  private dequeue(task: QueuedTask): void {
    this.waiting.delete(task);
    this.addWeight(task, -task.weight);
  }

  private addWeight({ projectId }: Pick<QueuedTask, 'projectId'>, change: number): void {
    this.totalWeight += change;
    if (projectId === null) return;
    const weight = (this.projectWeights.get(projectId) ?? 0) + change;
    if (weight > 0) this.projectWeights.set(projectId, weight);
    else this.projectWeights.delete(projectId);
  }
}

const createPool = (count: number): Piscina =>
  new Piscina({
    filename: new URL('./hash-worker.mjs', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Infinity,
    niceIncrement: 10,
  });

const clientDisconnected = (): GatehouseError =>
  new GatehouseError('request_timeout', { detail: 'The client closed the connection.' });
