import { setTimeout as sleep } from 'node:timers/promises';
import { registerMany } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { inSeconds, note } from '../support/figures.js';
import { History } from '../support/history.js';
import { queues, TestInstance } from '../support/test-instance.js';
import { Receiver, status, type Answer } from '../support/receiver.js';
import { startOver } from '../support/start-over.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Lease 6 s, time-out 2 s, retries after 0.3 s. */
const env = {
  TIME_SCALE: '10',
  WEBHOOK_TIMEOUT: '20s',
  WEBHOOK_RETRY_SCHEDULE: '0s,3s,3s,3s,3s',
  RATE_LIMITS: 'off',
};
const LEASE_MS = 6_000;
/** Between the end of a lease and the record: 5 s, scaled, and what a busy machine needs besides. */
const NOTICE_MS = 6_000;

/** Accepts a request and never answers it. */
const hold: Answer = () => undefined;

describe.each(queues)('workers, deliveries carried by %s', (queue) => {
  /** Its api outlives the tests: none of them ends it. */
  let shared: TestInstance;
  let instance: TestInstance;
  let receiver: Receiver;
  let history: History;
  beforeAll(async () => {
    shared = await TestInstance.start({ queue, env, workers: 0 });
  });
  afterAll(async () => shared?.stop());
  /** @param own in an instance of its own, with this besides */
  const start = async (workers = 1, own?: Record<string, string>) => {
    receiver = await Receiver.start();
    instance = own ? await TestInstance.start({ queue, env: { ...env, ...own }, workers: 0 }) : shared;
    history = new History(instance, receiver);
    for (let index = 0; index < workers; index += 1) instance.startWorker();
    await instance.ready();
  };
  afterEach(async () => {
    await receiver?.stop();
    await (instance === shared ? startOver(instance) : instance?.stop());
  });

  const listen = () => instance.createEndpoint(receiver.url, ['customer.created']);
  /** The attempts so far as [number, status, error]. */
  const outcomes = async () =>
    (await instance.attempts()).map(({ attempt, http_status, error }) => [attempt, http_status, error]);
  const sameEvent = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size;

  it('a worker is killed while the target holds the request: worker_lost at the end of the lease, then the next attempt on schedule', async () => {
    await start();
    await listen();
    // At once: the worker would give the request up after its time-out.
    receiver.answer(() => void instance.workers[0]!.end('SIGKILL'));
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    const claimed = Date.now();
    await instance.workers[0]!.ended();
    instance.startWorker();
    await instance.ready();
    const readyMs = Date.now() - claimed;
    await eventually('a record', async () => (await outcomes()).length > 0);
    const closedMs = Date.now() - claimed;
    expect(closedMs).toBeLessThan(Math.max(LEASE_MS, readyMs) + NOTICE_MS);
    await history.check();
    expect(await outcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(sameEvent()).toBe(1);
    const [first, second] = receiver.requests.map(({ headers }) => headers['webhook-timestamp']);
    expect(Number(second)).toBeGreaterThan(Number(first));
    note({ 'closed as worker_lost': `after ${inSeconds(closedMs)} of a lease of ${inSeconds(LEASE_MS)}` });
  });

  it("a worker is killed after the target's 200, before it is recorded: worker_lost, and the target gets the event again, the documented repeat", async () => {
    await start(0);
    await listen();
    const doomed = instance.startWorker({ FAILPOINTS: 'delivery.before-close' });
    await instance.ready();
    await instance.register();
    expect(await doomed.ended()).toBeNull();
    expect(receiver.requests.map(({ answered }) => answered?.status)).toEqual([200]);
    instance.startWorker();
    const { repeats } = await history.check();
    expect(repeats).toBe(1);
    expect(await outcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(sameEvent()).toBe(1);
  });

  it('a worker is killed during attempt 5: no sixth request, a dead letter that can be redelivered', async () => {
    await start();
    await listen();
    const kill: Answer = () => void instance.workers[0]!.end('SIGKILL');
    receiver.answer(status(500), status(500), status(500), status(500), kill);
    await instance.register();
    await eventually('attempt 5', () => receiver.requests.length === 5);
    await instance.workers[0]!.ended();
    instance.startWorker();
    const attempts = await eventually('the dead letter', async () => {
      const found = await instance.attempts();
      return found.length === 5 && found;
    });
    expect(attempts[4]).toMatchObject({ attempt: 5, error: 'worker_lost', delivery_state: 'failed' });
    await sleep(1_000);
    expect(receiver.requests).toHaveLength(5);
    const dead = attempts[0]!['delivery_id'] as string;
    expect((await instance.server('POST', `/v1/webhooks/deliveries/${dead}/redeliver`)).status).toBe(202);
    await eventually('the redelivery', () => receiver.requests.length >= 6);
    await history.check();
  });

  it('a worker stands still for longer than its lease: its late result changes nothing, another worker delivers', async () => {
    await start();
    await listen();
    const [frozen] = instance.workers as [TestInstance['workers'][number]];
    let answerLate!: () => void;
    receiver.answer((response) => {
      frozen.freeze();
      answerLate = () => response.end('late');
    });
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    // The other one is told to be ready before the first can be asked.
    const other = instance.startWorker();
    await eventually('the other worker', () => other.log.some(({ message }) => message === 'ready'));
    await eventually('another attempt', () => receiver.requests.length >= 2);
    answerLate();
    await sleep(500);
    frozen.thaw();
    await eventually('the late result', () =>
      frozen.log.some(({ deliveryState }) => deliveryState === 'claim lost'),
    );
    await history.check();
    expect(await outcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(frozen.isRunning).toBe(true);
  });

  it('a worker is told to stop with 20 requests in flight: they finish, nothing stays leased, exit 0', async () => {
    await start(0);
    instance.startWorker({ WEBHOOK_TIMEOUT: '60s' });
    await instance.ready();
    await listen();
    receiver.otherwise = (response) => void setTimeout(() => response.end('late'), 700);
    await registerMany(instance, 20);
    await eventually('20 requests', () => receiver.requests.length === 20);
    const told = Date.now();
    expect(await instance.workers[0]!.end('SIGTERM')).toBe(0);
    note({ 'ended after': inSeconds(Date.now() - told) });
    expect(await instance.sql('SELECT FROM deliveries WHERE lease_until IS NOT NULL')).toHaveLength(0);
    expect((await history.check()).requests).toBe(20);
  });

  it('20 clicks on "redeliver" at once: one new delivery, nineteen times 409, and the audit log has all 20', async () => {
    await start();
    await listen();
    receiver.answer(...Array.from({ length: 5 }, () => status(500)));
    await instance.register();
    const dead = await eventually('the dead letter', async () => {
      const [found] = await instance.attempts({ delivery_state: 'failed' });
      return found?.['delivery_id'] as string | undefined;
    });
    const path = `/v1/webhooks/deliveries/${dead}/redeliver`;
    const clicks = await Promise.all(Array.from({ length: 20 }, () => instance.server('POST', path)));
    expect(clicks.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(19).fill(409)]);
    const audited = await instance.sql(
      `SELECT FROM audit_log WHERE action = 'webhook_delivery.redelivered' AND target_id = $1`,
      [dead],
    );
    expect(audited).toHaveLength(20);
    expect(await history.check()).toMatchObject({ deliveries: 2, requests: 6 });
  });

  it('a worker is told to stop while 20 targets hold their requests: broken off at 12 s, nothing stays leased, exit 0, another worker delivers', async () => {
    await start(1, { TIME_SCALE: '1', WEBHOOK_TIMEOUT: '60s', WEBHOOK_RETRY_SCHEDULE: '0s,1s,1s,1s,1s' });
    await listen();
    receiver.answer(...Array.from({ length: 20 }, () => hold));
    await registerMany(instance, 20);
    await eventually('20 requests', () => receiver.requests.length === 20);
    const told = Date.now();
    expect(await instance.workers[0]!.end('SIGTERM')).toBe(0);
    const endMs = Date.now() - told;
    expect(endMs).toBeGreaterThan(11_000);
    note({ 'ended after': inSeconds(endMs) });
    expect(await instance.sql('SELECT FROM deliveries WHERE lease_until IS NOT NULL')).toHaveLength(0);
    expect(new Set((await outcomes()).map(([, , error]) => error))).toEqual(new Set(['worker_lost']));
    // Meanwhile there is no worker at all; it counts from when the next one is there.
    instance.startWorker();
    expect((await history.check({ lateMs: 15_000 })).requests).toBe(40);
  });

  it.each([
    ['deleted', 'DELETE', '', 204],
    ['disabled', 'POST', '/disable', 200],
  ] as const)(
    'an endpoint is %s with retries pending: no further request, cancelled, the log stays',
    async (_, method, action, expected) => {
      await start(0);
      // So that few have failed for the fifth time when it is changed.
      instance.startWorker({ WEBHOOK_RETRY_SCHEDULE: '0s,10s,10s,10s,10s' });
      await instance.ready();
      const endpoint = await listen();
      receiver.otherwise = status(500);
      await registerMany(instance, 20);
      await eventually('20 failures', async () => (await instance.attempts()).length >= 20);
      const changed = await instance.server(method, `/v1/webhooks/endpoints/${endpoint.id}${action}`);
      expect(changed.status).toBe(expected);
      await eventually('the last of them', async () => {
        const open = await instance.sql('SELECT FROM deliveries WHERE lease_until IS NOT NULL');
        return open.length === 0;
      });
      const before = receiver.requests.length;
      await sleep(1_500);
      expect(receiver.requests).toHaveLength(before);
      const schedule = [0, 1_000, 1_000, 1_000, 1_000];
      const { cancelled, deadLetters } = await history.check({ schedule });
      // On a slow machine one or the other may have failed for the fifth time by then.
      expect(cancelled + deadLetters).toBe(20);
      expect(cancelled).toBeGreaterThan(0);
      expect((await instance.attempts()).length).toBe(before);
    },
  );

  it('five workers and 1,000 deliveries: 1,000 requests, each attempt 1 once', async () => {
    await start(0);
    await listen();
    // No target of a busy machine is so slow that it would be asked again.
    for (let index = 0; index < 5; index += 1) instance.startWorker({ WEBHOOK_TIMEOUT: '60s' });
    await instance.ready();
    const customers = Array.from({ length: 1_000 }, () => ({ email: uniqueEmail() }));
    const made = await instance.server('POST', '/api/v1/customers/import', { customers, emitEvents: true });
    expect(made.status).toBe(200);
    // They count from the beginning of the import, which is one transaction.
    const { requests, attempts } = await history.check({ lateMs: 20_000 });
    expect([requests, attempts]).toEqual([1_000, 1_000]);
  });
});
