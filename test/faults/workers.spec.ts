import { emitEvents } from '../support/dead-letters.js';
import { expireLeases, makeDeliveriesDue } from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { recordMeasurements } from '../support/measurements.js';
import { respondWithStatus, type Responder } from '../support/receiver.js';
import { availableQueues } from '../support/test-instance.js';
import {
  check,
  countEvents,
  createEndpoint,
  instance,
  listOutcomes,
  queueOf,
  receiver,
  start,
  startWorker,
  stop,
  stopReceiver,
  workerScenarios,
} from '../support/worker-scenarios.js';

afterEach(stopReceiver);
afterAll(stop);

const requestsFor = (eventId: string) => receiver.requests.filter(({ event }) => event.id === eventId);

describe.each(availableQueues)('workers, deliveries with %s', (queue) => {
  it.each(workerScenarios.filter((scenario) => queueOf(scenario) === queue))('$title', ({ run }) =>
    run(queue),
  );
});

describe('workers', () => {
  /** Retries begin without delay: the due poller finds each within 0.1 s. */
  const settings = {
    PERIODIC_JOBS: 'off',
    TIME_SCALE: '10',
    WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s',
    WEBHOOK_TIMEOUT: '60s',
  };

  it('a worker is killed before it records a 200: the target gets the event again', async () => {
    await start('postgresql', settings, 0);
    const worker = await startWorker({ FAILPOINTS: 'delivery.before-record' });
    await createEndpoint();
    await instance.register();
    expect(await worker.waitForExit()).toBeNull();
    expect(receiver.requests.map(({ response }) => response?.status)).toEqual([200]);
    await expireLeases(instance, await startWorker());
    expect((await check()).repeats).toBe(1);
    expect(await listOutcomes()).toEqual([
      [1, 0, 'worker_lost'],
      [2, 200, null],
    ]);
    expect(countEvents()).toBe(1);
  });

  it('a worker is killed during attempt 5: the dead letter can be redelivered exactly once', async () => {
    await start('postgresql', settings);
    await createEndpoint();
    const kill: Responder = () => void instance.workers[0]!.stop('SIGKILL');
    receiver.respondWith(
      respondWithStatus(500),
      respondWithStatus(500),
      respondWithStatus(500),
      respondWithStatus(500),
      kill,
    );
    await instance.register();
    await eventually('attempt 5', () => receiver.requests.length === 5);
    await instance.workers[0]!.waitForExit();
    await expireLeases(instance, await startWorker());
    const attempts = await instance.listAttempts();
    expect(attempts).toHaveLength(5);
    expect(attempts[4]).toMatchObject({ attempt: 5, error: 'worker_lost', delivery_state: 'failed' });
    // A sixth request would have been sent before these events.
    await makeDeliveriesDue(instance);
    await emitEvents(instance, 1);
    await eventually('the next event', () => countEvents() === 2);
    const { event } = receiver.requests[0]!;
    expect(requestsFor(event.id)).toHaveLength(5);
    const deadLetterId = attempts[0]!['delivery_id'] as string;
    const path = `/v1/webhooks/deliveries/${deadLetterId}/redeliver`;
    const redeliveries = await Promise.all(
      Array.from({ length: 20 }, () => instance.requestWithSecretKey('POST', path)),
    );
    expect(redeliveries.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(19).fill(409)]);
    const audited = await instance.sql(
      `SELECT FROM audit_log WHERE action = 'webhook_delivery.redelivered' AND target_id = $1`,
      [deadLetterId],
    );
    expect(audited).toHaveLength(20);
    recordMeasurements({ redeliveries: redeliveries.length });
    expect(await check()).toMatchObject({ deliveries: 3, requests: 7, deadLetters: 1 });
    expect(requestsFor(event.id)).toHaveLength(6);
  });
});
