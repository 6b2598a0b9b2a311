import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '../../../../test/support/eventually.js';
import { RequestQueue } from './request-queue.js';

/** More bytes than both sockets' buffers can hold. */
const LARGE = 32 * 2 ** 20;

const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
const chunked = 'POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('RequestQueue', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let respond: (request: IncomingMessage, response: ServerResponse) => unknown;
  let handled: { request: IncomingMessage; response: ServerResponse }[];
  beforeEach(async () => {
    handled = [];
    received = '';
    respond = () => undefined;
    const queue = new RequestQueue((request, response) => {
      handled.push({ request, response });
      respond(request, response);
    });
    server = createServer(queue.handle);
    server.on('clientError', (_: Error, socket: Socket) =>
      queue.reject(socket, () => socket.end('rejected')),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
    client.on('data', (text: string) => (received += text)).on('error', () => undefined);
  });
  afterEach(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });

  const last = () => handled.at(-1)!;
  const handledCount = (count: number) => eventually(`request ${count}`, () => handled.length === count);

  it('reads and starts a request only after the previous response has been sent', async () => {
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n`;
    client.write(`${get('/a')}${post('/b')}body${post('/c')}bo`);
    for (const path of ['/a', '/b', '/c', '/d']) {
      await handledCount(handled.length + 1);
      const { request, response } = last();
      expect(request.url).toBe(path);
      await eventually('the pause', () => request.socket.isPaused() === ['/a', '/b'].includes(path));
      if (path === '/c') client.write(`dy${get('/d')}`);
      let text = '';
      for await (const chunk of request) text += String(chunk);
      response.end(`${path} ${text}.`);
    }
    await eventually('all responses', () => /\/a \..*\/b body\..*\/c body\..*\/d \./s.test(received));
  });

  it('buffers one response for a client that does not read, and disconnects it after a minute', async () => {
    client.pause().write(get('/large').repeat(10));
    await handledCount(1);
    const { request, response } = last();
    response.end('x'.repeat(LARGE));
    expect([response.writableFinished, request.socket.timeout]).toEqual([false, 60_000]);
    const closed = once(response, 'close');
    request.socket.emit('timeout');
    await closed;
    expect([handled.length, request.socket.destroyed]).toEqual([1, true]);
  });

  it.each<[what: string, text: string, responses: RegExp]>([
    ['data that is not HTTP', `${get('/a')}${get('/b')}garbage\r\n`, /a\..*b\.rejected$/s],
    ['a request with an invalid body', `${get('/a')}${chunked}ZZ\r\n`, /a\.rejected$/s],
    ['a request in progress with an invalid body', `${chunked}ZZ\r\n`, /^rejected$/],
    ['data after a request that closes the connection', `${get('/a', 'Connection: close\r\n')}x`, /a\.$/],
  ])('rejects %s after the preceding responses', async (_, text, responses) => {
    const closed = once(client, 'close');
    // Responds only after the invalid data has been read.
    respond = ({ url }, response) =>
      url !== '/chunked' && setImmediate(() => response.end(`${url!.slice(1)}.`));
    client.write(text);
    await closed;
    expect(received).toMatch(responses);
  });

  it('does not start a request after a response that closes the connection', async () => {
    client.write(get('/a') + get('/b'));
    await handledCount(1);
    const closed = once(last().request.socket, 'close');
    last().response.setHeader('Connection', 'close').end();
    await closed;
    expect(handled).toHaveLength(1);
  });

  it('disconnects a client that sends more than 10 requests ahead', async () => {
    const closed = once(client, 'close');
    client.write(get('/a').repeat(12));
    await closed;
    expect(handled).toHaveLength(1);
  });
});
