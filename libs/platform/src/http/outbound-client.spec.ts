import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { AxiosHeaders } from 'axios';
import { customHeaderErrors } from '@gatehouse/domain';
import { eventually } from '../../../../test/support/eventually.js';
import {
  respondWith,
  respondEndlessly,
  getHeader,
  respondWithBytes,
  RawTarget,
  type RawResponder,
} from '../../../../test/support/raw-target.js';
import { OutboundClient } from './outbound-client.js';
import type { OutboundRequest } from './request-sender.js';

const AN_HOUR = 3_600_000;

/**
 * The code of a server that runs in its own thread. It responds once the first flag is set, then sets the second flag.
 */
const SERVER = `
  const { parentPort, workerData: flags } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.once('data', () => {
      parentPort.postMessage('request');
      Atomics.wait(flags, 0, 0);
      socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n', () => {
        Atomics.store(flags, 1, 1);
        Atomics.notify(flags, 1);
      });
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const tenantClient = (production: boolean, timeoutMs = AN_HOUR): OutboundClient =>
  OutboundClient.forTenantTargets({ policy: { production, allowedCidrs: [] }, dnsServers: [], timeoutMs });

const clients = {
  delivery: (timeoutMs = AN_HOUR) =>
    OutboundClient.forDeliveries({
      policy: { production: false, allowedCidrs: [] },
      dnsServers: [],
      timeoutMs,
    }),
  tenant: (timeoutMs = AN_HOUR) => tenantClient(false, timeoutMs),
  operator: (timeoutMs = AN_HOUR) => OutboundClient.forOperatorTargets(timeoutMs),
};
const kinds = Object.keys(clients) as (keyof typeof clients)[];

const blocked = expect.objectContaining({ code: 'ERR_BLOCKED_ADDRESS' });
const timedOut = expect.objectContaining({ code: 'ERR_REQUEST_TIMEOUT' });

describe('OutboundClient', () => {
  let target: RawTarget;
  beforeEach(async () => (target = await RawTarget.start()));
  afterEach(() => target.stop());

  const get = (more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    method: 'GET',
    url: target.url,
    headers: {},
    ...more,
  });

  it('WH-02: applies the target policy to URLs of tenants, but not to URLs of operators', async () => {
    const urls = [target.url, target.url.replace('127.0.0.1', 'localhost')];
    for (const url of urls) {
      await expect(tenantClient(true).request(get({ url }))).rejects.toEqual(blocked);
      // The URL is allowed, so only the address check can block it.
      const https = url.replace('http:', 'https:');
      await expect(tenantClient(true).request(get({ url: https }))).rejects.toEqual(blocked);
    }
    expect(target.connections).toBe(0);
    for (const url of urls)
      for (const kind of kinds) {
        const response = await clients[kind]().request(get({ url }));
        expect([kind, response.status, await response.text(10)]).toEqual([kind, 200, 'ok']);
      }
  });

  it.each(kinds)('sends and receives JSON, and keeps the connection alive: %s', async (kind) => {
    const client = clients[kind]();
    target.respondWith(
      respondWith('201 Created', Buffer.from('{"id":"é"}'), 'Content-Type: application/json'),
      respondWith('404 Not Found'),
    );
    const headers = { 'content-type': 'application/json', authorization: 'Bearer a-token' };
    const post = { method: 'POST', headers, body: '{"name":"ü"}', reuseConnection: true } as const;
    const created = await client.request(get(post));
    expect([created.status, created.ok, created.headers['content-type']]).toEqual([
      201,
      true,
      'application/json',
    ]);
    expect(JSON.parse(await created.text(100))).toEqual({ id: 'é' });
    const missing = await client.request(get());
    expect([missing.status, missing.ok, await missing.text(100)]).toEqual([404, false, '']);
    expect(target.requests.map(({ head, body }) => [head[0], body])).toEqual([
      ['POST /hook HTTP/1.1', '{"name":"ü"}'],
      ['GET /hook HTTP/1.1', ''],
    ]);
    expect(getHeader(target.requests[0]!, 'authorization')).toBe('Bearer a-token');
    expect(target.connections).toBe(1);
  });

  it.each(kinds)('does not follow redirects or use a proxy: %s', async (kind) => {
    const other = await RawTarget.start();
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
    for (const name of names) process.env[name] = other.url;
    try {
      target.respondWith(respondWith('307 Temporary Redirect', '', `Location: ${other.url}`));
      const response = await clients[kind]().request(get());
      expect([response.status, response.ok, response.headers['location']]).toEqual([307, false, other.url]);
      response.discard();
      expect(other.connections).toBe(0);
    } finally {
      for (const name of names) delete process.env[name];
      await other.stop();
    }
  });

  it.each(kinds)(
    'requests an unencoded response, and decodes an encoded one up to the limit: %s',
    async (kind) => {
      const encoded = respondWith('200 OK', gzipSync('x'.repeat(1_000_000)), 'Content-Encoding: gzip');
      target.respondWith(encoded, encoded, respondWith('200 OK', 'no br', 'Content-Encoding: br, x'));
      const read = async (maxBytes: number) => (await clients[kind]().request(get())).text(maxBytes);
      await expect(read(1_000_000)).resolves.toHaveLength(1_000_000);
      expect(getHeader(target.requests[0]!, 'accept-encoding')).toBe('identity');
      await expect(read(999_999)).rejects.toThrow('decoded response is longer than 999999 bytes');
      await expect(read(100)).resolves.toBe('no br');
    },
  );

  it.each(kinds)('reads at most 1,000 chunks from a response: %s', async (kind) => {
    const chunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`;
    target.respondWith(respondWithBytes(chunks), respondWithBytes(chunks));
    const excerpt = await (await clients[kind]().request(get())).excerpt(16_384);
    expect(excerpt).toBe('x'.repeat(1_000));
    const response = await clients[kind]().request(get());
    await expect(response.text(16_384)).rejects.toThrow('too many chunks');
  });

  it.each(kinds)(
    'repeats a request once if its reused connection ends before the response: %s',
    async (kind) => {
      const client = clients[kind]();
      const post = get({ method: 'POST', body: '{}', reuseConnection: true });
      const send = async (request: OutboundRequest = post) => (await client.request(request)).text(10);
      const close: RawResponder = (socket) => socket.destroy();
      const reset: RawResponder = (socket) => socket.resetAndDestroy();
      for (const end of [close, reset]) {
        target.respondWith(respondWith('200 OK', 'ok'), end, respondWith('200 OK', 'again'));
        expect([await send(), await send()]).toEqual(['ok', 'again']);
      }
      // A second failure, a failure on a new connection, and a failure after the first byte are final.
      target.respondWith(respondWith('200 OK', 'ok'), close, close);
      await send();
      await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
      target.respondWith(close);
      await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
      target.respondWith(respondWith('200 OK', 'ok'), (socket) => socket.end('H'));
      await send();
      await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(target.requests).toHaveLength(12);
    },
  );

  it.each(kinds)('uses a new connection unless reuse is allowed: %s', async (kind) => {
    const client = clients[kind]();
    for (const request of [get(), get({ method: 'POST' }), get(), get({ reuseConnection: false })])
      await (await client.request(request)).text(10);
    // The first and the third request share a connection.
    expect(target.connections).toBe(3);
  });

  it.each(kinds)('does not reuse a connection that the server closes within a second: %s', async (kind) => {
    const client = clients[kind]();
    target.respondWith(
      respondWith('200 OK', 'ok', 'Keep-Alive: timeout=1'),
      respondWith('200 OK', 'ok', 'Keep-Alive: timeout=60'),
    );
    for (let index = 0; index < 3; index += 1) await (await client.request(get())).text(10);
    expect(target.connections).toBe(2);
  });

  it('closes a connection with bytes after a response, however the response is split', async () => {
    const client = clients.tenant();
    const forged = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged';
    for (const length of [2_047, 2_048, 4_096]) {
      const body = 'x'.repeat(length) + forged.repeat(100);
      target.respondWith(respondWithBytes(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`));
      await expect((await client.request(get())).text(length)).resolves.toHaveLength(length);
      await expect((await client.request(get())).text(10)).resolves.toBe('ok');
    }
  });

  it('closes an idle connection that sends a response without a request', async () => {
    const client = clients.tenant();
    target.respondWith((socket, request) => {
      respondWith('200 OK', 'ok')(socket, request);
      socket.once('ack', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged'));
      idle = socket;
    });
    let idle: Socket | undefined;
    await (await client.request(get())).text(10);
    idle!.emit('ack');
    await eventually('the end of the connection', async () => (await target.countConnections()) === 0);
    await expect((await client.request(get())).text(10)).resolves.toBe('ok');
  });

  it('accepts a response that arrived in time but is read later due to a blocked event loop', async () => {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const server = new Worker(SERVER, { eval: true, workerData: flags });
    const [port] = (await once(server, 'message')) as [number];
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const response = clients.tenant().request(get({ url: `http://127.0.0.1:${port}/` }));
      await once(server, 'message');
      Atomics.store(flags, 0, 1);
      Atomics.notify(flags, 0);
      // Blocks the event loop until the response has been sent.
      Atomics.wait(flags, 1, 0);
      jest.advanceTimersByTime(2 * AN_HOUR);
      await expect(response).resolves.toMatchObject({ status: 200 });
      (await response).discard();
    } finally {
      jest.useRealTimers();
      await server.terminate();
    }
  });

  it('sends a server name without a trailing dot', async () => {
    const names: string[] = [];
    const SNICallback: TlsOptions['SNICallback'] = (name, callback) => {
      names.push(name);
      callback(new Error('no certificate'));
    };
    const secure = await RawTarget.start({ tls: { SNICallback } });
    try {
      const request = get({ url: `https://localhost.:${secure.port}/` });
      await expect(clients.tenant().request(request)).rejects.toThrow();
      expect(names).toEqual(['localhost']);
    } finally {
      await secure.stop();
    }
  });

  it.each(kinds)('stops reading a response at the limit: %s', async (kind) => {
    target.respondWith(respondWith('200 OK', 'x'.repeat(100)));
    const response = await clients[kind]().request(get());
    await expect(response.text(100)).resolves.toHaveLength(100);
    target.respondWith(respondEndlessly('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(1_000)));
    const endless = await clients[kind]().request(get());
    await expect(endless.text(100)).rejects.toThrow('longer than 100 bytes');
    await eventually('the end of the connection', async () => (await target.countConnections()) <= 1);
  });

  it.each(kinds)('WH-06: applies one time limit to the status line and the body: %s', async (kind) => {
    target.respondWith(() => undefined, respondWithBytes('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
    await expect(clients[kind](50).request(get())).rejects.toEqual(timedOut);
    const client = clients[kind](1_000);
    // If the machine stalls, the time limit may expire before the status line arrives.
    const body = client.request(get()).then((response) => response.text(100));
    await expect(body).rejects.toEqual(timedOut);
  });

  it.each(kinds)('rejects an incomplete response: %s', async (kind) => {
    target.respondWith((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
    const response = await clients[kind]().request(get());
    await expect(response.text(100)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each(kinds)('rejects a protocol switch and an endless series of 1xx responses: %s', async (kind) => {
    const hint = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    target.respondWith(
      respondWithBytes('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'),
      respondEndlessly(hint, hint),
    );
    for (let nth = 0; nth < 2; nth += 1)
      await expect(clients[kind]().request(get())).rejects.toMatchObject({ code: 'ERR_INTERIM_RESPONSE' });
  });

  it('cancels requests when their signal aborts, and removes its abort listener after a response', async () => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const client = clients.tenant();
    for (let nth = 0; nth < 20; nth += 1) await (await client.request(get({ signal }))).text(10);
    await expect(client.request(get({ signal, url: 'http://127.0.0.1:1/' }))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);

    target.defaultResponder = () => stopping.abort();
    const canceled = { code: 'ERR_CANCELED' };
    await expect(client.request(get({ signal }))).rejects.toMatchObject(canceled);
    await expect(client.request(get({ signal }))).rejects.toMatchObject(canceled);
    expect(target.requests).toHaveLength(21);
  });

  it.each(kinds)(
    'throws an error with the reason, but without the request and its secrets: %s',
    async (kind) => {
      const headers = { authorization: 'Bearer a-token' };
      for (const name of ['127.0.0.1', 'localhost']) {
        const request = get({
          method: 'POST',
          url: `http://${name}:1/?key=a-key`,
          headers,
          body: 'a-secret',
        });
        const error: unknown = await clients[kind]()
          .request(request)
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({
          code: 'ECONNREFUSED',
          message: expect.stringContaining('ECONNREFUSED'),
        });
        expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/a-token|a-key|a-secret/);
      }
    },
  );

  it('prevents custom endpoint headers from replacing an AxiosHeaders method', () => {
    const methods = Object.getOwnPropertyNames(AxiosHeaders.prototype).filter(
      (name) => name === name.toLowerCase() && name !== 'constructor',
    );
    expect(methods.length).toBeGreaterThan(5);
    const allowed = methods.filter((name) => customHeaderErrors({ [name]: 'x' }, false).length === 0);
    expect(allowed).toEqual([]);
  });
});
