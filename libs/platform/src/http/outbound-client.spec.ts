import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { AxiosHeaders } from 'axios';
import { customHeaderErrors } from '@gatehouse/domain';
import { eventually } from '../../../../test/support/eventually.js';
import {
  respondWith,
  respondEndlessly,
  getHeader,
  respondWithBytes,
  RawTarget,
} from '../../../../test/support/raw-target.js';
import { OutboundClient, type OutboundRequest } from './outbound-client.js';

const AN_HOUR = 3_600_000;

const tenantClient = (production: boolean, timeoutMs = AN_HOUR): OutboundClient =>
  OutboundClient.forTenantTargets({ policy: { production, allowedCidrs: [] }, dnsServers: [], timeoutMs });

const clients = {
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

  it('WH-02: a client for tenants applies the target policy to URLs and addresses; one for operators allows both', async () => {
    const urls = [target.url, target.url.replace('127.0.0.1', 'localhost')];
    for (const url of urls) {
      await expect(tenantClient(true).request(get({ url }))).rejects.toEqual(blocked);
      // Allowed as a URL, so only its address can block it.
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

  it.each(kinds)('sends and receives JSON and keeps the connection alive: %s', async (kind) => {
    const client = clients[kind]();
    target.respondWith(
      respondWith('201 Created', Buffer.from('{"id":"é"}'), 'Content-Type: application/json'),
      respondWith('404 Not Found'),
    );
    const headers = { 'content-type': 'application/json', authorization: 'Bearer a-token' };
    const created = await client.request(get({ method: 'POST', headers, body: '{"name":"ü"}' }));
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

  it.each(kinds)('follows no redirect and uses no proxy: %s', async (kind) => {
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

  it.each(kinds)('requests an unencoded response and rejects an encoded one: %s', async (kind) => {
    target.respondWith(respondWith('200 OK', gzipSync('x'.repeat(1_000_000)), 'Content-Encoding: gzip'));
    const response = await clients[kind]().request(get());
    await expect(response.text(10_000_000)).rejects.toThrow('encoded');
    expect(getHeader(target.requests[0]!, 'accept-encoding')).toBe('identity');
  });

  it.each(kinds)('reads no more of a response than the limit: %s', async (kind) => {
    target.respondWith(respondWith('200 OK', 'x'.repeat(100)));
    const response = await clients[kind]().request(get());
    await expect(response.text(100)).resolves.toHaveLength(100);
    target.respondWith(respondEndlessly('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(1_000)));
    const endless = await clients[kind]().request(get());
    await expect(endless.text(100)).rejects.toThrow('longer than 100 bytes');
    await eventually('the end of the connection', async () => (await target.countConnections()) <= 1);
  });

  it.each(kinds)('WH-06: one time limit covers the status line and the body: %s', async (kind) => {
    target.respondWith(() => undefined, respondWithBytes('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
    await expect(clients[kind](50).request(get())).rejects.toEqual(timedOut);
    const client = clients[kind](1_000);
    await client.load();
    // If the machine stalls, the time limit expires before the status line arrives.
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

  it.each(kinds)('fails with the reason but without the request and its secrets: %s', async (kind) => {
    const headers = { authorization: 'Bearer a-token' };
    for (const name of ['127.0.0.1', 'localhost']) {
      const request = get({ method: 'POST', url: `http://${name}:1/?key=a-key`, headers, body: 'a-secret' });
      const error: unknown = await clients[kind]()
        .request(request)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'ECONNREFUSED', message: expect.stringContaining('ECONNREFUSED') });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/a-token|a-key|a-secret/);
    }
  });

  it('custom headers of endpoints cannot replace a method of AxiosHeaders', () => {
    const methods = Object.getOwnPropertyNames(AxiosHeaders.prototype).filter(
      (name) => name === name.toLowerCase() && name !== 'constructor',
    );
    expect(methods.length).toBeGreaterThan(5);
    const allowed = methods.filter((name) => customHeaderErrors({ [name]: 'x' }, false).length === 0);
    expect(allowed).toEqual([]);
  });
});
