import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { EventForwarder, type ForwardedEvent } from './event-forwarder.js';
import type { ListenRecord } from './listen-record.js';
import { TIMEOUT_MS } from './send-webhook.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const newEvent = (id: string): ForwardedEvent => ({
  id,
  type: 'app.paid',
  body: `{"id":"${id}", "total": 49.90}`,
});

interface Received {
  body: string;
  headers: IncomingHttpHeaders;
  response: ServerResponse;
}

/** Starts a receiver. The test reads its requests and sends the responses. */
async function startReceiver() {
  const log: string[] = [];
  const arrivals = new EventEmitter();
  const waiting = on(arrivals, 'request');
  const server = createServer((message, response) => {
    log.push(`received ${String(message.headers['webhook-id'])}`);
    void text(message).then((body) => arrivals.emit('request', { body, headers: message.headers, response }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    log,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`),
    next: async (): Promise<Received> => ((await waiting.next()).value as [Received])[0],
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeEach(async () => (receiver = await startReceiver()));
afterEach(() => receiver.close());

/** Returns a forwarder and its records. `expire` makes the current request time out. */
function newForwarder(target = receiver.url) {
  const records: ListenRecord[] = [];
  const stop = new AbortController();
  const pauses: number[] = [];
  let expire = (): void => undefined;
  const forwarder = new EventForwarder({
    target,
    secret: SECRET,
    userAgent: 'Gatehouse-Webhooks/1.2.3',
    signal: stop.signal,
    report: async (record) => void records.push(record),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        if (ms === TIMEOUT_MS) expire = resolve;
        else pauses.push(ms);
      }),
  });
  const outcomes = (): unknown[] =>
    records.flatMap((record) =>
      record.kind === 'response' ? [[record.event_id, record.status, record.error]] : [],
    );
  return { forwarder, records, pauses, outcomes, stop, expire: () => expire() };
}

it('signs the exact bytes of the body with the Standard Webhooks headers', async () => {
  const { forwarder } = newForwarder();
  const event = newEvent('evt_1');
  const sent = forwarder.forward(event);
  const { body, headers, response } = await receiver.next();
  response.writeHead(204).end();
  await sent;
  expect(body).toBe(event.body);
  expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  expect(headers).toMatchObject({ 'webhook-id': 'evt_1', 'user-agent': 'Gatehouse-Webhooks/1.2.3' });
});

it('sends an event after the response to the previous one, and continues after failures', async () => {
  const { forwarder, outcomes, expire } = newForwarder();
  const sent = Promise.all(['evt_1', 'evt_2', 'evt_3', 'evt_4'].map((id) => forwarder.forward(newEvent(id))));
  const respond = async (status: number): Promise<void> => {
    const { headers, response } = await receiver.next();
    receiver.log.push(`responding to ${String(headers['webhook-id'])}`);
    response.writeHead(status, { location: '/other' }).end();
  };
  await respond(500);
  const hanging = await receiver.next();
  expire();
  await once(hanging.response, 'close');
  await respond(302);
  await respond(200);
  await sent;
  expect(outcomes()).toEqual([
    ['evt_1', 500, 'http_error'],
    ['evt_2', 0, 'timeout'],
    ['evt_3', 302, 'http_error'],
    ['evt_4', 200, null],
  ]);
  expect(receiver.log).toEqual([
    'received evt_1',
    'responding to evt_1',
    'received evt_2',
    'received evt_3',
    'responding to evt_3',
    'received evt_4',
    'responding to evt_4',
  ]);
  expect(forwarder.counts).toEqual({ delivered: 1, failed: ['evt_1', 'evt_2', 'evt_3'], skipped: 0 });
});

it('redelivers the last failed event, all failed events in order, or the last event', async () => {
  const { forwarder, records, outcomes } = newForwarder();
  await forwarder.redeliver('last');
  expect(records).toEqual([{ kind: 'nothing_to_redeliver' }]);
  const statuses = [500, 500, 500, 200];
  const run = async (work: Promise<unknown>, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      (await receiver.next()).response.writeHead(statuses.shift() ?? 200).end();
    await work;
  };
  const ids = ['evt_1', 'evt_2', 'evt_3', 'evt_4'];
  await run(Promise.all(ids.map((id) => forwarder.forward(newEvent(id)))), 4);
  await run(forwarder.redeliver('last'), 1);
  statuses.push(500);
  await run(forwarder.redeliver('all'), 2);
  await run(forwarder.redeliver('all'), 1);
  await run(forwarder.redeliver('last'), 1);
  expect(outcomes().slice(4)).toEqual([
    ['evt_3', 200, null],
    ['evt_1', 500, 'http_error'],
    ['evt_2', 200, null],
    ['evt_1', 200, null],
    ['evt_1', 200, null],
  ]);
  expect(forwarder.counts).toEqual({ delivered: 4, failed: [], skipped: 0 });
});

it('keeps an event while no connection can be opened, and connects immediately on request', async () => {
  const { forwarder, records, pauses, stop } = newForwarder();
  receiver.close();
  const sent = Promise.allSettled(['evt_1', 'evt_2'].map((id) => forwarder.forward(newEvent(id))));
  for (let attempts = 1; attempts <= 6; attempts += 1) {
    while (pauses.length < attempts) await new Promise(setImmediate);
    await forwarder.redeliver('last');
  }
  stop.abort();
  await sent;
  expect(pauses.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(records).toEqual([
    {
      kind: 'unreachable',
      target: receiver.url.host,
      message: expect.stringContaining('ECONNREFUSED'),
      event_id: 'evt_1',
      event_type: 'app.paid',
    },
  ]);
});

it('skips an event whose data was erased, because no endpoint receives it either', async () => {
  const { forwarder, records } = newForwarder();
  await forwarder.forward({ id: 'evt_1', type: 'customer.created', body: null });
  expect(records).toEqual([
    { kind: 'skipped', event_id: 'evt_1', event_type: 'customer.created', reason: 'erased' },
  ]);
  expect(receiver.log).toEqual([]);
});

it('ends the current request and sends no further events when it is stopped', async () => {
  const { forwarder, records, stop } = newForwarder();
  const sent = ['evt_1', 'evt_2'].map((id) => forwarder.forward(newEvent(id)));
  const outcomes = Promise.allSettled(sent);
  const { response } = await receiver.next();
  stop.abort();
  await once(response, 'close');
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await forwarder.waitUntilIdle();
  expect([records, receiver.log]).toEqual([[], ['received evt_1']]);
});
