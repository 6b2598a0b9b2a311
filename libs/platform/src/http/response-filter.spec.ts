import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { RawTarget } from '../../../../test/support/raw-target.js';
import { targetResponses, type TargetResponse } from '../../../../test/support/target-responses.js';
import { errorCode } from '../errors.js';
import { OutboundClient } from './outbound-client.js';
import { ResponseFilter } from './response-filter.js';

const execute = promisify(execFile);

describe('the responses of targets', () => {
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

  /** Returns the status of a response that curl accepts, or 0. */
  const sendWithCurl = async (): Promise<number> => {
    const options = ['--silent', '--output', '/dev/null', '--write-out', '%{http_code}', '--data', '{}'];
    const { stdout } = await execute('curl', [...options, target.url]).catch(() => ({ stdout: '0' }));
    return Number(stdout);
  };

  it.each(targetResponses)('are recorded with status and text: $name', async (response) => {
    respondWith(response);
    expect(await send()).toEqual([response.status, response.text]);
  });

  it('are a success whenever curl accepts them with a 2xx status, except too many interim responses', async () => {
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
  /** A connection whose received bytes are passed to `push`. */
  class TestSocket extends Readable {
    reads = 0;
    override _read(): void {
      this.reads += 1;
    }
  }

  it('pauses after each of more than 8 reads of a response, four times as long each time up to a second', () => {
    jest.useFakeTimers();
    try {
      const socket = new TestSocket();
      ResponseFilter.attach(socket as unknown as Socket);
      const receive = (bytes: string): boolean => socket.push(Buffer.from(bytes));
      for (const byte of 'HTTP/1.1') expect(receive(byte)).toBe(true);
      expect(socket.reads).toBe(0);
      const pauses = [1, 4, 16, 64, 256, 1_024, 1_024, 1_024];
      for (const [index, ms] of pauses.entries()) {
        expect(receive('x')).toBe(false);
        socket._read();
        jest.advanceTimersByTime(ms - 1);
        expect(socket.reads).toBe(index);
        jest.advanceTimersByTime(1);
        expect(socket.reads).toBe(index + 1);
      }
    } finally {
      jest.useRealTimers();
    }
  });

  it('passes a body in slices of 2 KiB, one in each turn of the event loop', async () => {
    const socket = new TestSocket({ highWaterMark: 1_000_000 });
    ResponseFilter.attach(socket as unknown as Socket);
    const head = 'HTTP/1.1 200 OK\r\n\r\n';
    socket.push(Buffer.from(head + 'x'.repeat(10_000)));
    const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const lengths: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      lengths.push(socket.readableLength);
      await nextTurn();
    }
    expect(lengths).toEqual([2_067, 4_115, 6_163, 8_211, 10_019, 10_019]);
  });
});
