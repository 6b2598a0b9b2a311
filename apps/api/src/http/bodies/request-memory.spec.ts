import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { Body, Controller, Get, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import type { CanActivate, ExecutionContext, INestApplication } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { ApiKeyAuthenticator, SecretKeyCaller } from '@gatehouse/auth';
import { GatehouseError } from '@gatehouse/domain';
import { Config, LOGGER, TestCommands, type Logger } from '@gatehouse/platform';
import { eventually } from '../../../../../test/support/eventually.js';
import { bodyReader, readDeferredBody } from './body-reader.js';
import { BulkMemory } from './bulk-memory.js';
import { createHttpServer } from '../http-server.js';
import { ProblemFilter } from '../problems/problem.filter.js';
import { requestContext, type GatehouseRequest } from '../request-context.js';
import { RequestMemoryGuard } from './request-memory.guard.js';
import { RequestMemoryInterceptor } from './request-memory.interceptor.js';
import { RequestMemory, STREAM_BYTES } from './request-memory.js';

const MIB = 2 ** 20;
/** Four fifths are for imports and exports. A key can use half of each budget, and a client IP an eighth. */
const MEMORY = 20 * MIB;
const REQUEST_BYTES = 16 * 1024;
/** Maximum number of requests with a small body, or none, that one client IP can have in progress. */
const PER_ADDRESS = MEMORY / 5 / 8 / REQUEST_BYTES;
const IMPORT = '/api/v1/customers/import';

/** Blocks handlers until the test opens it. */
class Gate {
  private waiting: (() => void)[] = [];
  entered = 0;

  async pass(): Promise<void> {
    this.entered += 1;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  open(): void {
    for (const proceed of this.waiting.splice(0)) proceed();
  }
}

const gate = new Gate();
const authentication = new Gate();

/** Reads the body after authentication, like the import guard. */
class DeferredBodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await readDeferredBody(context.switchToHttp().getRequest<Request>());
    return true;
  }
}

@Controller()
class Routes {
  @Post('echo') echo(@Body() body: unknown): unknown {
    return { body };
  }

  @Post('wait') async wait(): Promise<object> {
    await gate.pass();
    return {};
  }

  @Get('.well-known/jwks.json') keys(): object {
    return {};
  }

  @Post('fail') fail(): never {
    throw new Error('a failure of the test');
  }

  @Get('large') large(): object {
    return { text: 'x'.repeat(32 * MIB) };
  }

  @Get('export') @BulkMemory(STREAM_BYTES) export(): Promise<object> {
    return this.wait();
  }

  @Post(IMPORT.slice(1)) @UseGuards(DeferredBodyGuard) import(): Promise<object> {
    return this.wait();
  }
}

/** Accepts `Authorization: <key id>`, waits for the test if the key is `slow`, and rejects `none`. */
@Injectable()
class KeyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const keyId = request.get('authorization');
    if (keyId === 'none') throw new GatehouseError('invalid_api_key');
    if (keyId === 'slow') await authentication.pass();
    if (keyId !== undefined) request.caller = { kind: 'secret-key', keyId } as SecretKeyCaller;
    return true;
  }
}

const warnings: string[] = [];
const logger = {
  info: () => undefined,
  error: () => undefined,
  warn: (_: object, message: string) => void warnings.push(message),
} as unknown as Logger;
const testConfig = { http: { requestMemory: MEMORY }, publicUrl: 'http://x' } as Config;

@Module({
  controllers: [Routes],
  providers: [
    { provide: Config, useValue: testConfig },
    { provide: LOGGER, useValue: logger },
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useClass: RequestMemoryGuard },
    { provide: APP_INTERCEPTOR, useClass: RequestMemoryInterceptor },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
})
class TestModule {}

/** Contains the keys `sk_one` and `sk_slow`; for `sk_slow`, it waits for the test. */
const apiKeys = {
  authenticate: async (value: string) => {
    if (value === 'sk_slow') await authentication.pass();
    return value === 'sk_two' ? null : ({ kind: 'secret-key', keyId: 'one' } as SecretKeyCaller);
  },
} as ApiKeyAuthenticator;

let app: INestApplication;
let server: Server;
let memory: RequestMemory;
const sockets: Socket[] = [];

beforeAll(async () => {
  const web = express().set('trust proxy', 'loopback');
  app = await NestFactory.create(TestModule, new ExpressAdapter(web), { bodyParser: false, logger: false });
  memory = new RequestMemory(testConfig, apiKeys, new TestCommands(false), null, logger);
  app.use(requestContext(logger, null), ...bodyReader(memory.holdRequests()));
  web.get('/plain', (_request: Request, response: Response, _next: NextFunction) => {
    response.send('plain');
  });
  await app.init();
  server = createHttpServer(web, 'http://x', logger).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually('the end of all requests', () => {
    gate.open();
    return memory.heldBytes === 0;
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await app.close();
});

const head = (line: string, headers: Record<string, string | number> = {}): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ Host: 'x', 'Content-Type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n');

const post = (path: string, body: string, headers: Record<string, string> = {}): string =>
  head(`POST ${path}`, { 'Content-Length': Buffer.byteLength(body), ...headers }) + body;

/** Sends raw HTTP, and collects the response. */
function send(text: string): { socket: Socket; received: () => string } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('error', () => undefined).setEncoding('latin1');
  socket.on('data', (chunk: string) => (received += chunk)).write(text);
  return { socket, received: () => received };
}

/** Sends a request. @returns the complete response as a string */
async function exchange(text: string): Promise<string> {
  const { received } = send(text);
  const isComplete = (): boolean => {
    const [, length, body] = /content-length: (\d+)\r\n(?:.*?\r\n)?\r\n(.*)$/is.exec(received()) ?? [];
    return body !== undefined && body.length >= Number(length);
  };
  await eventually('the response', isComplete);
  return received();
}

const status = async (text: string): Promise<number> => Number((await exchange(text)).split(' ')[1]);

/** Sends each request on its own connection, and waits until the handlers run. @returns the first connection */
const enter = async (...texts: string[]) => {
  const before = gate.entered;
  const [first] = texts.map((text) => send(text));
  await eventually('the handlers', () => gate.entered === before + texts.length);
  return first!;
};

const times = (count: number, text: (number: number) => string): string[] =>
  Array.from({ length: count }, (_, number) => text(number));

const allReleased = () => eventually('the release of all memory', () => memory.heldBytes === 0);

const chunked = (path: string, body: string): string =>
  `${head(`POST ${path}`, { 'Transfer-Encoding': 'chunked' })}${body.length.toString(16)}\r\n${body}\r\n`;

const json = (bytes: number): string => JSON.stringify({ text: 'x'.repeat(bytes) });

describe('RequestMemory', () => {
  it('returns 503 before reading an import if imports in progress use the memory it needs', async () => {
    await enter(post(IMPORT, json(2 * MIB), { Authorization: 'one' }));
    const announced = (key: string, bytes: number) =>
      head(`POST ${IMPORT}`, { 'Content-Length': bytes, Authorization: key });
    const response = await exchange(announced('one', 2 * MIB));
    expect(response).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n.*"code":"overloaded"/is);
    // The other half of the memory is reserved for other keys.
    await enter(post(IMPORT, json(MIB), { Authorization: 'two' }));
    expect(await status(announced('three', 2 * MIB))).toBe(503);
    const streamed = { Authorization: 'three', 'Content-Type': 'application/x-ndjson' };
    expect(await status(post(IMPORT, json(10), streamed))).toBe(503);
    expect(await status(head('GET /export', { Authorization: 'three' }))).toBe(503);
    gate.open();
    await allReleased();
    await enter(head('GET /export', { Authorization: 'three' }));
  });

  it('handles other requests while imports use all import memory', async () => {
    await enter(post(IMPORT, json(4.5 * MIB), { Authorization: 'one' }));
    expect(await status(post(IMPORT, json(100_000), { Authorization: 'two' }))).toBe(503);
    expect(await status(post('/echo', json(60_000)))).toBe(201);
  });

  it('counts only the received part of a slow body', async () => {
    const slow = head('POST /echo', { 'Content-Length': 60_000 });
    for (let number = 0; number < 20; number += 1) send(`${slow}x`);
    await eventually('all requests', () => memory.heldBytes >= 20 * (REQUEST_BYTES + 1));
    expect(memory.heldBytes).toBeLessThan(21 * REQUEST_BYTES);
    expect(await status(post('/echo', '{}'))).toBe(201);
  });

  it('returns 503 once there is no memory for the received part of a chunked body', async () => {
    await enter(post('/wait', json(60_000)), post('/wait', json(45_000)));
    const { socket, received } = send(chunked('/echo', 'x'.repeat(60_000)));
    await eventually('the rejection', () => received().includes(' 503 '));
    // The rest is discarded, and the connection serves the next request.
    socket.write(`10\r\n${'x'.repeat(16)}\r\n0\r\n\r\n${head('GET /plain')}`);
    await eventually('the next response', () => received().endsWith('plain'));
  });

  it('counts the values of a body before it creates them', async () => {
    // Four times 30 KB of text, and 20,000 brackets and commas.
    const lists = JSON.stringify({ lists: Array.from({ length: 10_000 }, () => []) });
    await enter(post('/wait', '{}'));
    expect(await status(post('/echo', lists))).toBe(503);
    expect(await status(post('/echo', json(lists.length)))).toBe(201);
  });

  it('returns 413 for an oversized body, and counts more for characters outside Latin-1', async () => {
    const send = (text: string) => status(post(IMPORT, JSON.stringify({ text }), { Authorization: 'one' }));
    expect(await send('x'.repeat(6 * MIB))).toBe(413);
    expect(await send(`€${'x'.repeat(3 * MIB)}`)).toBe(413);
    await enter(post(IMPORT, json(3 * MIB), { Authorization: 'one' }));
  });

  it('counts a request toward its key instead of its address', async () => {
    const headers = { Authorization: 'one' };
    // The number of requests that half the memory allows, at 16 KiB each plus the bodies.
    const count = Math.floor(MEMORY / 10 / (REQUEST_BYTES + 100));
    await enter(...times(count, () => post('/wait', '{}', headers)));
    expect(await status(post('/echo', json(60_000), headers))).toBe(503);
    expect(await status(post('/echo', json(60_000)))).toBe(201);
  });

  it("accepts secret keys and serves the JWKS while other requests use their client IP's memory", async () => {
    await enter(...times(PER_ADDRESS, () => head('POST /wait')));
    const [known, unknown] = ['sk_one', 'sk_two'].map((key) => ({ 'X-API-Key': key }));
    expect([
      await status(head('POST /echo')),
      await status(post('/echo', '{}', unknown)),
      await status(post('/echo', '{}', known)),
      await status(head('GET /.well-known/jwks.json')),
    ]).toEqual([503, 503, 201, 200]);
  });

  it('leaves a quarter of the memory to authenticated callers', async () => {
    const from = (number: number) => ({ 'X-Forwarded-For': `192.0.2.${number}` });
    const byAddress = (number: number): string => head('POST /wait', from(Math.floor(number / PER_ADDRESS)));
    await enter(...times(6 * PER_ADDRESS, byAddress));
    expect(await status(head('POST /echo', from(7)))).toBe(503);
    const rest = MEMORY / 5 / REQUEST_BYTES - 6 * PER_ADDRESS;
    await enter(...times(rest, () => head('POST /wait', { 'X-API-Key': 'sk_one', ...from(7) })));
  });

  describe('memory release', () => {
    it.each<[string, () => Promise<unknown>]>([
      ['after a response', () => status(post('/echo', '{}'))],
      ['after an error in the handler', () => status(post('/fail', '{}'))],
      ['after a rejected credential', () => status(post('/echo', '{}', { Authorization: 'none' }))],
      ['after invalid JSON', () => status(post('/echo', '{'))],
      ['after a body with too many keys', () => status(post('/echo', json(10).repeat(2)))],
      ['after a chunked body that is too long', () => status(chunked('/echo', 'x'.repeat(70_000)))],
      [
        'after an import with too many values',
        () => status(post(IMPORT, `{"customers":[${'[],'.repeat(600_000)}[]]}`)),
      ],
      [
        'after a response without a Nest handler',
        async () => {
          const { received } = send(head('GET /plain'));
          await eventually('the response', () => received().endsWith('plain'));
        },
      ],
      ['after an unknown route', () => status(head('GET /unknown'))],
      [
        'after a repeated request on one connection',
        async () => {
          const { received } = send(head('GET /plain').repeat(11));
          await eventually('all responses', () => received().split('plain').length > 11);
        },
      ],
      [
        'after a request that did not arrive in time',
        async () => {
          const { socket } = send(head('POST /echo', { 'Content-Length': 10 }));
          await eventually('the request', () => memory.heldBytes > 0);
          server.emit(
            'clientError',
            Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
            serverSocket(),
          );
          await once(socket, 'close');
        },
      ],
      [
        'after a client disconnected during an upload',
        async () => {
          const { socket } = send(`${head(`POST ${IMPORT}`, { 'Content-Length': 100_000 })}x`);
          await eventually('the request', () => memory.heldBytes >= 400_000);
          socket.destroy();
        },
      ],
      ...['Content-Length: 1000000\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n'].map(
        (rest): [string, () => Promise<unknown>] => [
          `after a client disconnected during authentication: ${rest.split('\r')[0]}`,
          async () => {
            const before = authentication.entered;
            const { socket } = send(head(`POST ${IMPORT}`, { Authorization: 'slow' }).replace(/\r\n$/, rest));
            await eventually('the authentication', () => authentication.entered > before);
            const closed = connections().map((each) => once(each, 'close'));
            socket.destroy();
            await Promise.all(closed);
            authentication.open();
          },
        ],
      ),
      [
        'after a client disconnected before its next requests started',
        async () => {
          const { socket } = await enter(post('/wait', '{}') + post('/echo', '{}').repeat(10));
          socket.destroy();
          gate.open();
        },
      ],
    ])('releases the memory %s', async (_, run) => {
      await run();
      await allReleased();
    });

    it('releases the memory after a client disconnects while its secret key is looked up', async () => {
      await enter(...times(PER_ADDRESS, () => head('POST /wait')));
      const before = authentication.entered;
      const { socket } = send(head('POST /echo', { 'X-API-Key': 'sk_slow' }));
      await eventually('the lookup', () => authentication.entered > before);
      const closed = once(serverSocket(), 'close');
      socket.destroy();
      await closed;
      authentication.open();
      gate.open();
      await allReleased();
    });

    it("releases a disconnected client's memory only after its request has been processed", async () => {
      const { socket } = await enter(post(IMPORT, json(MIB), { Authorization: 'one' }));
      const closed = once(serverSocket(), 'close');
      socket.destroy();
      await closed;
      expect(memory.heldBytes).toBeGreaterThan(4 * MIB);
      gate.open();
      await allReleased();
    });
  });

  it('disconnects a client once if there is no memory for its unread responses', async () => {
    warnings.length = 0;
    await enter(post('/wait', '{}'));
    const { socket } = send('');
    socket.pause().write(head('GET /large').repeat(2));
    await eventually('the end of the connection', () => warnings.length > 0);
    gate.open();
    await allReleased();
    expect(warnings).toEqual(['response dropped because the client does not read it']);
  });
});

const open = new Set<Socket>();
const connections = (): Socket[] => [...open];
const serverSocket = (): Socket => connections().at(-1)!;
beforeAll(() => {
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
});
