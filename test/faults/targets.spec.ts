import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createAuthority, selfSigned } from '../support/certificates.js';
import { runInChains } from '../support/run-in-chains.js';
import { emitEvents } from '../support/dead-letters.js';
import { LONG_RETRY_SCHEDULE, makeDeliveriesDue } from '../support/delivery-times.js';
import { eventually } from '../support/eventually.js';
import { AT_ONCE, History } from '../support/history.js';
import { TestInstance } from '../support/test-instance.js';
import { NameServer } from '../support/name-server.js';
import {
  respondWith,
  respondEndlessly,
  getHeader,
  respondWithBytes,
  RawTarget,
  type RawResponder,
} from '../support/raw-target.js';

/**
 * Long enough that no retry becomes due by itself. A test checks the scheduled time, and then makes the retry due
 * (makeDeliveriesDue).
 */
const RETRY_SECONDS = 3_600;

interface Attempt {
  http_status: number;
  success: boolean;
  error: string | null;
  response_body: string;
  retry_after: string | null;
  /** Seconds from the end of the attempt to the next one, null if there is none. */
  retry_seconds: number | null;
}

const retryAfterOneHour = 'Retry-After: 3600';
const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
const headersIgnored = '[response headers beyond the limit ignored]\n';
const bomb = Buffer.alloc(50_000_000, 'x');
const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** A target's first response, and the values recorded for it. The second response is 200. */
const withStatus: [name: string, RawResponder, httpStatus: number, body?: string, retryAfter?: string][] = [
  ['204', respondWith('204 No Content'), 204, ''],
  ['206', respondWith('206 Partial Content', 'part'), 206, 'part'],
  ['304', respondWithBytes('HTTP/1.1 304 Not Modified\r\n\r\n'), 304, ''],
  ['400', respondWith('400 Bad Request', 'no'), 400, 'no'],
  ['404', respondWith('404 Not Found'), 404],
  ['410', respondWith('410 Gone'), 410],
  ['429 with Retry-After', respondWith('429 Too Many Requests', '', retryAfterOneHour), 429, '', '3600'],
  ['500', respondWith('500 Internal Server Error'), 500],
  ['503 with Retry-After', respondWith('503 Service Unavailable', '', retryAfterOneHour), 503, '', '3600'],
  [
    'a cookie',
    respondWith('500 Internal Server Error', '', 'Set-Cookie: a=b', 'Set-Cookie: c=d; Path=/'),
    500,
  ],
  ['a status that HTTP does not define', respondWith('999 Strange'), 999],
  ['status 000', respondWith('000 Zero'), 0],
  ['HTTP/1.0', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'), 200, 'old'],
  [
    'a response that closes the connection',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbye'),
    200,
    'bye',
  ],
  [
    'chunks and trailers',
    respondWithBytes(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n',
    ),
    200,
    'ok',
  ],
  [
    'a few interim responses',
    respondWithBytes(interim.repeat(3) + 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    200,
    '',
  ],
  [
    'a truncated body',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    200,
    'half',
  ],
  [
    'an invalid chunk',
    respondWithBytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n'),
    200,
    'ok',
  ],
  ['gzip', respondWith('200 OK', gzipSync('hello'), 'Content-Encoding: gzip'), 200, 'hello'],
  [
    'gzip, and a failure',
    respondWith('500 Internal Server Error', gzipSync('hello'), 'Content-Encoding: gzip'),
    500,
  ],
  ['a header of 100 KB', respondWith('200 OK', '', `X-Long: ${'x'.repeat(100_000)}`), 200, headersIgnored],
  ['endless headers', respondEndlessly('HTTP/1.1 200 OK\r\n', 'X-More: x\r\n'), 200, headersIgnored],
  ['endless headers, and a failure', respondEndlessly('HTTP/1.1 500 Oops\r\n', 'X-More: x\r\n'), 500],
];

const withoutResponse: [name: string, RawResponder, error: string][] = [
  ['closes before it responds', (socket) => socket.end(), 'connection_error'],
  ['resets', (socket) => socket.resetAndDestroy(), 'connection_error'],
  ['does not speak HTTP', respondWithBytes('SSH-2.0-OpenSSH_9.9\r\n'), 'protocol_error'],
  ['speaks HTTP/2', respondWithBytes('\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64'), 'protocol_error'],
  ['sends endless interim responses', respondEndlessly(interim, interim), 'protocol_error'],
  [
    'switches protocols',
    respondWithBytes('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n'),
    'protocol_error',
  ],
];

/** Deletes endpoints, which cancels their pending deliveries. */
async function deleteAll(instance: TestInstance, endpoints: { id: string }[]): Promise<void> {
  for (const { id } of endpoints) {
    const { status } = await instance.requestWithSecretKey('DELETE', `/v1/webhooks/endpoints/${id}`);
    expect(status).toBe(204);
  }
}

describe('misbehaving targets', () => {
  let instance: TestInstance;
  let history: History;
  let folder: string;
  /** The proxy in the worker's environment variables. */
  let proxy: RawTarget;
  let redirectTarget: RawTarget;
  let worker: TestInstance['workers'][number];
  const authority = createAuthority();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-targets-'));
    await writeFile(join(folder, 'ca.pem'), authority.cert);
    proxy = await RawTarget.start();
    redirectTarget = await RawTarget.start();
    instance = await TestInstance.startShared({ workers: 0 });
    history = new History(instance);
    worker = instance.startWorker({
      WEBHOOK_RETRY_SCHEDULE: LONG_RETRY_SCHEDULE,
      WEBHOOK_TIMEOUT: '60s',
      ...Object.fromEntries(
        ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
          name,
          `http://127.0.0.1:${proxy.port}`,
        ]),
      ),
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_OPTIONS: '--tls-min-v1.0',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    });
    await instance.waitUntilReady();
  });

  afterAll(async () => {
    await instance?.stop();
    await Promise.all([proxy?.stop(), redirectTarget?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Delivers one event to each target. @returns each target's attempts: one if it succeeded, otherwise two */
  const deliver = async (targets: { url: string }[]): Promise<Attempt[][]> => {
    const endpoints = await Promise.all(
      targets.map(({ url }) => instance.createEndpoint(url, ['customer.created'])),
    );
    await emitEvents(instance, 1);
    const waitForAttempts = (isDone: (attempts: Attempt[]) => boolean) =>
      eventually('the attempts', async () => {
        const found = await Promise.all(endpoints.map(({ id }) => listAttempts(id.slice(3))));
        return found.every(isDone) && found;
      });
    const firstAttempts = await waitForAttempts((attempts) => attempts.length === 1);
    await makeDeliveriesDue(instance);
    const all = await waitForAttempts((attempts) => attempts[0]!.success || attempts.length === 2);
    await deleteAll(instance, endpoints);
    return all.map(([, ...others], index) => [firstAttempts[index]![0]!, ...others]);
  };

  const listAttempts = (endpointId: string): Promise<Attempt[]> =>
    instance.sql<Attempt>(
      `SELECT a.http_status, a.success, a.error, a.response_body, a.retry_after,
         extract(epoch FROM d.next_attempt_at - a.closed_at)::float8 AS retry_seconds
       FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE a.endpoint_id = $1 ORDER BY a.attempt`,
      [endpointId],
    );

  /**
   * Checks that the next attempt is within 10 % of the schedule, whatever the response contains.
   * @returns the problem, if any
   */
  const findScheduleProblem = ([first]: Attempt[]): string[] => {
    const { retry_seconds: seconds } = first!;
    const isOnSchedule = seconds !== null && Math.abs(seconds - RETRY_SECONDS) <= 0.1 * RETRY_SECONDS + 1;
    return isOnSchedule ? [] : [`the next attempt comes after ${seconds} s`];
  };

  /** Asserts for each row of a table. @throws Error that lists every failed row */
  const expectEach = <Row extends readonly [name: string, ...unknown[]]>(
    rows: readonly Row[],
    assert: (row: Row, index: number) => void,
  ): void => {
    const failures = rows.flatMap((row, index) => {
      try {
        assert(row, index);
        return [];
      } catch (error) {
        return [`${row[0]}: ${(error as Error).message}`];
      }
    });
    expect(failures).toEqual([]);
  };

  /** Starts targets. @param responses each target's first response, and its status */
  const startTargets = (responses: [RawResponder, status: number | null][]): Promise<RawTarget[]> =>
    Promise.all(
      responses.map(async ([responder, status]) => {
        const target = (await RawTarget.start()).respondWith(responder);
        history.watch(target, status);
        return target;
      }),
    );

  describe('with unusual responses', () => {
    const redirects: typeof withStatus = [301, 302, 303, 307, 308].map((status) => [
      `${status} to another target`,
      (socket, request) =>
        respondWith(`${status} Elsewhere`, '', `Location: ${redirectTarget.url}`)(socket, request),
      status,
    ]);
    const rows = [...withStatus, ...redirects];
    let targets: RawTarget[];
    let records: Attempt[][];
    beforeAll(async () => {
      targets = await startTargets(rows.map(([, responder, status]) => [responder, status]));
      records = await deliver(targets);
    });
    afterAll(() => Promise.all(targets.map((each) => each.stop())));

    it('WH-04, WH-05, WH-10: each response is recorded, and only a 2xx ends the delivery', () => {
      expectEach(rows, ([, , status, body = '', retryAfter], index) => {
        const attempts = records[index]!;
        const success = status >= 200 && status <= 299;
        expect(attempts[0]).toMatchObject({
          http_status: status,
          success,
          error: success ? null : 'http_error',
          retry_after: retryAfter ?? null,
          ...(success ? { response_body: body } : {}),
        });
        expect(targets[index]!.requests).toHaveLength(success ? 1 : 2);
        if (success) return expect(attempts).toHaveLength(1);
        expect(attempts[1]).toMatchObject({ http_status: 200, success: true });
        expect(findScheduleProblem(attempts)).toEqual([]);
      });
    });

    it('WH-04: the worker does not follow Location headers', () => {
      expect(redirectTarget.connections).toBe(0);
    });

    it('WH-05: a request does not contain cookies, credentials or data of this instance', () => {
      const requests = targets.flatMap((target) => target.requests);
      expect(requests.length).toBeGreaterThan(rows.length);
      for (const request of requests) {
        const names = request.head.slice(1).map((line) => line.split(':')[0]!.toLowerCase());
        expect(names.filter((name) => /^(cookie|authorization|via|forwarded|proxy-|x-)/.test(name))).toEqual(
          [],
        );
        expect(getHeader(request, 'accept-encoding')).toBe('identity');
      }
    });
  });

  describe('with unusual connections', () => {
    let targets: RawTarget[];
    let records: Attempt[][];
    beforeAll(async () => {
      targets = await startTargets(withoutResponse.map(([, responder]) => [responder, null]));
      records = await deliver(targets);
    });
    afterAll(() => Promise.all(targets.map((each) => each.stop())));

    it('WH-11: each attempt is recorded as a connection_error or protocol_error, and retried', () => {
      expectEach(withoutResponse, ([, , error], index) => {
        const attempts = records[index]!;
        expect(attempts[0]).toMatchObject({ http_status: 0, success: false, error, response_body: '' });
        expect(attempts[1]).toMatchObject({ http_status: 200, success: true });
        expect(findScheduleProblem(attempts)).toEqual([]);
        const ids = targets[index]!.requests.map((request) => getHeader(request, 'webhook-id'));
        expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
      });
    });
  });

  describe('with invalid certificates', () => {
    const host = '127.0.0.1';
    const past = { from: new Date('2020-01-01'), until: new Date('2020-02-01') };
    const future = { from: new Date('2090-01-01'), until: new Date('2090-02-01') };
    const tls10Only = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    const rows = [
      ['expired', authority.issue([host], past)],
      ['not yet valid', authority.issue([host], future)],
      ['self-signed', selfSigned([host])],
      ['of another host', authority.issue(['other.example'])],
      ['of an unknown authority', createAuthority().issue([host])],
      ['valid, but only with TLS 1.0', { ...authority.issue([host]), ...tls10Only }],
    ] as const;
    let targets: RawTarget[];
    let records: Attempt[][];
    beforeAll(async () => {
      const tls = [authority.issue([host]), ...rows.map(([, options]) => options)];
      const plain = await RawTarget.start({ greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' });
      targets = [...(await Promise.all(tls.map((each) => RawTarget.start({ tls: each })))), plain];
      targets.forEach((each) => history.watch(each));
      records = await deliver(targets.map(({ url }) => ({ url: url.replace('http:', 'https:') })));
    });
    afterAll(() => Promise.all(targets.map((each) => each.stop())));

    it('the control target has a valid certificate: the attempt succeeds', () => {
      expect(records[0]).toMatchObject([{ http_status: 200, success: true }]);
    });

    it('WH-11: each invalid certificate causes a tls_error before any byte of the payload is sent', () => {
      expectEach(rows, (_, index) => {
        const [attempts, target] = [records[index + 1]!, targets[index + 1]!];
        expect(attempts).toMatchObject(Array(2).fill({ http_status: 0, success: false, error: 'tls_error' }));
        expect(findScheduleProblem(attempts)).toEqual([]);
        expect([target.connections, target.bytesReceived]).toEqual([2, 0]);
      });
    });

    it('WH-11: a target without TLS at an https URL causes a tls_error', () => {
      expect(records.at(-1)).toMatchObject(Array(2).fill({ http_status: 0, error: 'tls_error' }));
      expect(targets.at(-1)!.requests).toHaveLength(0);
    });
  });

  describe('with large responses', () => {
    const measureMemoryMb = (): number =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(worker.pid)], { encoding: 'utf8' })) / 1024;

    /**
     * Delivers to 20 targets at once, ten for each response.
     * @returns the worker's maximum memory growth in MB, and the targets and attempts by response
     */
    const measureGrowth = async (
      responses: [RawResponder, status: number][],
    ): Promise<{ growthMb: number; targets: RawTarget[][]; records: Attempt[][][] }> => {
      const before = measureMemoryMb();
      let maximum = before;
      const watch = setInterval(() => (maximum = Math.max(maximum, measureMemoryMb())), 100);
      const targets = await startTargets(responses.flatMap((each) => Array(10).fill(each)));
      const records = await deliver(targets).finally(() => clearInterval(watch));
      await Promise.all(targets.map((target) => target.stop()));
      const ofResponse = <Value>(values: Value[]) =>
        responses.map((_, index) => values.slice(10 * index, 10 * (index + 1)));
      return {
        growthMb: Math.max(maximum, measureMemoryMb()) - before,
        targets: ofResponse(targets),
        records: ofResponse(records),
      };
    };

    const endless = (line: string): RawResponder =>
      respondEndlessly(
        `HTTP/1.1 ${line}\r\nContent-Length: ${100 * 1024 * 1024}\r\n\r\n`,
        Buffer.alloc(65_536, 'x'),
      );
    const encoded = (encoding: string, body: Buffer): RawResponder =>
      respondWith('200 OK', body, `Content-Encoding: ${encoding}`);
    let large: Awaited<ReturnType<typeof measureGrowth>>;
    let bombs: Awaited<ReturnType<typeof measureGrowth>>;
    beforeAll(async () => {
      large = await measureGrowth([
        [endless('200 OK'), 200],
        [endless('500 Internal Server Error'), 500],
      ]);
      bombs = await measureGrowth([
        [encoded('gzip', gzipSync(bomb)), 200],
        [encoded('br', brotliCompressSync(bomb, fastBrotli)), 200],
      ]);
    });

    it.each([
      ['200 OK', 200, 0],
      ['500 Internal Server Error', 500, 1],
    ])(
      'WH-06: a target sends 100 MB after %s: the worker stores 16 KiB and does not read the rest',
      (_, status, index) => {
        expect(large.records[index]).toHaveLength(10);
        for (const [attempt] of large.records[index]!) {
          expect(attempt).toMatchObject({ http_status: status, success: status === 200 });
          expect(attempt!.response_body).toBe('x'.repeat(16 * 1024));
        }
        for (const { bytesSent } of large.targets[index]!) expect(bytesSent).toBeLessThan(16 * 1024 * 1024);
        expect(large.growthMb).toBeLessThan(30);
      },
    );

    it.each([
      ['gzip', 'x'.repeat(16 * 1024), 0],
      ['br', '[br body omitted]', 1],
    ])('WH-05: the worker decompresses at most 16 KiB of a %s bomb', (_, text, index) => {
      expect(bombs.records[index]).toHaveLength(10);
      for (const [attempt] of bombs.records[index]!)
        expect(attempt).toMatchObject({ success: true, response_body: text });
      expect(bombs.growthMb).toBeLessThan(30);
    });
  });

  describe('with kept-alive connections', () => {
    const deliverTwice = async (first: RawResponder): Promise<RawTarget> => {
      const [target] = await startTargets([[first, 200]]);
      const endpoint = await instance.createEndpoint(target!.url, ['customer.created']);
      for (const count of [1, 2]) {
        await emitEvents(instance, 1);
        await eventually('the request', () => target!.requests.length === count);
        await eventually('the recorded outcome', async () => {
          const open = await instance.sql(`SELECT 1 FROM deliveries WHERE lease_until IS NOT NULL`);
          return open.length === 0;
        });
      }
      await deleteAll(instance, [endpoint]);
      await target!.stop();
      return target!;
    };

    it('WH-06: a connection is reused only after a complete response that keeps it open', async () => {
      // An idle connection stays open for 4 s. If the machine stalls for longer, two requests cannot share one, so the
      // check is repeated.
      const isReused = async () =>
        (await deliverTwice(respondWith('200 OK', 'x'.repeat(16_384)))).connections === 1;
      expect(await eventually('a reused connection', isReused)).toBe(true);
      expect((await deliverTwice(respondWith('200 OK', 'x'.repeat(200_000)))).connections).toBe(2);
      expect((await deliverTwice(respondWith('200 OK', '', 'Connection: close'))).connections).toBe(2);
    });
  });

  it('WH-05: requests do not use the proxy from the environment, and no error is logged', () => {
    expect(proxy.connections).toBe(0);
    expect(worker.isRunning).toBe(true);
    expect(worker.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  it('the invariants hold for every request to these targets', async () => {
    await history.check({ schedule: AT_ONCE });
  });
});

describe('a name server that does not respond', () => {
  let instance: TestInstance;
  let names: NameServer;
  let target: RawTarget;
  beforeAll(async () => {
    names = await NameServer.start({ '*': 'silent' });
    target = await RawTarget.start();
    // A lookup fails after half the timeout. Until then, the other deliveries must succeed.
    const workerEnv = { WEBHOOK_TIMEOUT: '60s', WEBHOOK_DNS_SERVERS: names.address };
    instance = await TestInstance.startShared({ workerEnv });
  });
  afterAll(async () => {
    await instance?.stop();
    await Promise.all([names?.stop(), target?.stop()]);
  });

  it('WH-06, WH-13: 80 deliveries that wait for the name server do not delay others', async () => {
    const createEndpoint = (host: string) =>
      instance.createEndpoint(target.url.replace('127.0.0.1', host), ['customer.created']);
    await runInChains(10, 4, (index) => createEndpoint(`hangs-${index}.example`));
    await Promise.all(['127.0.0.1', 'localhost'].map(createEndpoint));
    await emitEvents(instance, 2);
    await eventually('the other deliveries, and 80 in progress', async () => {
      const [row] = await instance.sql<{ attempts: number; open: number }>(
        `SELECT (SELECT count(*)::int FROM attempts) AS attempts,
           (SELECT count(*)::int FROM deliveries WHERE lease_until IS NOT NULL) AS open`,
      );
      return row!.attempts === 4 && row!.open === 80;
    });
    expect(await instance.sql('SELECT success FROM attempts')).toEqual(Array(4).fill({ success: true }));
  });
});
