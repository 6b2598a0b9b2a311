import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { createPartitions, seedDeliveries } from '../support/seed-deliveries.js';

describe('the delay before the first attempt', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await TestInstance.start({ env: { WEBHOOK_RETRY_SCHEDULE: '1h,1h,1h,1h,1h' } });
  });
  afterAll(async () => instance?.stop());

  it('is the same for an event, a redelivery and a batch', async () => {
    const { id } = await instance.createEndpoint('http://127.0.0.1:9/', ['customer.created']);
    await instance.register();
    const at = Date.now() - 86_400_000;
    await createPartitions(instance, at);
    const { projectId } = instance.credentials;
    const failedDelivery = {
      endpointId: id,
      projectId,
      state: 'failed' as const,
      attempts: [{ at, status: 500 }],
    };
    const [deadLetter] = await seedDeliveries(instance, [failedDelivery, failedDelivery]);
    const redeliverPath = `/v1/webhooks/deliveries/dlv_${deadLetter!.id}/redeliver`;
    expect((await instance.requestWithSecretKey('POST', redeliverPath)).status).toBe(202);
    const batches = '/v1/webhooks/redeliveries';
    const { body } = await instance.requestWithSecretKey('POST', batches, { filter: {} });
    await instance.requestWithSecretKey('POST', `${batches}/${body.data.id}/start`, { reason: 'the delay' });
    const delays = await eventually('all deliveries', async () => {
      const rows = await instance.sql<{ minutes: number }>(
        `SELECT round(extract(epoch FROM next_attempt_at - created_at) / 60)::int AS minutes FROM deliveries
         WHERE state = 'pending' AND attempt = 0`,
      );
      return rows.length === 3 && rows.map(({ minutes }) => minutes);
    });
    expect(delays).toEqual([60, 60, 60]);
  });
});
