import { randomBytes } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import { waitForRedelivery } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, respondWithStatus } from '../support/receiver.js';
import type { TestInstance } from '../support/test-instance.js';
import type { OperatorClient } from '../support/operator-client.js';
import type { FixtureEndpoint, Manifest } from './manifest.js';
import { send } from './requests.js';

type WebhookPart = Pick<Manifest, 'endpoints' | 'deliveries' | 'runningRedelivery'>;

/** Retry delays that are longer than the restored dump's maximum age, 25 hours, so that no retry is due. */
const LATE_RETRIES = '0s,48h,48h,48h,48h';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Creates webhook endpoints and deliveries in every state, with real workers and receivers. */
export class WebhookFiller {
  private endpoints!: WebhookPart['endpoints'];

  constructor(
    private readonly instance: TestInstance,
    private readonly projects: Manifest['projects'],
    private readonly operator: OperatorClient,
    private readonly good: Receiver,
    private readonly bad: Receiver,
  ) {}

  /** Creates the endpoints before any of the events that they receive. */
  async createEndpoints(): Promise<void> {
    const headers = { 'x-fixture-token': 'sent with every delivery' };
    this.bad.defaultResponder = respondWithStatus(500, '<b>Internal Server Error</b>\n');
    const { secretKey } = this.projects[0];
    this.endpoints = {
      healthy: { ...(await this.createEndpoint({ url: this.good.url, events: ['*'], headers })), headers },
      failing: {
        ...(await this.createEndpoint({
          url: this.bad.url,
          events: ['customer.created'],
          level: 'organization',
        })),
        headers: {},
      },
    };
    const other = await this.createEndpoint(
      { url: this.good.url, events: ['customer.*', 'session.created'] },
      this.projects[2].secretKey,
    );
    await this.post(
      `/v1/webhooks/endpoints/${other.id}/rotate-secret`,
      undefined,
      this.projects[2].secretKey,
    );
    const { id } = await this.createEndpoint({
      ...{ url: `${this.good.url}?orders`, events: ['app.order.paid', 'webhook.*'], name: 'Orders' },
      description: 'Custom events only',
    });
    await this.post(`/v1/webhooks/endpoints/${id}/test`);
    await this.post('/v1/events', { type: 'app.order.paid', data: { total: 49.9, currency: 'EUR' } });
    await send(this.instance, secretKey, 'PATCH', `/v1/webhooks/endpoints/${id}`, { name: 'Order service' });
    const unused = await this.createEndpoint({ url: 'https://disabled.example.com/hook', events: ['*'] });
    await this.post(`/v1/webhooks/endpoints/${unused.id}/disable`);
    const deleted = await this.createEndpoint({ url: 'https://deleted.example.com/hook', events: ['*'] });
    await send(this.instance, secretKey, 'DELETE', `/v1/webhooks/endpoints/${deleted.id}`);
  }

  /** Waits until all deliveries are finished, then resolves some of the dead letters. */
  async resolveDeadLetters(): Promise<void> {
    await this.waitUntilSettled();
    const { id } = this.endpoints.failing;
    const deadLetters = await this.listDeadLetters();
    this.bad.defaultResponder = respondWithStatus(200, 'ok');
    await this.post(`/v1/webhooks/deliveries/${deadLetters[0]}/redeliver`, {
      reason: 'the receiver is repaired',
    });
    await this.post(`/v1/webhooks/deliveries/${deadLetters[1]}/discard`, { reason: 'no longer needed' });
    const batch = await this.plan({ delivery_ids: deadLetters.slice(2, 5) });
    await this.post(`/v1/webhooks/redeliveries/${batch}/start`, { reason: 'the receiver is repaired' });
    await waitForRedelivery(this.instance, batch);
    await this.post(`/v1/webhooks/redeliveries/${await this.plan({ endpoint_id: id })}/cancel`);
    await this.plan({ endpoint_id: id });
    await this.replay(deadLetters[0]!);
    await this.waitUntilSettled();
    expectStatus(202, await this.operator.request('POST', '/health/test-alert', { channel: 'webhook' }));
    for (const job of ['DeadLetterNotifier', 'EndpointHealthReporter', 'Alerter'])
      await this.instance.runJob(job);
    await this.waitUntilSettled();
  }

  /**
   * Leaves pending deliveries: scheduled for a retry, claimed by a killed worker, and due. No worker runs
   * afterwards.
   */
  async leavePending(): Promise<WebhookPart> {
    await Promise.all(this.instance.workers.map((worker) => worker.stop()));
    const worker = this.instance.startWorker({ WEBHOOK_RETRY_SCHEDULE: LATE_RETRIES });
    await worker.waitUntilReady();
    this.good.defaultResponder = respondWithStatus(503, 'maintenance');
    await this.emit('scheduled', 5);
    await eventually('five retries', async () => (await this.listPending('attempt = 1')).length === 5);
    // Rollups lag half a minute behind the attempt log.
    await eventually('the rollups', async () => {
      const rows = await this.instance.sql('SELECT FROM attempt_figures_by_endpoint');
      return rows.length > 0;
    });
    for (const job of ['EndpointHealthReporter', 'Heartbeat']) await this.instance.runJob(job);

    const seen = this.good.requests.length;
    this.good.defaultResponder = () => undefined;
    await this.emit('leased', 1);
    await eventually('the claim', () => this.good.requests.length > seen);
    await worker.stop('SIGKILL');

    await this.emit('due', 12);
    const deadLetters = await this.listDeadLetters();
    await this.replay(deadLetters[0]!);
    const runningRedelivery = await this.plan({ delivery_ids: deadLetters.slice(0, 3) });
    await this.post(`/v1/webhooks/redeliveries/${runningRedelivery}/start`, {
      reason: 'the receiver is repaired',
    });
    return {
      endpoints: this.endpoints,
      deliveries: {
        succeeded: await this.listDeliveries(`state = 'succeeded' AND attempt = 1 ORDER BY id DESC LIMIT 5`),
        due: await this.listPending('attempt = 0'),
        scheduled: await this.listPending(`attempt = 1 AND next_attempt_at > now() + interval '1 day'`),
        leased: await this.listDeliveries(`state = 'pending' AND lease_until IS NOT NULL`),
        deadLetters: deadLetters.slice(3, 13),
      },
      runningRedelivery,
    };
  }

  /** Replays a delivery's event to another URL. Without a worker, the replay waits. */
  private async replay(deliveryId: string): Promise<void> {
    const body = { url: `${this.good.url}?replay`, secret: newSecret(), reason: 'Debugging' };
    const response = this.operator.request('POST', `/webhooks/deliveries/${deliveryId}/replay`, body);
    expectStatus(201, await response);
  }

  private emit(name: string, count: number): Promise<unknown> {
    const customers = Array.from({ length: count }, (_, index) => ({
      email: `${name}-${index}@example.com`,
    }));
    return this.post('/api/v1/customers/import', { customers, emitEvents: true });
  }

  private waitUntilSettled(): Promise<unknown> {
    return eventually('all deliveries to finish', async () => {
      const [row] = await this.instance.sql(
        `SELECT count(*)::int AS count FROM deliveries WHERE state = 'pending'`,
      );
      return row!['count'] === 0;
    });
  }

  /** Returns the failing endpoint's dead letters, newest first. */
  private async listDeadLetters(): Promise<string[]> {
    const rows = await this.instance.sql<{ id: string }>(
      `SELECT 'dlv_' || id AS id FROM deliveries WHERE endpoint_id = $1 AND state = 'failed' AND resolution IS NULL
       ORDER BY id DESC`,
      [this.endpoints.failing.id.slice('ep_'.length)],
    );
    return rows.map(({ id }) => id);
  }

  private listPending(condition: string): Promise<string[]> {
    return this.listDeliveries(`state = 'pending' AND lease_until IS NULL AND ${condition} ORDER BY id`);
  }

  /** Returns delivery ids for the healthy endpoint. */
  private async listDeliveries(condition: string): Promise<string[]> {
    const rows = await this.instance.sql<{ id: string }>(
      `SELECT 'dlv_' || id AS id FROM deliveries WHERE endpoint_id = $1 AND ${condition}`,
      [this.endpoints.healthy.id.slice('ep_'.length)],
    );
    return rows.map(({ id }) => id);
  }

  private async plan(filter: object): Promise<string> {
    return (await this.post('/v1/webhooks/redeliveries', { filter })).data.id as string;
  }

  private async createEndpoint(body: object, key?: string): Promise<Omit<FixtureEndpoint, 'headers'>> {
    const { id, secret } = (await this.post('/v1/webhooks/endpoints', body, key)).data;
    return { id, secret };
  }

  private post(path: string, body?: unknown, key = this.projects[0].secretKey): Promise<Record<string, any>> {
    return send(this.instance, key, 'POST', path, body);
  }
}
