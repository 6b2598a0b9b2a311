import { Webhook } from 'standardwebhooks';
import { queues, TestInstance, PASSWORD, type Queue } from '../support/test-instance.js';
import { eventually } from '../support/eventually.js';
import { Receiver, status, type Answer } from '../support/receiver.js';
import { uniqueEmail } from '../support/unique-email.js';

const gaps = (times: number[]): number[] => times.slice(1).map((time, index) => time - times[index]!);

let instance: TestInstance;
let receiver: Receiver;

function live(queue: Queue = 'postgresql', workerEnv: Record<string, string> = {}): void {
  beforeAll(async () => {
    instance = await TestInstance.shared({
      queue,
      // A tenth of it, so that retries are looked for every 100 ms.
      workerEnv: {
        TIME_SCALE: '10',
        WEBHOOK_RETRY_SCHEDULE: '0s,3s,6s,0s,0s',
        WEBHOOK_TIMEOUT: '60s',
        ...workerEnv,
      },
    });
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

  it('makes a dead letter of five failures, and a redelivery of it succeeds', async () => {
    receiver.answer(status(500), status(404), status(410), status(429), status(302));
    const { attempts, endpoint } = await deliver();
    expect(attempts.map(({ attempt, http_status, success }) => [attempt, http_status, success])).toEqual([
      [1, 500, false],
      [2, 404, false],
      [3, 410, false],
      [4, 429, false],
      [5, 302, false],
    ]);
    expect(attempts[4]).toMatchObject({ delivery_state: 'failed', next_attempt_at: null });
    const dead = attempts[0]!['delivery_id'] as string;

    const clicks = await Promise.all(
      Array.from({ length: 20 }, () =>
        instance.server('POST', `/v1/webhooks/deliveries/${dead}/redeliver`, { reason: 'receiver mended' }),
      ),
    );
    const made = clicks.filter(({ status }) => status === 202);
    expect(made).toHaveLength(1);
    for (const { body } of clicks.filter(({ status }) => status !== 202)) {
      expect(['already_redelivered', 'delivery_pending']).toContain(body.code);
    }
    const redelivery = made[0]!.body.data;
    expect(redelivery).toMatchObject({ redelivery_of: dead, endpoint_id: endpoint.id });
    const done = await eventually('the redelivery succeeding', async () => {
      const { body } = await instance.server('GET', `/v1/webhooks/deliveries/${redelivery.id}`);
      return body.data.state === 'succeeded' && body.data;
    });
    expect(done.attempts).toMatchObject([{ attempt: 1, success: true }]);
    expect(receiver.requests).toHaveLength(6);
    expect(new Set(receiver.requests.map(({ event }) => event.id)).size).toBe(1);

    const old = (await instance.server('GET', `/v1/webhooks/deliveries/${dead}`)).body.data;
    expect(old).toMatchObject({
      state: 'failed',
      resolution: 'redelivered',
      redelivered_as: redelivery.id,
      reason: 'receiver mended',
      resolved_by: expect.stringMatching(/^key:/),
    });
    expect(old.attempts).toHaveLength(5);
    const again = await instance.server('POST', `/v1/webhooks/deliveries/${dead}/redeliver`);
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'already_redelivered', redeliveredAs: redelivery.id },
    });
  });

  it('cancels what is pending when the endpoint is deleted, and keeps the log', async () => {
    receiver.otherwise = status(500);
    let fail: (() => void) | undefined;
    receiver.answer((response) => (fail = () => response.writeHead(500).end()));
    const endpoint = await instance.createEndpoint(receiver.url, ['customer.created']);
    await instance.register();
    const failFirst = await eventually('a first attempt', () => fail);
    await instance.server('DELETE', `/v1/webhooks/endpoints/${endpoint.id}`);
    failFirst();
    const seen = await eventually('the delivery being cancelled', async () => {
      const found = await instance.attempts({ endpoint_id: endpoint.id });
      return found.length > 0 && found.every(({ delivery_state }) => delivery_state === 'cancelled') && found;
    });
    // A delivery that begins later and has come two attempts further: the retry would have been sent by now.
    const later = await Receiver.start();
    later.otherwise = status(500);
    await instance.createEndpoint(later.url, ['customer.created']);
    await instance.register();
    await eventually('two later retries', () => later.requests.length >= 3);
    await later.stop();
    expect(receiver.requests).toHaveLength(1);
    const refused = await instance.server(
      'POST',
      `/v1/webhooks/deliveries/${seen[0]!['delivery_id']}/redeliver`,
    );
    expect(refused).toMatchObject({ status: 409, body: { code: 'endpoint_deleted' } });
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
    expect(attempts).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        endpoint_id: endpoint.id,
        event: 'customer.created',
        target_url: receiver.url,
        http_status: 200,
        success: true,
        attempt: 1,
        max_attempts: 5,
        duration_ms: expect.any(Number),
        response_body: 'ok',
        error: null,
        created_at: expect.stringMatching(/Z$/),
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: request!.event.id,
        project_id: instance.credentials.projectId,
        delivery_state: 'succeeded',
        next_attempt_at: null,
      },
    ]);
  });

  it('never follows a redirect (WH-04)', async () => {
    const canary = await Receiver.start();
    receiver.answer((response) => response.writeHead(307, { location: canary.url }).end());
    const { attempts } = await deliver();
    expect(attempts[0]).toMatchObject({ http_status: 307, success: false, error: 'http_error' });
    expect(canary.requests).toHaveLength(0);
    await canary.stop();
  });

  it('succeeds by status whatever the body does, and keeps 16 KiB of it at most (WH-12)', async () => {
    receiver.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const flood = setInterval(() => response.write(`\0é${'ü'.repeat(20_000)}`), 1);
      response.on('close', () => clearInterval(flood));
    });
    const { attempts } = await deliver();
    expect(attempts).toMatchObject([{ success: true, http_status: 200 }]);
    const body = attempts[0]!['response_body'] as string;
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(16 * 1024);
    expect(body).toMatch(/^éü+/);
    expect(body).not.toContain('\ufffd');
  });

  it('decompresses nothing (WH-05)', async () => {
    receiver.answer((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(100, 1)),
    );
    expect((await deliver()).attempts).toMatchObject([
      { success: true, response_body: '[encoded body omitted]' },
    ]);
  });

  it('sends only what an endpoint asked for, and `*` leaves out login.failed', async () => {
    const [all, customers, failures] = [
      await Receiver.start(),
      await Receiver.start(),
      await Receiver.start(),
    ];
    await instance.createEndpoint(all.url);
    await instance.createEndpoint(customers.url, ['customer.*']);
    await instance.createEndpoint(failures.url, ['login.failed']);
    const email = uniqueEmail();
    await instance.register(email);
    for (let tries = 0; tries < 3; tries += 1) {
      await instance.login(email, 'wrong password');
    }
    await instance.login(email);
    await eventually('every event', () => all.requests.length === 5);
    for (const each of [customers, failures])
      await eventually('what it asked for', () => each.requests.length > 0);
    expect(all.requests.map(({ event }) => event.type).sort()).toEqual([
      'customer.created',
      'login.succeeded',
      'session.created',
      'session.created',
      'verification.requested',
    ]);
    expect(customers.requests.map(({ event }) => event.type)).toEqual(['customer.created']);
    expect(failures.requests.map(({ event }) => event.type)).toEqual(['login.failed']);
    await Promise.all([all, customers, failures].map((each) => each.stop()));
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

  it('filters the log (endpoint 13)', async () => {
    receiver.answer(status(500));
    const { endpoint, attempts } = await deliver();
    const [failed, succeeded] = attempts as [Record<string, any>, Record<string, any>];
    const count = async (filter: Record<string, string>) =>
      (await instance.attempts({ endpoint_id: endpoint.id, ...filter })).map(
        ({ attempt }) => attempt as number,
      );
    expect(await count({})).toEqual([1, 2]);
    expect(await count({ success: 'true' })).toEqual([2]);
    expect(await count({ http_status: '500' })).toEqual([1]);
    expect(await count({ status_class: '5xx' })).toEqual([1]);
    expect(await count({ status_class: 'none' })).toEqual([]);
    expect(await count({ event: 'customer.created' })).toEqual([1, 2]);
    expect(await count({ event: 'login.failed' })).toEqual([]);
    expect(await count({ delivery_id: failed['delivery_id'] })).toEqual([1, 2]);
    expect(await count({ event_id: failed['event_id'] })).toEqual([1, 2]);
    expect(await count({ delivery_state: 'failed' })).toEqual([]);
    expect(await count({ created_after: failed['created_at'] })).toEqual([2]);
    expect(await count({ created_before: succeeded['created_at'] })).toEqual([1]);
    expect(await count({ project_id: instance.credentials.projectId })).toEqual([1, 2]);
    const byAttempt = await instance.server('GET', `/v1/webhooks/deliveries/${failed['id']}`);
    expect(byAttempt.body.data.attempts).toHaveLength(2);
  });

  it('takes 204 and 206 as success', async () => {
    for (const code of [204, 206]) {
      receiver.answer(status(code));
      expect((await deliver()).attempts).toMatchObject([{ http_status: code, success: true }]);
      await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
    }
  });

  it('records a target that resets or breaks the protocol, and goes on (WH-06)', async () => {
    receiver.answer(
      (_, __, message) => message.socket.resetAndDestroy(),
      (_, __, message) => message.socket.end('this is not HTTP\r\n\r\n'),
    );
    const { attempts } = await deliver();
    expect(attempts.map(({ http_status, error }) => [http_status, error])).toEqual([
      [0, 'connection_error'],
      [0, 'protocol_error'],
      [200, null],
    ]);
  });

  it('reaches no address that is not allowed, however it is spelt (WH-02)', async () => {
    const hosts = ['[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1'];
    for (const host of hosts) {
      const endpoint = await instance.createEndpoint('http://127.0.0.1:1/', ['customer.created']);
      await instance.sql('UPDATE webhook_endpoints SET url = $1 WHERE id = $2', [
        receiver.url.replace('127.0.0.1', host),
        endpoint.id.slice(3),
      ]);
    }
    await instance.register();
    const attempts = await eventually('an attempt at each', async () => {
      const found = (await instance.attempts()).filter(({ attempt, target_url }) =>
        hosts.some((host) => attempt === 1 && (target_url as string).includes(host)),
      );
      return found.length === hosts.length && found;
    });
    expect(attempts.map(({ error }) => error)).toEqual(hosts.map(() => 'blocked_address'));
    expect(receiver.requests).toHaveLength(0);
  });
});

describe('delivery with a short timeout', () => {
  live('postgresql', { WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s', WEBHOOK_TIMEOUT: '4s' });

  it('ends at a wall-clock limit, whether a target hangs or drips (WH-06)', async () => {
    const drip: Answer = (response) => {
      response.socket!.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => response.socket?.write('X'), 50);
      response.socket!.on('close', () => clearInterval(timer));
    };
    receiver.answer(() => undefined, drip).otherwise = () => undefined;
    const { attempts } = await deliver();
    expect(attempts.map(({ http_status, error }) => [http_status, error])).toEqual(
      Array.from({ length: 5 }, () => [0, 'timeout']),
    );
    for (const { duration_ms } of attempts) expect(duration_ms).toBeGreaterThanOrEqual(390);
  });
});
