import { registerCustomers } from '../support/customers.js';
import {
  expectUnavailable,
  withDeadline,
  DedicatedDatabase,
  LEASE_TOLERANCES,
  sendAllRequestKinds,
} from '../support/dedicated-database.js';
import { eventually } from '../support/eventually.js';

describe('PostgreSQL that does not respond', () => {
  let dedicated: DedicatedDatabase;
  beforeAll(async () => (dedicated = await DedicatedDatabase.start()));
  afterEach(() => dedicated?.server.thaw());
  afterAll(() => dedicated?.remove());

  it('I7: PostgreSQL is frozen: every request gets 503 in time; the same processes continue when it responds again', async () => {
    const { instance, server, receiver, history, customer, pids } = dedicated;
    await registerCustomers(instance, 20);
    await server.freeze();
    const live = await instance.request('GET', '/livez');
    const ready = await instance.request('GET', '/readyz');
    const requests = [1, 2, 3].flatMap(() => sendAllRequestKinds(instance, customer));
    const responses = await Promise.all(requests.map((each) => withDeadline(each)));
    expect([live.status, ready.status]).toEqual([200, 503]);
    responses.forEach(expectUnavailable);

    server.thaw();
    const created = await eventually('a registration', async () => {
      const { status, body } = await instance.register();
      return status === 201 && (body.customer.id as string);
    });
    await dedicated.expectHealthyConnections();
    await eventually('the event', () => receiver.requests.some(({ body }) => body.includes(created)));
    expect(dedicated.pids).toEqual(pids);
    await history.check(LEASE_TOLERANCES);
  });

  it('I7: PostgreSQL is frozen: both programs exit on SIGTERM', async () => {
    const { instance, server, history } = dedicated;
    await server.freeze();
    const ended = await Promise.all([instance.api, instance.workers[0]!].map((each) => each.stop('SIGTERM')));
    expect(ended).toEqual([0, 0]);
    server.thaw();
    instance.startApi();
    instance.startWorker();
    await instance.waitUntilReady();
    await history.check(LEASE_TOLERANCES);
  });
});
