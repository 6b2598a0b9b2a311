import { Webhook } from 'standardwebhooks';
import { queues, TestInstance, PASSWORD, type Queue } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { Receiver, status } from '../support/receiver.js';
import { uniqueEmail } from '../support/unique-email.js';

const gaps = (times: number[]): number[] => times.slice(1).map((time, index) => time - times[index]!);

let instance: TestInstance;
let receiver: Receiver;

function live(queue: Queue = 'postgresql'): void {
  beforeAll(async () => {
    // A tenth of it, so that retries are looked for every 100 ms.
    const workerEnv = {
      TIME_SCALE: '10',
      WEBHOOK_RETRY_SCHEDULE: '0s,3s,6s,0s,0s',
      WEBHOOK_TIMEOUT: '60s',
    };
    instance = await TestInstance.shared({ queue, workerEnv });
  });
  beforeEach(async () => (receiver = await Receiver.start()));
  afterEach(async () => {
    await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
    await receiver.stop();
  });
  afterAll(async () => instance?.stop());
}

/** Registers a customer and waits until the delivery of `customer.created` is finished. */
const deliver = async (events = ['customer.created']) => {
  const endpoint = await instance.createEndpoint(receiver.url, events);
  const customer = (await instance.register()).body.customer;
  const attempts = await eventually('the delivery finishing', async () => {
    const found = await instance.attempts({ endpoint_id: endpoint.id });
    return found.length > 0 && found.every(({ delivery_state }) => delivery_state !== 'pending') && found;
  });
  return { endpoint, customer, attempts };
};

describe.each(queues)('delivery carried by %s', (queue) => {
  live(queue);

  it('retries 500, 500, 200 on the schedule: three records, one webhook-id, fresh timestamps (WH-08, WH-10)', async () => {
    receiver.answer(status(500, 'first'), status(500, 'second'));
    const { attempts } = await deliver();
    expect(
      attempts.map(({ attempt, http_status, success, error, response_body }) => [
        attempt,
        http_status,
        success,
        error,
        response_body,
      ]),
    ).toEqual([
      [1, 500, false, 'http_error', 'first'],
      [2, 500, false, 'http_error', 'second'],
      [3, 200, true, null, 'ok'],
    ]);
    const [first, second] = gaps(receiver.requests.map(({ at }) => at));
    expect(first).toBeGreaterThanOrEqual(270);
    expect(second).toBeGreaterThanOrEqual(540);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const signatures = new Set(receiver.requests.map(({ headers }) => headers['webhook-signature']));
    const timestamps = new Set(receiver.requests.map(({ headers }) => headers['webhook-timestamp']));
    expect(signatures.size).toBe(timestamps.size);
  });
});

describe('delivery', () => {
  live();

  it('sends a signed event that carries the resource as the API shows it (WH-07)', async () => {
    const { endpoint, customer, attempts } = await deliver();
    const [request] = receiver.requests;
    const payload = new Webhook(endpoint.secret).verify(
      request!.body,
      request!.headers as Record<string, string>,
    );
    expect(payload).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      type: 'customer.created',
      created_at: expect.stringMatching(/Z$/),
      project_id: instance.credentials.projectId,
      organization_id: instance.credentials.organizationId,
      data: {
        customer: {
          ...customer,
          projectId: instance.credentials.projectId,
          externalId: null,
          metadata: {},
          publicMetadata: {},
          disabledAt: null,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          lastLoginAt: null,
        },
      },
    });
    expect(request!.headers).toMatchObject({
      'webhook-id': request!.event.id,
      'content-type': 'application/json',
      'user-agent': 'Gatehouse-Webhooks/0.1.0',
      'accept-encoding': 'identity',
    });
    const byAttempt = await instance.server('GET', `/v1/webhooks/deliveries/${attempts[0]!['id']}`);
    expect(byAttempt.body.data).toMatchObject({
      id: attempts[0]!['delivery_id'],
      attempts: [{ attempt: 1 }],
    });
  });

  it('sends only what an endpoint asked for, and `*` leaves out login.failed', async () => {
    const [all, customers, failures] = await Promise.all([0, 1, 2].map(() => Receiver.start()));
    await instance.createEndpoint(all!.url);
    await instance.createEndpoint(customers!.url, ['customer.*']);
    await instance.createEndpoint(failures!.url, ['login.failed']);
    const email = uniqueEmail();
    await instance.register(email);
    for (let tries = 0; tries < 3; tries += 1) {
      await instance.login(email, 'wrong password');
    }
    await instance.login(email);
    await eventually('every event', () => all!.requests.length === 5);
    for (const each of [customers!, failures!])
      await eventually('what it asked for', () => each.requests.length > 0);
    expect(all!.requests.map(({ event }) => event.type).sort()).toEqual([
      'customer.created',
      'login.succeeded',
      'session.created',
      'session.created',
      'verification.requested',
    ]);
    expect(customers!.requests.map(({ event }) => event.type)).toEqual(['customer.created']);
    expect(failures!.requests.map(({ event }) => event.type)).toEqual(['login.failed']);
    await Promise.all([all, customers, failures].map((each) => each!.stop()));
  });

  it('puts no token, password or link into a payload (EV-04)', async () => {
    await instance.createEndpoint(receiver.url);
    const email = uniqueEmail();
    const { tokens } = (await instance.register(email)).body;
    const token = await instance.verificationToken(email);
    await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } });
    await eventually('verification.completed', () => receiver.ofType('verification.completed').length > 0);
    const text = receiver.requests.map(({ body }) => body).join('\n');
    for (const secret of [token, tokens.accessToken, tokens.refreshToken, PASSWORD, '$2b$'])
      expect(text).not.toContain(secret);
    expect(receiver.ofType('verification.completed')[0]!.event.data).toMatchObject({
      customer: { email, emailVerified: true },
      verification: {
        kind: 'email',
        email,
        via: 'link',
        requestedAt: expect.any(String),
        completedAt: expect.any(String),
      },
    });
  });
});
