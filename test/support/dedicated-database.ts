import { randomUUID } from 'node:crypto';
import { withTimeout } from '@gatehouse/platform';
import { registerCustomer, type RegisteredCustomer } from './customers.js';
import { eventually } from './eventually.js';
import { History, ON_TIME } from './history.js';
import { PostgresServer } from './postgres-server.mjs';
import { Receiver } from './receiver.js';
import { freePort, type ServerProcess } from './server-process.mjs';
import { TestInstance, type TestResponse } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/**
 * Tolerances for a PostgreSQL crash. A lost claim is detected when its lease ends, after 30 s, and its attempt counts.
 */
export const LEASE_TOLERANCES = { ...ON_TIME, lateMs: 60_000 };

/** A process's default pool size. */
export const POOL_SIZE = 10;

/** The instance's METRICS_TOKEN. */
export const METRICS_TOKEN = 'a-metrics-token-of-at-least-32-characters';

/** An instance with its own PostgreSQL server, which tests stop, kill and freeze. */
export class DedicatedDatabase {
  private constructor(
    private readonly sharedUrl: string,
    readonly server: PostgresServer,
    readonly instance: TestInstance,
    readonly receiver: Receiver,
    readonly history: History,
    readonly customer: RegisteredCustomer,
    /** The workers' METRICS_PORT. */
    readonly workerPort: number,
  ) {}

  static async start(): Promise<DedicatedDatabase> {
    const server = await PostgresServer.start();
    // All databases are created on this server until it is removed.
    const shared = process.env['TEST_POSTGRES_URL']!;
    process.env['TEST_POSTGRES_URL'] = server.url;
    try {
      const workerPort = await freePort();
      const instance = await TestInstance.start({
        workerEnv: { METRICS_PORT: String(workerPort) },
        template: 'template1',
        env: { METRICS_TOKEN, RATE_LIMITS: 'off', WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s' },
      });
      const receiver = await Receiver.start();
      const history = new History(instance, receiver);
      await instance.createEndpoint(receiver.url, ['customer.created']);
      return new DedicatedDatabase(
        shared,
        server,
        instance,
        receiver,
        history,
        await registerCustomer(instance),
        workerPort,
      );
    } catch (error) {
      process.env['TEST_POSTGRES_URL'] = shared;
      await server.remove();
      throw error;
    }
  }

  /** The api and the worker that was started last. */
  get programs(): ServerProcess[] {
    const { instance } = this;
    return [instance.api, instance.workers.at(-1)!];
  }

  /** The ids of the processes that must survive a fault. */
  get pids(): (number | false)[] {
    return this.programs.map(({ pid, isRunning }) => isRunning && pid);
  }

  /**
   * Sends more concurrent requests than the pool has connections, to detect a connection in an inconsistent state.
   */
  async expectHealthyConnections(): Promise<void> {
    const { id, tokens } = this.customer;
    await eventually('30 responses', async () => {
      const responses = await Promise.all(
        Array.from({ length: 30 }, () =>
          this.instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me'),
        ),
      );
      const fulfilled = responses.filter(({ status }) => status === 200);
      expect(fulfilled.map(({ body }) => body.id)).toEqual(fulfilled.map(() => id));
      responses.filter(({ status }) => status !== 200).forEach(expectUnavailable);
      return fulfilled.length === 30;
    });
  }

  /**
   * Throws if a connection has leaked. A leaked connection stays busy. The connection that the worker uses for its jobs
   * is busy only once a second.
   */
  async expectNoLeakedConnection(): Promise<void> {
    const open = await eventually('the connections to be idle', async () => {
      const [row] = await this.instance.sql<{ open: number; busy: number }>(
        `SELECT count(*)::int AS open, count(*) FILTER (WHERE state <> 'idle')::int AS busy FROM pg_stat_activity
         WHERE application_name LIKE 'gatehouse/%' AND datname = current_database() AND query NOT LIKE 'LISTEN%'`,
      );
      return row!.busy <= 1 && row!.open;
    });
    expect(open).toBeLessThanOrEqual(2 * POOL_SIZE);
  }

  async remove(): Promise<void> {
    this.server.thaw();
    // Every step runs, even if an earlier one fails.
    const failed: unknown[] = [];
    for (const end of [() => this.instance.stop(), () => this.receiver.stop(), () => this.server.remove()]) {
      await end().catch((error: unknown) => failed.push(error));
    }
    process.env['TEST_POSTGRES_URL'] = this.sharedUrl;
    if (failed.length > 0) throw failed[0];
  }
}

/**
 * Waits for a response.
 * @param ms default: the maximum request duration (I7)
 * @throws Error if no response arrives within `ms`
 */
export const withDeadline = (response: Promise<TestResponse>, ms = 15_000): Promise<TestResponse> =>
  withTimeout(response, ms, `no response within ${ms} ms`);

export const createIdempotently = (instance: TestInstance, key = randomUUID()): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email: uniqueEmail() },
    headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': key },
  });

/** Sends one request of each kind: reads and writes, inside and outside of transactions. */
export function sendAllRequestKinds(
  instance: TestInstance,
  { email, tokens }: RegisteredCustomer,
): Promise<TestResponse>[] {
  return [
    instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me'),
    instance.request('POST', '/api/v1/auth/refresh', { body: { refreshToken: tokens.refreshToken } }),
    instance.requestWithSecretKey('GET', '/v1/webhooks/deliveries'),
    instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email }),
    instance.login(email),
    createIdempotently(instance),
    instance.register(),
  ];
}

/** Expects a response that reports an unavailable database, with a `Retry-After`. */
export function expectUnavailable(response: TestResponse): void {
  expect(response.status).toBe(503);
  // A registration may be rejected because earlier ones, which wait for the database, fill the hash queue.
  expect(['unavailable', 'overloaded']).toContain(response.body.code);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
}
