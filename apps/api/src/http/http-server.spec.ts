import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import express from 'express';
import type { Logger } from '@gatehouse/platform';
import { allowLongBody, createHttpServer, drain } from './http-server.js';

const LIMIT_MS = 200;

describe('createHttpServer', () => {
  let server: Server;
  let errors: unknown[];
  beforeEach(async () => {
    const app = express();
    app.post('/long', async (request, response) => {
      allowLongBody(request);
      let length = 0;
      for await (const chunk of request) length += (chunk as Buffer).length;
      response.setHeader('Connection', 'close').send(String(length));
    });
    app.post('/short', (request, response) => {
      request.resume().once('end', () => void response.send('read'));
    });
    errors = [];
    const logger = { error: (...args: unknown[]) => errors.push(args) } as unknown as Logger;
    server = createHttpServer(app, 'http://127.0.0.1', logger);
    // Node applies the longer limit to the whole request.
    server.headersTimeout = LIMIT_MS;
    server.requestTimeout = LIMIT_MS;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = (): number => (server.address() as AddressInfo).port;

  it('IN-11: returns 408 and closes the connection when a request takes too long to arrive', async () => {
    const socket = connect(port(), '127.0.0.1');
    socket.write('POST /short HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx');
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  });

  it('IN-11: accepts a long request after allowLongBody and closes its connection', async () => {
    const expired = new Promise<void>((resolve) => server.prependListener('clientError', () => resolve()));
    const sent = request({ port: port(), method: 'POST', path: '/long' });
    const responded = once(sent, 'response');
    sent.write('x');
    await expired;
    sent.end('y');
    const [response] = await responded;
    expect(await once(response.setEncoding('utf8'), 'data')).toEqual(['2']);
    expect(response.headers.connection).toBe('close');
  });

  it('logs connections that it cannot accept', () => {
    for (const code of ['EMFILE', 'ENFILE'])
      server.emit('error', Object.assign(new Error('accept'), { code }));
    expect(errors).toEqual([
      [{ code: 'EMFILE' }, 'server could not accept a connection'],
      [{ code: 'ENFILE' }, 'server could not accept a connection'],
    ]);
  });
});

describe('drain', () => {
  afterEach(() => jest.useRealTimers());

  it('closes the connection of a request in progress after its response', async () => {
    let respond: () => void;
    const server = createServer((_, response) => (respond = () => response.end('responded')));
    // Disables the timeout, so that idle connections stay open.
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    // With fake timers, the maximum wait for requests in progress never ends.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const drained = drain(server);
    await jest.advanceTimersByTimeAsync(1_000);
    respond!();
    expect(await text(socket)).toMatch(/responded/);
    await drained;
  });
});
