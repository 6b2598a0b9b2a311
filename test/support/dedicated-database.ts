import { randomUUID } from 'node:crypto';
import { withTimeout } from '@gatehouse/platform';
import { registerCustomer, type RegisteredCustomer } from './customers.js';
import { eventually } from './eventually.js';
import { History, ON_TIME } from './history.js';
import { PostgresServer } from './postgres-server.mjs';
import { Receiver } from './receiver.js';
import { TestInstance, type TestResponse } from './test-instance.js';
import { uniqueEmail } from './unique-email.js';

/** A claim that PostgreSQL takes with it is noticed at the end of its lease, 30 s, and its attempt counts. */
export const LEASE_TOLERANCES = { ...ON_TIME, lateMs: 60_000 };

/** Connections of the pool of one process, by default. */
const POOL_SIZE = 10;

/** An instance on a PostgreSQL server of its own, which tests stop, kill and freeze. */
export class DedicatedDatabase {
  private constructor(
    private readonly sharedUrl: string,
    readonly server: PostgresServer,
    readonly instance: TestInstance,
    readonly receiver: Receiver,
    readonly history: History,
    readonly customer: RegisteredCustomer,
  ) {}

  static async start(): Promise<DedicatedDatabase> {
    const server = await PostgresServer.start();
    // New databases come from there as well, until it is removed.
    const shared = process.env['TEST_POSTGRES_URL']!;
    process.env['TEST_POSTGRES_URL'] = server.url;
    try {
      const instance = await TestInstance.start({
        template: 'template1',
        env: { RATE_LIMITS: 'off', WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s' },
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
      );
    } catch (error) {
      process.env['TEST_POSTGRES_URL'] = shared;
      await server.remove();
      throw error;
    }
  }

  /** The processes that should outlive a fault. */
  get pids(): (number | false)[] {
    const { instance } = this;
    return [instance.api, instance.workers.at(-1)!].map(({ pid, isRunning }) => isRunning && pid);
  }

  /** As many requests at once as the pool has connections and more: one that was left in disorder would show. */
  async expectHealthyConnections(): Promise<void> {
    const { id, tokens } = this.customer;
    await eventually('30 responses', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () =>
          this.instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me'),
        ),
      );
      const fulfilled = answers.filter(({ status }) => status === 200);
      expect(fulfilled.map(({ body }) => body.id)).toEqual(fulfilled.map(() => id));
      answers.filter(({ status }) => status !== 200).forEach(expectUnavailable);
      return fulfilled.length === 30;
    });
  }

  /** Throws when a connection was lost: it would stay busy, unlike one of what the worker does each second. */
  async expectNoLeakedConnection(): Promise<void> {
    const open = await eventually('the connections being idle', async () => {
      const [row] = await this.instance.sql<{ open: number; busy: number }>(
        `SELECT count(*)::int AS open, count(*) FILTER (WHERE state <> 'idle')::int AS busy FROM pg_stat_activity
         WHERE application_name = 'gatehouse' AND datname = current_database() AND query NOT LIKE 'LISTEN%'`,
      );
      return row!.busy <= 1 && row!.open;
    });
    expect(open).toBeLessThanOrEqual(2 * POOL_SIZE);
  }

  async remove(): Promise<void> {
    this.server.thaw();
    // Each is done whatever happens to the one before.
    const failed: unknown[] = [];
    for (const end of [() => this.instance.stop(), () => this.receiver.stop(), () => this.server.remove()]) {
      await end().catch((error: unknown) => failed.push(error));
    }
    process.env['TEST_POSTGRES_URL'] = this.sharedUrl;
    if (failed.length > 0) throw failed[0];
  }
}

/** @throws Error unless a response comes within `ms`; default: the longest that a request may take (I7) */
export const withDeadline = (response: Promise<TestResponse>, ms = 15_000): Promise<TestResponse> =>
  withTimeout(response, ms, `no response within ${ms} ms`);

export const createIdempotently = (instance: TestInstance, key = randomUUID()): Promise<TestResponse> =>
  instance.request('POST', '/api/v1/customers', {
    body: { email: uniqueEmail() },
    headers: { authorization: `Bearer ${instance.credentials.secretKey}`, 'idempotency-key': key },
  });

/** One request of every kind: reading and writing, within a transaction and without. */
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

/** @throws Error unless a response says that the database is away, and when to retry */
export function expectUnavailable(answer: TestResponse): void {
  expect(answer.status).toBe(503);
  // A registration may find the queue for a hash full: those before it wait for the database.
  expect(['unavailable', 'overloaded']).toContain(answer.body.code);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}
