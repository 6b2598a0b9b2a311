import { randomUUID } from 'node:crypto';
import { waitForFeed } from '../support/wait-for-feed.js';
import { TestInstance, type TestResponse } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.start({ workers: 0 })));
afterAll(async () => instance?.stop());

const create = async (): Promise<string> =>
  (await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: `${randomUUID()}@example.com` }))
    .body.id;
const list = (query: string): Promise<TestResponse> =>
  instance.requestWithSecretKey('GET', `/v1/events?types=customer.created&${query}`);
const customersOf = ({ body }: TestResponse): string[] =>
  (body.data as { data: { customer: { id: string } } }[]).map(({ data }) => data.customer.id);

describe('the feed of events', () => {
  it('hides and skips no event after a dump is restored to another server', async () => {
    const ids = [await create(), await create(), await create()];
    // The original server had higher transaction ids.
    await instance.sql(`UPDATE events SET xact = (xact::text::bigint + 1000000000)::text::xid8`);
    expect(customersOf(await list('limit=200'))).toEqual([]);
    await instance.api.stop();
    instance.startApi();
    await instance.waitUntilReady();
    await waitForFeed(instance);
    const first = await list('limit=1');
    expect(customersOf(first)).toEqual(ids.slice(0, 1));
    ids.push(await create());
    await waitForFeed(instance);
    const rest = await list(`limit=200&cursor=${encodeURIComponent(first.body.next_cursor as string)}`);
    expect(customersOf(rest)).toEqual(ids.slice(1));
  });
});
