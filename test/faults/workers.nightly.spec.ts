import { emitEvents } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { formatSeconds, recordMeasurements } from '../support/measurements.js';
import { History, ON_TIME } from '../support/history.js';
import { Receiver } from '../support/receiver.js';
import { availableQueues, TestInstance } from '../support/test-instance.js';
import { queueOf, stop, stopReceiver, workerScenarios } from '../support/worker-scenarios.js';

describe.each(availableQueues)('workers within time limits, deliveries with %s', (queue) => {
  let instance: TestInstance;
  let receiver: Receiver;
  let history: History;
  const start = async (workerEnv: Record<string, string>, workers: number): Promise<void> => {
    receiver = await Receiver.start();
    instance = await TestInstance.startShared({ queue, workerEnv, workers });
    history = new History(instance, receiver);
    await instance.createEndpoint(receiver.url, ['customer.created']);
  };
  afterEach(async () => {
    await instance?.stop();
    await receiver?.stop();
  });

  it('a worker is killed during a request: worker_lost is recorded within 6 s of the lease end', async () => {
    // Lease 6 s, timeout 2 s, retries after 0.3 s.
    const settings = { TIME_SCALE: '10', WEBHOOK_TIMEOUT: '20s', WEBHOOK_RETRY_SCHEDULE: '0s,3s,3s,3s,3s' };
    const leaseMs = 6_000;
    await start(settings, 1);
    receiver.respondWith(() => void instance.workers[0]!.stop('SIGKILL'));
    await instance.register();
    await eventually('the request', () => receiver.requests.length === 1);
    const claimedAt = Date.now();
    await instance.workers[0]!.waitForExit();
    instance.startWorker(settings);
    await instance.waitUntilReady();
    const readyMs = Date.now() - claimedAt;
    await eventually('a recorded attempt', async () => (await instance.listAttempts()).length > 0);
    const recordedMs = Date.now() - claimedAt;
    // 5 s, scaled, plus a tolerance for a busy machine.
    expect(recordedMs).toBeLessThan(Math.max(leaseMs, readyMs) + 6_000);
    const { requests } = await history.check({ ...ON_TIME, schedule: [0, 300, 300, 300, 300] });
    expect(requests).toBe(2);
    recordMeasurements({
      'recorded as worker_lost': `${formatSeconds(recordedMs)} after the claim, with a lease of ${formatSeconds(leaseMs)}`,
    });
  });

  it('five workers process 1,000 deliveries: each is sent once, and none more than 20 s late', async () => {
    await start({ WEBHOOK_TIMEOUT: '60s' }, 5);
    await emitEvents(instance, 1_000);
    // Delays are counted from the start of the import, which is one transaction.
    const { requests, attempts } = await history.check({ ...ON_TIME, lateMs: 20_000 });
    expect([requests, attempts]).toEqual([1_000, 1_000]);
  });
});

for (const queue of availableQueues) {
  // These scenarios use the other queue in the tests that run with every change.
  const scenarios = workerScenarios.filter((scenario) => queueOf(scenario) !== queue);
  if (scenarios.length > 0)
    describe(`workers, deliveries with ${queue}`, () => {
      afterEach(stopReceiver);
      afterAll(stop);
      it.each(scenarios)('$title', ({ run }) => run(queue));
    });
}
