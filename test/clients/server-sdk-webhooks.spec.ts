import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Gatehouse, type WebhookHandler, type WebhookHandlers } from '@gatehouse/server';
import express from 'express';
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';
import { checkCases } from '../support/check-cases.js';
import { registerCustomer } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

const newServer = (webhookSecret: string | string[]): Gatehouse =>
  createServer({ url: 'https://auth.example.com', projectId: 'prj', webhookSecret });

/** Starts a server. @returns its webhook URL and a function that stops it */
async function listen(listener: RequestListener): Promise<{ url: string; close: () => Promise<unknown> }> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return {
    url,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Signing {
  secret?: string;
  /** Signature age, in seconds. */
  age?: number;
  /** The body that is sent instead of the signed body. */
  sent?: string;
}

/** Returns a request signed in the same way as a webhook from Gatehouse. */
function signed(event: object, { secret = SECRET, age = 0, sent }: Signing = {}): RequestInit {
  const body = JSON.stringify(event);
  const at = new Date(Date.now() - age * 1_000);
  return {
    method: 'POST',
    body: sent ?? body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    },
  };
}

const deleted = { id: 'evt_1', type: 'customer.deleted', data: { customer: { id: 'c1' } } };

const respondTo = async (handler: WebhookHandler, init: RequestInit): Promise<[number, string]> => {
  const response = await handler(new Request('https://example.com/hooks', init));
  return [response.status, await response.text()];
};

describe('webhook in Express', () => {
  let instance: TestInstance;
  beforeAll(
    async () =>
      (instance = await TestInstance.startShared({
        workerEnv: { WEBHOOK_RETRY_SCHEDULE: '0s,0s,1h,1h,1h' },
      })),
  );
  afterAll(async () => instance?.stop());

  it("handles the worker's deliveries, and receives an event again after an error", async () => {
    const received: unknown[] = [];
    const errors: unknown[] = [];
    const app = express();
    const { url, close } = await listen(app);
    try {
      const endpoint = await instance.createEndpoint(url, ['customer.*', 'app.*']);
      const { projectId, projectSecretKey: secretKey } = instance.credentials;
      const gatehouse = createServer({
        url: instance.baseUrl,
        projectId,
        secretKey,
        webhookSecret: endpoint.secret,
      });
      const handlers: WebhookHandlers = {
        'customer.deleted': async ({ id, type, data }) => {
          received.push([id, type, data.customer.id]);
          if (received.length === 1) throw new Error('the database of the shop is down');
        },
        'app.*': ({ type, data }) => received.push([type, data['total']]),
      };
      app.post('/hooks', gatehouse.webhook(handlers, { onError: (error) => errors.push(error) }));
      const { id } = await registerCustomer(instance);
      const listAttempts = () => instance.listAttempts({ endpoint_id: endpoint.id });
      // A deletion cancels the deliveries that the worker has not claimed yet.
      await eventually('the creation', async () => (await listAttempts()).length > 0);
      await gatehouse.customers.delete(id);
      await eventually('the second attempt', () => received.length >= 2);
      await gatehouse.events.create({ type: 'app.order.paid', data: { total: '49.90' } });
      await eventually('the custom event', () => received.length >= 3);
      const again = [expect.stringMatching(/^evt_/), 'customer.deleted', id];
      expect(received).toEqual([again, again, ['app.order.paid', '49.90']]);
      expect((received[0] as string[])[0]).toBe((received[1] as string[])[0]);
      expect(errors).toEqual([expect.objectContaining({ message: 'the database of the shop is down' })]);
      const attempts = await eventually('all attempts', async () => {
        const list = await listAttempts();
        return list.length >= 4 && list;
      });
      // There is no handler for customer creation.
      expect(attempts.map((each) => [each['event'], each['http_status']]).sort()).toEqual([
        ['app.order.paid', 204],
        ['customer.created', 204],
        ['customer.deleted', 204],
        ['customer.deleted', 500],
      ]);
    } finally {
      await close();
    }
  });
});

describe('a webhook signature', () => {
  it('covers the exact body, and is rejected if it is invalid or too old', async () => {
    const handled: unknown[] = [];
    const handler = newServer([OTHER_SECRET, SECRET]).webhook({
      'customer.deleted': ({ data }) => handled.push(data),
    });
    const wrong = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const [first, ...others] = Object.entries(signed(deleted).headers as Record<string, string>).slice(1);
    expect(others).toHaveLength(2);
    await checkCases<[number, RequestInit]>(
      [
        ['the second secret', 204, signed(deleted)],
        ['the first secret', 204, signed(deleted, { secret: OTHER_SECRET })],
        ['four minutes old', 204, signed(deleted, { age: 240 })],
        ['six minutes old', 400, signed(deleted, { age: 360 })],
        ['six minutes ahead', 400, signed(deleted, { age: -360 })],
        ['another secret', 400, signed(deleted, { secret: wrong })],
        [
          'another body',
          400,
          signed(deleted, { sent: JSON.stringify({ ...deleted, type: 'customer.created' }) }),
        ],
        ['a space', 400, signed(deleted, { sent: `${JSON.stringify(deleted)} ` })],
        ['a byte order mark', 400, signed(deleted, { sent: `\uFEFF${JSON.stringify(deleted)}` })],
        ['no body', 400, signed(deleted, { sent: '' })],
        ['no headers', 400, { method: 'POST', body: JSON.stringify(deleted) }],
        ['no signature', 400, { ...signed(deleted), headers: Object.fromEntries([first!]) }],
      ],
      async (status, init) => expect(await respondTo(handler, init)).toEqual([status, '']),
    );
    expect(handled).toHaveLength(3);
  });

  it('needs a secret: a handler cannot be created without one', () => {
    const server = createServer({ url: 'https://auth.example.com', projectId: 'prj' });
    expect(() => server.webhook({})).toThrow(TypeError);
    expect(() => newServer([]).webhook({})).toThrow(TypeError);
    expect(() => newServer('whsec_').webhook({})).toThrow();
  });
});

describe('an event handler', () => {
  it('ignores unhandled events, even one whose type is the name of an inherited property', async () => {
    const handler = newServer(SECRET).webhook({});
    for (const type of ['customer.created', 'later.type', 'constructor', 'app.order.paid'])
      expect(await respondTo(handler, signed({ ...deleted, type }))).toEqual([204, '']);
  });

  it('responds with 500 and no details after an error, so that the event is redelivered', async () => {
    const errors: unknown[] = [];
    const failure = new Error('password of the database');
    const handlers: WebhookHandlers = {
      'customer.deleted': () => {
        throw failure;
      },
    };
    const handler = newServer(SECRET).webhook(handlers, { onError: (error) => errors.push(error) });
    expect(await respondTo(handler, signed(deleted))).toEqual([500, '']);
    expect(errors).toEqual([failure]);
  });

  it('prefers the exact type of a custom event to app.*', async () => {
    const calls: string[] = [];
    const handler = newServer(SECRET).webhook({
      'app.order.paid': ({ type }) => calls.push(`exact ${type}`),
      'app.*': ({ type }) => calls.push(`any ${type}`),
    });
    for (const type of ['app.order.paid', 'app.order.sent'])
      await respondTo(handler, signed({ ...deleted, type }));
    expect(calls).toEqual(['exact app.order.paid', 'any app.order.sent']);
  });
});

describe('a webhook body', () => {
  const errors: unknown[] = [];
  const handler = newServer(SECRET).webhook({}, { onError: (error) => errors.push(error) });
  const keepRaw = (req: object, _res: unknown, buffer: Buffer): void =>
    void Object.assign(req, { rawBody: buffer });
  const post = async (listener: RequestListener, init: RequestInit): Promise<[number, string]> => {
    const { url, close } = await listen(listener);
    try {
      const response = await fetch(url, init);
      return [response.status, await response.text()];
    } finally {
      await close();
    }
  };

  it('comes from the request, or from the raw bytes that a body parser stored', async () => {
    await checkCases<[RequestListener]>(
      [
        ['Node.js', (request, response) => void handler(request, response)],
        ['express', express().post('/hooks', handler)],
        [
          'express.raw',
          express()
            .use(express.raw({ type: '*/*' }))
            .post('/hooks', handler),
        ],
        [
          'express.text',
          express()
            .use(express.text({ type: '*/*' }))
            .post('/hooks', handler),
        ],
        [
          'rawBody',
          express()
            .use(express.json({ verify: keepRaw }))
            .post('/hooks', handler),
        ],
      ],
      async (listener) => expect(await post(listener, signed(deleted))).toEqual([204, '']),
    );
  });

  it('causes an error that states the fix if a body parser has replaced it', async () => {
    const app = express().use(express.json()).post('/hooks', handler);
    const [status, text] = await post(app, signed(deleted));
    expect([status, text]).toEqual([500, expect.stringContaining('Mount the webhook before express.json()')]);
    expect(String(errors.at(-1))).toContain('express.json()');
  });

  it('causes an error if it exceeds the maximum webhook size', async () => {
    const long = signed({ ...deleted, text: 'x'.repeat(1024 * 1024) });
    expect((await respondTo(handler, long))[0]).toBe(413);
    expect((await post(express().post('/hooks', handler), long))[0]).toBe(413);
  });

  it('requires Fastify to have a parser that stores the raw bytes', async () => {
    const app = Fastify();
    app.post('/parsed', handler);
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      );
      scope.post('/hooks', handler);
    });
    try {
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      expect((await fetch(`${url}/hooks`, signed(deleted))).status).toBe(204);
      expect((await fetch(`${url}/parsed`, signed(deleted))).status).toBe(500);
    } finally {
      await app.close();
    }
  });
});
