import { GatehouseError } from '@gatehouse/domain';
import { Piscina } from 'piscina';
import { monotonicMs, sleep } from '../clock/clock.js';
import { Appointments } from './appointments.js';
import { bcryptMs, type ImportedHash } from './imported-hash.js';

/** Longest time that a password may be expected to wait for a thread, in ms. */
const MAX_WAIT_MS = 1_200;

/** Longest time that the waiting passwords of one project may take up of it, in ms. */
const MAX_SHARE_MS = MAX_WAIT_MS / 2;

/** While others wait, one patient task gets a thread in so many ms: enough not to stand still. */
const PATIENCE_MS = 1_000;

/** How often somebody who lets others go first looks whether they have gone, in ms. */
const GLANCE_MS = 10;

/** Makes a hash, compares with one of ours, or tries passwords against one that was imported. */
export type HashTask =
  | { input: string; cost: number }
  | { input: string; hash: string }
  | { passwords: string[]; imported: ImportedHash; weight: number };

/** Who asks for a hash. */
export interface HashCaller {
  /** Only a share of the queue is for one project. null: the house itself, no share. */
  projectId?: string | null;
  /** Aborted when nobody waits for the result any more: the task then leaves the queue. */
  signal?: AbortSignal;
  /** Held by `reserve`; the task takes it. */
  place?: HashPlace;
  /**
   * Nobody sits in front of it: the task waits for a thread that nobody else wants, however long, and is never
   * refused. Whoever asks for many keeps few waiting.
   */
  isPatient?: boolean;
}

/** A place in the queue that is kept free for somebody who does something else first. */
export interface HashPlace {
  /** Gives the place up; nothing happens the second time. */
  release(): void;
}

interface Waiting {
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
  private readonly waiting = new Set<Waiting>();
  /** The weight of all that waits, and of what waits for one project. */
  private totalWeight = 0;
  private readonly projectWeights = new Map<string, number>();
  private busy = 0;
  /** How many have begun so far. */
  private begun = 0;
  /** In the order of arrival, behind everybody who is not patient. */
  private readonly patient = new Set<() => void>();
  private patientBusy = 0;
  /** When one got a thread, or the first of those that wait came. */
  private lastPatientAt = 0;
  /** For those who are refused, by project. */
  private readonly appointments = new Map<string, Appointments>();
  /** Moving average of the duration of a hash of our own, in ms. */
  private typicalMs: number;

  /** Called when somebody who is not patient gets a thread, and when somebody is refused one. */
  onStart: (waitedMs: number) => void = () => undefined;
  onRefusal: () => void = () => undefined;
  /** Awaited before a task goes to its thread: a test may hold it there (Failpoints). */
  beforeTask: () => Promise<void> | undefined = () => undefined;

  /** @param cost bcrypt's cost, for a first guess of the duration */
  constructor(
    private readonly threads: number,
    cost: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.typicalMs = bcryptMs(cost);
  }

  /** Who waits for a thread and is not patient. */
  get queueLength(): number {
    return this.waiting.size;
  }

  /** @throws GatehouseError `overloaded` at once when the wait, or the project's part of it, would be too long */
  async run<T>(task: HashTask, caller: HashCaller = {}): Promise<T> {
    const isImported = 'imported' in task;
    caller.place?.release();
    const asked = monotonicMs();
    if (caller.isPatient) await this.waitPatiently(caller.signal);
    else if (this.busy >= this.threads) await this.queue(isImported ? task.weight : 1, caller);
    else this.busy += 1;
    if (!caller.isPatient) this.onStart(monotonicMs() - asked);
    // The first of each thread pays for its start, which says nothing of those to come.
    const isTypical = !isImported && this.begun >= this.threads;
    this.begun += 1;
    let started = monotonicMs();
    try {
      const held = this.beforeTask();
      if (held) started = await held.then(monotonicMs);
      this.pool ??= startThreads(this.threads);
      return (await this.pool.run(task)) as T;
    } finally {
      if (isTypical) this.typicalMs += 0.1 * (monotonicMs() - started - this.typicalMs);
      if (caller.isPatient) this.patientBusy -= 1;
      this.handOver();
      if (this.totalWeight === 0) this.appointments.clear();
    }
  }

  /** A thread passes straight to the next in line, so that nobody can slip in between. */
  private handOver(): void {
    const [next] = this.waiting;
    const [patient] = this.patient;
    const isDue = !next || monotonicMs() - this.lastPatientAt > this.patienceMs;
    if (patient && isDue && this.hasRoomForPatient()) {
      this.patient.delete(patient);
      patient();
    } else if (next) {
      this.leave(next);
      next.proceed();
    } else this.busy -= 1;
  }

  /** One thread stays free of them, if there are two: whoever comes next finds it idle. */
  private hasRoomForPatient(): boolean {
    return this.patientBusy < Math.max(1, this.threads - 1);
  }

  private waitPatiently(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw callerGone();
    if (this.busy < this.threads && this.hasRoomForPatient()) {
      this.busy += 1;
      this.startPatient();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.patient.delete(proceed);
        reject(callerGone());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', giveUp);
        this.startPatient();
        resolve();
      };
      if (this.patient.size === 0) this.lastPatientAt = monotonicMs();
      this.patient.add(proceed);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Counted at once, not when the task runs: a second one could come in between. */
  private startPatient(): void {
    this.patientBusy += 1;
    this.lastPatientAt = monotonicMs();
  }

  /**
   * Keeps a place for a caller who has to touch the database first, so that nobody does so in vain.
   * @throws GatehouseError `overloaded` like `run`
   */
  reserve(projectId: string | null): HashPlace {
    this.assertRoom(projectId);
    const place = { projectId, weight: 1 };
    this.weigh(place, 1);
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.weigh(place, -1);
        isHeld = false;
      },
    };
  }

  /**
   * Resolves once the next password would find a thread idle, but after a second at the latest. For large work that
   * needs no hash, but cores: the threads have the lowest priority of all that this house runs.
   */
  async calm(): Promise<void> {
    const end = monotonicMs() + this.patienceMs;
    const isBusy = (): boolean => this.waiting.size > 0 || this.busy - this.patientBusy >= this.threads;
    while (isBusy() && monotonicMs() < end) await sleep(GLANCE_MS);
  }

  /**
   * Ends the threads once nothing runs or waits. A thread that is ended within bcrypt takes the process with it: its
   * C++ throws, and nobody catches. (Piscina's own `close` waits for some tasks and ends others.)
   */
  async close(): Promise<void> {
    await this.settle();
    await this.pool?.close();
  }

  /** Resolves once nothing runs or waits, and forgets when whoever was refused may come back. */
  async settle(): Promise<void> {
    while (this.busy > 0) await sleep(GLANCE_MS);
    this.appointments.clear();
  }

  /** @throws GatehouseError `overloaded` */
  private assertRoom(projectId: string | null, weight = 1): void {
    const msEach = this.typicalMs / this.threads;
    // Who finds a thread idle waits for nobody; otherwise one more, for those that are running.
    const idle = this.threads - this.busy;
    const expectedMs = (this.totalWeight + 1 - idle) * msEach;
    const own = (this.projectWeights.get(projectId ?? '') ?? 0) - idle;
    // One task may wait for each project whatever it weighs, or a dear one would never get a thread under load.
    const exceedsShare = own > 0 && (own + weight) * msEach > MAX_SHARE_MS;
    if (expectedMs <= MAX_WAIT_MS && !exceedsShare) return;
    const key = projectId ?? '';
    const appointments = this.appointments.get(key) ?? new Appointments();
    this.appointments.set(key, appointments);
    const earliest = Math.max(1, Math.ceil(expectedMs / 1_000));
    this.onRefusal();
    const wait = appointments.next(monotonicMs(), earliest, Math.ceil(1_000 / msEach));
    throw new GatehouseError('overloaded', { headers: { 'Retry-After': String(wait) } });
  }

  private queue(weight: number, { projectId = null, signal }: HashCaller): Promise<void> {
    if (signal?.aborted) throw callerGone();
    this.assertRoom(projectId, weight);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.leave(place);
        reject(callerGone());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const place: Waiting = { projectId, weight, proceed };
      this.waiting.add(place);
      this.weigh(place, weight);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  private leave(place: Waiting): void {
    this.waiting.delete(place);
    this.weigh(place, -place.weight);
  }

  private weigh({ projectId }: Pick<Waiting, 'projectId'>, change: number): void {
    this.totalWeight += change;
    if (projectId === null) return;
    const weight = (this.projectWeights.get(projectId) ?? 0) + change;
    if (weight > 0) this.projectWeights.set(projectId, weight);
    else this.projectWeights.delete(projectId);
  }
}

const startThreads = (count: number): Piscina =>
  new Piscina({
    filename: new URL('./hash-worker.mjs', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Infinity,
    niceIncrement: 10,
  });

const callerGone = (): GatehouseError =>
  new GatehouseError('request_timeout', { detail: 'The client closed the connection.' });
