import { withTimeout } from '../clock/clock.js';
import { errorMessage } from '../runtime/errors.js';
import type { Logger } from '../logging/logger.js';
import type { RedisConnection } from './connect-redis.js';

/** The reasons why Redis is not used, with their log messages. */
export const redisProblems = {
  unreachable: 'Redis does not respond',
  read_only: 'Redis is read-only',
  full: 'Redis is full',
  cluster: 'Redis is a cluster; set REDIS_CLUSTER=on',
  rejects_writes: 'Redis rejects writes',
} as const;

export type RedisProblem = keyof typeof redisProblems;

/** Time between two probes, in ms. */
const PROBE_INTERVAL_MS = 1_000;

/** Maximum time to wait for the response to a probe, in ms. */
const PROBE_TIMEOUT_MS = 2_000;

/** The problems, by Redis error code. */
const problemsByCode: Record<string, RedisProblem> = {
  READONLY: 'read_only',
  OOM: 'full',
  CROSSSLOT: 'cluster',
  MOVED: 'cluster',
  CLUSTERDOWN: 'cluster',
};

/**
 * Checks once a second whether Redis accepts writes. An open connection is not sufficient, because a replica, a full
 * server and a cluster node also accept connections.
 */
export class RedisHealth {
  private probed: RedisProblem | null = 'unreachable';
  private logged: RedisProblem | null = null;
  private isProbing = false;
  private readonly timer: NodeJS.Timeout;

  /** @param prefix the key prefix */
  constructor(
    private readonly connection: RedisConnection,
    private readonly prefix: string,
    private readonly logger: Logger,
  ) {
    const probe = (): void => void this.probe();
    connection.on('ready', probe);
    this.timer = setInterval(probe, PROBE_INTERVAL_MS).unref();
  }

  /** The reason why Redis currently cannot be used; null if it accepts writes. */
  get problem(): RedisProblem | null {
    return this.probed ?? (this.connection.status === 'ready' ? null : 'unreachable');
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async probe(): Promise<void> {
    if (this.isProbing) return;
    // The connection itself logs that it is lost.
    if (this.connection.status !== 'ready') return void (this.probed = 'unreachable');
    this.isProbing = true;
    const { problem, error } = await probeRedis(this.connection, this.prefix);
    this.isProbing = false;
    this.probed = problem;
    if (this.probed !== this.logged) this.logChange(error);
  }

  private logChange(error: unknown): void {
    this.logged = this.probed;
    if (this.logged === null) this.logger.info('Redis accepts writes again');
    else
      this.logger.warn(
        { reason: errorMessage(error) },
        `${redisProblems[this.logged]}; deliveries continue through PostgreSQL`,
      );
  }
}

/**
 * Writes two keys. Returns the problem if Redis rejects them.
 * @param prefix the key prefix
 */
export async function probeRedis(
  connection: RedisConnection,
  prefix: string,
): Promise<{ problem: RedisProblem | null; error: unknown }> {
  // Only a cluster rejects a command with both keys, because they are in different hash slots.
  const written = connection.mset(`${prefix}:health:1`, 1, `${prefix}:health:2`, 1);
  const error: unknown = await withTimeout(written, PROBE_TIMEOUT_MS, 'no response').then(
    () => null,
    (cause: unknown) => cause,
  );
  return { problem: error === null ? null : classifyError(error), error };
}

/** Returns the problem that a write error indicates. */
function classifyError(error: unknown): RedisProblem {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return 'unreachable';
  const [code] = /^[A-Z]+/.exec(error.message) ?? [''];
  return problemsByCode[code] ?? 'rejects_writes';
}
