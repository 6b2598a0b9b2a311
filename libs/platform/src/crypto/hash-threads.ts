import { GatehouseError } from '#domain';
import { Piscina } from 'piscina';
import { monotonicMs } from '../clock/clock.js';

/** Longest time that a password may be expected to wait for a thread, in ms. */
const MAX_WAIT_MS = 1_200;

export interface HashTask {
  input: string;
  /** With `cost` the task makes a hash, with `hash` it compares. */
  cost?: number;
  hash?: string;
}

/**
 * bcrypt in worker threads of low priority, behind a queue bounded by time: hashing on libuv's own pool
 * would make every other request and DNS look-up wait for it.
 */
export class HashThreads {
  private readonly pool: Piscina;
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  /** Moving average of a task's duration in ms. */
  private typicalMs: number;

  /** @param cost bcrypt's cost, for a first guess of the duration: each step doubles it */
  constructor(
    private readonly threads: number,
    cost: number,
  ) {
    this.typicalMs = 60 * 2 ** (cost - 10);
    this.pool = new Piscina({
      filename: new URL('./hash-worker.mjs', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Infinity,
      niceIncrement: 10,
    });
  }

  /**
   * @param signal aborted when nobody waits for the result any more: the task then leaves the queue
   * @throws GatehouseError `overloaded` at once when the wait would be too long
   */
  async run<T>(task: HashTask, signal?: AbortSignal): Promise<T> {
    if (this.busy >= this.threads) await this.queue(signal);
    else this.busy += 1;
    const started = monotonicMs();
    try {
      return (await this.pool.run(task)) as T;
    } finally {
      this.typicalMs += 0.1 * (monotonicMs() - started - this.typicalMs);
      // A thread passes straight to the next in line, so that nobody can slip in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private queue(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw callerGone();
    const expectedMs = ((this.waiting.length + 1) * this.typicalMs) / this.threads;
    if (expectedMs > MAX_WAIT_MS) {
      const seconds = String(Math.ceil(expectedMs / 1000));
      throw new GatehouseError('overloaded', { headers: { 'Retry-After': seconds } });
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(proceed), 1);
        reject(callerGone());
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.push(proceed);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

const callerGone = (): GatehouseError =>
  new GatehouseError('request_timeout', { detail: 'The caller has gone.' });
