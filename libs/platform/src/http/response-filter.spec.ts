import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { RawTarget } from '../../../../test/support/raw-target.js';
import { targetResponses, type TargetResponse } from '../../../../test/support/target-responses.js';
import { errorCode } from '../runtime/errors.js';
import { OutboundClient } from './outbound-client.js';
import { ResponseFilter } from './response-filter.js';

const execute = promisify(execFile);

describe('a request to a target', () => {
  let target: RawTarget;
  const client = OutboundClient.forTenantTargets({
    policy: { production: false, allowedCidrs: [] },
    dnsServers: [],
    timeoutMs: 3_600_000,
  });
  beforeAll(async () => (target = await RawTarget.start()));
  afterAll(() => target.stop());

  const respondWith = ({ bytes }: TargetResponse): void => {
    target.defaultResponder = (socket) => socket.end(bytes);
  };

  const send = async (): Promise<[status: number, text: string]> => {
    try {
      const response = await client.request({ method: 'POST', url: target.url, headers: {}, body: '{}' });
      return [response.status, await response.excerpt(16 * 1024)];
    } catch (error) {
      return [0, errorCode(error)];
    }
  };

  /** Returns the response's status if curl accepts it, otherwise 0. */
  const sendWithCurl = async (): Promise<number> => {
    const options = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--data', '{}'];
    const { stdout } = await execute('curl', [...options, target.url]).catch(() => ({ stdout: '0' }));
    return Number(stdout);
  };

  it.each(targetResponses)('returns the recorded status and text: $name', async (response) => {
    respondWith(response);
    expect(await send()).toEqual([response.status, response.text]);
  });

  it('returns a 2xx status if curl does, except after too many interim responses', async () => {
    const failed: string[] = [];
    for (const response of targetResponses.filter(({ text }) => text !== 'ERR_INTERIM_RESPONSE')) {
      respondWith(response);
      const status = await sendWithCurl();
      if (status >= 200 && status <= 299 && status !== response.status)
        failed.push(`${response.name}: ${status}`);
    }
    expect(failed).toEqual([]);
  });
});

describe('ResponseFilter', () => {
  /** A connection that receives the bytes that are passed to `push`. */
  class TestSocket extends Readable {
    reads = 0;
    override _read(): void {
      this.reads += 1;
    }
  }

  const pushLarge = (socket: TestSocket, bytes: string): void => {
    for (let from = 0; from < bytes.length; from += 10_000)
      socket.push(Buffer.from(bytes.slice(from, from + 10_000)));
  };
  const pushEach = (socket: TestSocket, bytes: string): void => {
    for (const byte of bytes) socket.push(Buffer.from(byte));
  };

  const attach = (options = {}): [TestSocket, ResponseFilter] => {
    const socket = new TestSocket(options);
    return [socket, ResponseFilter.attach(socket as unknown as Socket)];
  };
  const head = 'HTTP/1.1 200 OK\r\n';

  describe('pauses', () => {
    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());

    const receive = (socket: TestSocket, text: string): boolean => socket.push(Buffer.from(text));
    const receiveWithoutPause = (socket: TestSocket): void => {
      for (const byte of head.slice(0, 8)) expect(receive(socket, byte)).toBe(true);
    };

    it('follow each small read after the eighth, and quadruple up to a second', () => {
      const [socket] = attach();
      receiveWithoutPause(socket);
      const pauses = [1, 4, 16, 64, 256, 1_024, 1_024, 1_024];
      for (const [index, ms] of pauses.entries()) {
        expect(receive(socket, ' ')).toBe(false);
        socket._read();
        jest.advanceTimersByTime(ms - 1);
        expect(socket.reads).toBe(index);
        jest.advanceTimersByTime(1);
        expect(socket.reads).toBe(index + 1);
      }
    });

    it('do not follow large reads', () => {
      const [socket] = attach({ highWaterMark: 1_000_000 });
      receive(socket, `${head}\r\n`);
      for (let nth = 0; nth < 20; nth += 1) receive(socket, 'x'.repeat(1_024));
      expect(jest.getTimerCount()).toBe(0);
    });

    it('keep received bytes, and end when the time limit of the request expires', () => {
      const [socket, filter] = attach();
      receiveWithoutPause(socket);
      receive(socket, head.slice(8));
      receive(socket, '\r\no');
      receive(socket, 'k');
      expect(socket.readableLength).toBe(0);
      filter.stopPausing();
      expect(String(socket.read())).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nok$/);
      receive(socket, '.');
      expect(String(socket.read())).toBe('.');
    });

    it('end with the connection', () => {
      const [socket] = attach();
      receiveWithoutPause(socket);
      receive(socket, head.slice(8));
      receive(socket, '\r\nok');
      socket.push(null);
      expect(String(socket.read())).toMatch(/ok$/);
      expect(socket.read()).toBeNull();
    });
  });

  it.each([
    [
      'bytes between two requests',
      (socket: TestSocket) => {
        ResponseFilter.find(socket as unknown as Socket)!.endRequest();
        socket.push(Buffer.from('x'));
      },
    ],
    [
      'more than 512 pieces without a status',
      (socket: TestSocket) => {
        ResponseFilter.find(socket as unknown as Socket)!.startRequest();
        pushEach(socket, '\r'.repeat(20));
        pushEach(socket, 'H'.repeat(520));
      },
    ],
  ])('closes the connection after %s', async (_, misbehave) => {
    const [socket] = attach();
    socket.push(Buffer.from(`${head}\r\n`));
    const failure = once(socket, 'error');
    misbehave(socket);
    await expect(failure).resolves.toMatchObject([{ code: 'ERR_MALFORMED_RESPONSE' }]);
  });

  it.each([
    [
      'a body with more than 512 pieces',
      'x'.repeat(600),
      (socket: TestSocket, body: string) => pushEach(socket, body),
    ],
    [
      'a body with too many bytes',
      'x'.repeat(70_000),
      (socket: TestSocket, body: string) => pushLarge(socket, body),
    ],
  ])('reads the beginning of %s', async (_, body, push) => {
    const [socket] = attach();
    pushEach(socket, `${head}\r\n`);
    push(socket, body);
    const text = await socket.setEncoding('latin1').reduce((sum, piece) => sum + String(piece), '');
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nx{400,66000}$/);
  });

  it('reads a longer body if the reader allows it', () => {
    const [socket, filter] = attach();
    socket.push(Buffer.from(`${head}\r\n`));
    filter.allowBody(4_000);
    socket.push(Buffer.alloc(70_000));
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('passes on a body in slices of 2 KiB, one per event loop turn', async () => {
    const [socket] = attach({ highWaterMark: 1_000_000 });
    socket.push(Buffer.from(`${head}\r\n${'x'.repeat(10_000)}`));
    const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const lengths: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      lengths.push(socket.readableLength);
      await nextTurn();
    }
    expect(lengths).toEqual([2_065, 4_113, 6_161, 8_209, 10_017, 10_017]);
  });
});
