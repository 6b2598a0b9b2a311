import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.js';
import { inChunks } from '../support/in-chunks.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let accessToken: string;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  accessToken = (await instance.register('http@example.com')).body.tokens.accessToken;
});
afterAll(async () => instance?.stop());

const registerPath = '/api/v1/auth/register';

/** Sends raw bytes as the body of a registration. */
const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: Record<string, any>; headers: Record<string, any> }>(
    (resolve, reject) => {
      const request = httpRequest(instance.baseUrl + registerPath, {
        method: 'POST',
        headers: {
          'x-publishable-key': instance.credentials.publishableKey,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          ...headers,
        },
      });
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, body: JSON.parse(text), headers: response.headers }),
        );
      });
      request.on('error', reject).end(body);
    },
  );

interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends a request as it is written, one character a byte. A connection that just ends has the status 0. */
const raw = (head: string[], body = ''): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () =>
      socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`, 'latin1'),
    );
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject).on('close', () => {
      const [first = '', ...rest] = text.split('\r\n\r\n')[0]!.split('\r\n');
      const headers = rest.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1] ?? '']);
      const answered = text.split('\r\n\r\n').slice(1).join('\r\n\r\n');
      resolve({
        status: Number(first.split(' ')[1] ?? 0),
        headers: Object.fromEntries(headers),
        body: answered,
      });
    });
  });

const host = 'Host: gatehouse.example';
const json = 'Content-Type: application/json';
const pk = (): string => `X-Publishable-Key: ${instance.credentials.publishableKey}`;
const sk = (): string => `Authorization: Bearer ${instance.credentials.secretKey}`;

const customer = (more: object = {}): string =>
  JSON.stringify({ email: uniqueEmail(), password: PASSWORD, ...more });

describe('strict input', () => {
  it('IN-01: refuses more than 64 KiB, also without a Content-Length, and closes', async () => {
    const big = customer({ firstName: 'x'.repeat(70_000) });
    const answer = await send(big);
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(answer.headers['connection']).toBe('close');
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    const head = [`POST ${registerPath} HTTP/1.1`, host, json, 'Transfer-Encoding: chunked'];
    expect((await raw(head, chunk.repeat(4))).status).toBe(413);
  });

  it('IN-02, IN-03: refuses another type or encoding before it reads', async () => {
    const cases: Record<string, string>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
    ];
    const faults = await inChunks(cases, async (headers) => {
      const { status, body } = await send(customer(), headers);
      return status === 415 && body['code'] === 'unsupported_media_type' ? [] : [{ headers, status }];
    });
    expect(faults).toEqual([]);
  });

  it('IN-03 to IN-06: refuses what is not valid JSON of its kind as invalid_json, and goes on', async () => {
    const cases: [what: string, body: string | Buffer][] = [
      ['malformed', '{"email":'],
      ['an array', '[]'],
      ['a scalar', '"text"'],
      ['null', 'null'],
      ['a byte order mark', '\ufeff{}'],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      [
        'overlong UTF-8',
        Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
      ],
      ['a NUL', '{"email":"a\\u0000b"}'],
      ['a lone surrogate', '{"email":"\\ud800"}'],
      ['a lone surrogate in a key', '{"\\udc00":1}'],
      ['a number out of range', '{"email":1e400}'],
      ['depth 21', `{"a":${'['.repeat(20)}${']'.repeat(20)}}`],
      ['depth 5,000', '['.repeat(5_000)],
      ['depth 30,000', '{"a":'.repeat(12_000)],
      ['__proto__', '{"__proto__":{"x":1}}'],
      ['constructor in depth', '{"a":{"b":{"constructor":{"prototype":{}}}}}'],
      ['prototype in an array', '{"a":[{"prototype":1}]}'],
    ];
    const faults = await inChunks(cases, async ([what, sent]) => {
      const { status, body } = await send(sent);
      return status === 400 && body['code'] === 'invalid_json' ? [] : [{ what, status }];
    });
    expect(faults).toEqual([]);
    expect(await instance.page('POST', registerPath)).toMatchObject({
      status: 400,
      body: { code: 'invalid_json' },
    });
    expect((await instance.register()).status).toBe(201);
  });

  it('IN-05, IN-07, IN-08: names the field that is wrong', async () => {
    const cases: [more: object, field: string][] = [
      [{ email: 1 }, 'email'],
      [{ email: ['a@example.com'] }, 'email'],
      [{ email: { $gt: '' } }, 'email'],
      [{ email: 'no-address' }, 'email'],
      [{ email: '"quoted"@example.com' }, 'email'],
      [{ email: 'a@b@example.com,c@example.com' }, 'email'],
      [{ password: 12345678 }, 'password'],
      [{ password: null }, 'password'],
      [{ firstName: true }, 'firstName'],
      [{ firstName: 'a\nb' }, 'firstName'],
      [{ lastName: 'x'.repeat(101) }, 'lastName'],
      [{ unknown: 1 }, 'unknown'],
      [{ redirectUrl: 'https://evil.example' }, 'redirectUrl'],
    ];
    const faults = await inChunks(cases, async ([more, field]) => {
      const { status, body } = await send(customer(more));
      const found = [status, body['code'], body['errors']?.[0]?.field, body['errors']?.length];
      return isDeepStrictEqual(found, [400, 'validation_failed', field, 1]) ? [] : [{ more, found }];
    });
    expect(faults).toEqual([]);
  });

  it('IN-08: refuses a query that is not documented', async () => {
    const cases = [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=x',
      'limit=',
      'limit=1&limit=2',
      'limit[]=1',
      'unknown=1',
      'event=nope',
      'success=maybe',
      'status_class=6xx',
      'created_after=yesterday',
      'endpoint_id=123',
      'project_id=123',
    ];
    const faults = await inChunks(cases, async (query) => {
      const { status, body } = await instance.server('GET', `/v1/webhooks/deliveries?${query}`);
      const found = [status, body.success, body.code];
      return isDeepStrictEqual(found, [400, false, 'validation_failed']) ? [] : [{ query, found }];
    });
    expect(faults).toEqual([]);
  });

  it('IN-09: answers 404 for an id that is none', async () => {
    const ids = ['x', 'ep_', 'ep_123', '%00', '%E0%A4%A', "ep_' OR 1=1--"];
    const faults = await inChunks(['endpoints', 'deliveries'], async (noun) =>
      inChunks(ids, async (id) => {
        const { status } = await instance.server('GET', `/v1/webhooks/${noun}/${id}`);
        return status === 404 ? [] : [{ noun, id, status }];
      }),
    );
    expect(faults).toEqual([]);
  });
});

describe('HD-01: the headers', () => {
  const preflight = ['Origin: http://localhost:5173', 'Access-Control-Request-Method: POST'];
  const answers: [string, number, () => Promise<RawAnswer>][] = [
    ['200 of a page', 200, () => raw(['GET /docs/errors HTTP/1.1', host])],
    ['200 of the reference', 200, () => raw(['GET /openapi.json HTTP/1.1', host])],
    ['200 of the keys', 200, () => raw(['GET /.well-known/jwks.json HTTP/1.1', host])],
    ['200 of readyz', 200, () => raw(['GET /readyz HTTP/1.1', host])],
    [
      '200 of a customer',
      200,
      () => raw(['GET /api/v1/me HTTP/1.1', host, `Authorization: Bearer ${accessToken}`]),
    ],
    ['204 of a preflight', 204, () => raw(['OPTIONS /api/v1/me HTTP/1.1', host, ...preflight])],
    ['400 of a hosted page', 400, () => raw(['GET /verify-email?token=x HTTP/1.1', host])],
    [
      '400 of bad JSON',
      400,
      () => raw(['POST /api/v1/auth/login HTTP/1.1', host, json, pk(), 'Content-Length: 1'], '{'),
    ],
    ['400 of what is no HTTP', 400, () => raw(['nonsense'])],
    [
      '400 of two lengths',
      400,
      () => raw(['POST / HTTP/1.1', host, 'Content-Length: 1', 'Transfer-Encoding: chunked']),
    ],
    ['400 without a Host', 400, () => raw(['GET /livez HTTP/1.1'])],
    ['400 of a target without a path', 400, () => raw(['GET foo://x HTTP/1.1', host])],
    ['400 of a target that is no URL', 400, () => raw(['GET http://[::/livez HTTP/1.1', host])],
    ['200 of an absolute target', 200, () => raw(['GET http://x/livez HTTP/1.1', host])],
    ['200 of an expectation', 200, () => raw(['GET /livez HTTP/1.1', host, 'Expect: magic'])],
    ['200 of HTTP/1.0', 200, () => raw(['GET /livez HTTP/1.0'])],
    ['401', 401, () => raw(['GET /v1/webhooks/endpoints HTTP/1.1', host])],
    ['403', 403, () => raw(['GET /api/v1/me HTTP/1.1', host, sk()])],
    ['404', 404, () => raw(['GET /nothing HTTP/1.1', host])],
    ['404 of an ill-formed path', 404, () => raw(['GET /api/v1/customers/%ff HTTP/1.1', host, sk()])],
    ['405', 405, () => raw(['TRACE /livez HTTP/1.1', host])],
    ['413', 413, () => raw(['POST /api/v1/auth/login HTTP/1.1', host, json, 'Content-Length: 70000'])],
    [
      '415',
      415,
      () =>
        raw(['POST /api/v1/auth/login HTTP/1.1', host, 'Content-Type: text/xml', 'Content-Length: 1'], 'x'),
    ],
    ['431', 431, () => raw(['GET / HTTP/1.1', host, `X-Big: ${'x'.repeat(17_000)}`])],
  ];

  it('stand on every response', async () => {
    const faults = await inChunks(answers, async ([name, status, ask]) => {
      const { headers, ...answer } = await ask();
      const isPage = name.includes('page');
      const type = isPage ? 'text/html' : status < 300 ? 'application/json' : 'application/problem+json';
      const policy = headers['content-security-policy'] ?? '';
      const found = {
        status: answer.status,
        sniffing: headers['x-content-type-options'],
        transport: headers['strict-transport-security'],
        referrer: headers['referrer-policy'],
        caching: headers['cache-control'],
        hasRequestId: /^[\w-]{1,64}$/.test(headers['x-request-id'] ?? ''),
        revealing: ['x-powered-by', 'server', 'etag'].filter((each) => each in headers),
        policy: isPage
          ? /^default-src 'none'/.test(policy) &&
            policy.includes("frame-ancestors 'none'") &&
            !policy.includes('unsafe')
          : policy,
        type: headers['content-type'],
      };
      const expected = {
        status,
        sniffing: 'nosniff',
        transport: 'max-age=31536000; includeSubDomains',
        referrer: 'no-referrer',
        caching: name.includes('keys') ? 'public, max-age=300' : 'no-store',
        hasRequestId: true,
        revealing: [],
        policy: isPage || "default-src 'none';frame-ancestors 'none'",
        type: status === 204 ? undefined : `${type}; charset=utf-8`,
      };
      return isDeepStrictEqual(found, expected) ? [] : [{ name, found }];
    });
    expect(faults).toEqual([]);
    const tooLarge = await raw(['GET / HTTP/1.1', host, `X-Big: ${'x'.repeat(17_000)}`]);
    expect(tooLarge.body).toContain('"code":"headers_too_large"');
  });

  it('keep a request id of the caller only in the documented form (LG-02)', async () => {
    const ask = async (id: string) =>
      (await instance.request('GET', '/livez', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await ask('abc-DEF_123')).toBe('abc-DEF_123');
    expect(await ask('a b')).not.toBe('a b');
    expect(await ask('x'.repeat(65))).not.toBe('x'.repeat(65));
  });
});

describe('HD-03: CORS', () => {
  const origin = 'http://localhost:5173';
  const fromPage = `Origin: ${origin}`;
  const corsOf = ({ headers }: RawAnswer): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('answers any preflight of the routes that pages call', async () => {
    for (const path of ['/api/v1/auth/login', '/api/v1/me', '/.well-known/jwks.json']) {
      const answer = await instance.request('OPTIONS', path, {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-publishable-key',
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('access-control-max-age')).toBe('7200');
      expect(answer.headers.get('vary')).toContain('Origin');
    }
  });

  it('sends nothing on the routes of secret keys and on hosted pages, to a preflight neither', async () => {
    const paths = [
      '/v1/webhooks/endpoints',
      '/v1/webhooks/deliveries',
      '/api/v1/customers',
      '/api/v1/mailbox',
      '/api/v1/meow',
      '/api/v1/authority',
      '/verify-email',
    ];
    const faults = await inChunks(paths, async (path) => {
      const preflight = await raw([
        `OPTIONS ${path} HTTP/1.1`,
        host,
        fromPage,
        'Access-Control-Request-Method: GET',
      ]);
      const answer = await raw([`GET ${path} HTTP/1.1`, host, fromPage, sk()]);
      const found = [...corsOf(preflight), ...corsOf(answer)];
      return [404, 405].includes(preflight.status) && found.length === 0
        ? []
        : [{ path, status: preflight.status, found }];
    });
    expect(faults).toEqual([]);
  });

  it('names the origin, varies with it, allows no credentials, and exposes what pages need', async () => {
    for (const path of [
      '/api/v1/auth/refresh',
      '/api/v1/me',
      '/api/v1/me/sessions',
      '/.well-known/jwks.json',
    ]) {
      const first = await raw([`GET ${path} HTTP/1.1`, host, fromPage]);
      expect({ path, ...first.headers }).toMatchObject({
        path,
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'X-Request-Id,Retry-After,RateLimit,RateLimit-Policy',
        vary: 'Origin',
      });
      expect(corsOf(first)).toHaveLength(2);
      const withoutOrigin = await raw([`GET ${path} HTTP/1.1`, host]);
      expect(withoutOrigin.headers['vary']).toBe('Origin');
    }
  });

  it('lets the page read errors, the refusal of its origin included', async () => {
    await instance.sql(`UPDATE projects SET settings = '{"allowedOrigins":["https://app.example.com"]}'`);
    const refused = await instance.request('POST', '/api/v1/auth/login', {
      body: { email: 'a@example.com', password: 'x' },
      headers: { origin, 'x-publishable-key': instance.credentials.publishableKey },
    });
    const allowed = await instance.request('POST', '/api/v1/auth/login', {
      body: { email: 'a@example.com', password: 'x' },
      headers: {
        origin: 'https://app.example.com',
        'x-publishable-key': instance.credentials.publishableKey,
      },
    });
    await instance.sql(`UPDATE projects SET settings = '{}'`);
    expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('access-control-expose-headers')).toBe(
      'X-Request-Id,Retry-After,RateLimit,RateLimit-Policy',
    );
    expect(allowed.status).toBe(401);
  });
});

describe('HD-04: each status has what belongs to it', () => {
  it('401: WWW-Authenticate', async () => {
    const cases: [method: string, path: string, fields: object, challenge: string][] = [
      ['GET', '/api/v1/me', {}, 'Bearer error="invalid_token"'],
      ['GET', '/v1/webhooks/endpoints', {}, 'Bearer'],
      ['POST', '/api/v1/auth/login', {}, 'Bearer'],
      ['POST', '/api/v1/auth/login', { email: 'nobody@example.com', password: PASSWORD }, 'Bearer'],
      ['POST', '/api/v1/auth/refresh', { refreshToken: 'x' }, 'Bearer error="invalid_token"'],
      ['POST', '/api/v1/me/delete', { currentPassword: 'wrong password' }, 'Bearer'],
    ];
    const faults = await inChunks(cases, async ([method, path, fields, challenge]) => {
      const isMine = path === '/api/v1/me/delete';
      const { headers, status } = await instance.request(method, path, {
        headers: {
          ...(isMine ? { authorization: `Bearer ${accessToken}` } : {}),
          ...('email' in fields ? { 'x-publishable-key': instance.credentials.publishableKey } : {}),
        },
        ...(method === 'POST' ? { body: fields } : {}),
      });
      const found = [status, headers.get('www-authenticate')];
      return isDeepStrictEqual(found, [401, challenge]) ? [] : [{ path, fields, found }];
    });
    expect(faults).toEqual([]);
  });

  it('405: Allow, before the caller is looked at', async () => {
    const cases: [method: string, path: string, allowed: string][] = [
      ['DELETE', '/livez', 'GET, HEAD'],
      ['GET', '/api/v1/auth/login', 'POST'],
      ['PUT', '/api/v1/me', 'GET, HEAD, PATCH'],
      ['POST', `/api/v1/customers/${randomUUID()}`, 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', '/v1/webhooks/endpoints', 'GET, HEAD, POST'],
    ];
    const faults = await inChunks(cases, async ([method, path, allowed]) => {
      const { status, headers, body } = await instance.request(method, path);
      const found = [status, body.code, headers.get('allow')!.split(', ').sort().join(', ')];
      return isDeepStrictEqual(found, [405, 'method_not_allowed', allowed]) ? [] : [{ path, found }];
    });
    expect(faults).toEqual([]);
  });

  it('429: Retry-After, RateLimit and RateLimit-Policy', async () => {
    const email = uniqueEmail();
    let answer = await instance.login(email, 'wrong password');
    while (answer.status === 401) answer = await instance.login(email, 'wrong password');
    const wait = answer.headers.get('retry-after');
    expect(answer.status).toBe(429);
    expect(wait).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get('ratelimit')).toBe(`"failed-login";r=0;t=${wait}`);
    expect(answer.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
  });
});

describe('HD-05: no way around the guards', () => {
  const guarded = [
    ['GET', '/api/v1/me'],
    ['GET', '/v1/webhooks/endpoints'],
    ['POST', '/api/v1/auth/forgot-password'],
  ] as const;
  const tricks: [string, (path: string) => string][] = [
    ['as it is', (path) => path],
    ['two slashes', (path) => `/${path}`],
    ['a slash at the end', (path) => `${path}/`],
    ['capitals', (path) => path.toUpperCase()],
    ['one capital', (path) => path.replace('/v1', '/V1')],
    ['a parameter', (path) => `${path};x=1`],
    [
      'a letter in percent',
      (path) => path.replace(/.$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    ],
    ['a capital in percent', (path) => path.replace('/v1', '/%561')],
    ['a slash in percent', (path) => path.replace('/v1', '%2fv1')],
    ['a way up', (path) => `/livez/..${path}`],
    ['a way up in percent', (path) => `/livez/%2e%2e${path}`],
    ['a dot', (path) => `/.${path}`],
    ['a fragment', (path) => `${path}#/livez`],
    ['a NUL in percent', (path) => `${path}%00`],
    ['a backslash', (path) => path.replace('/v1', '\\v1')],
    ['an absolute target', (path) => `http://evil.example${path}`],
    ['an extension', (path) => `${path}.json`],
  ];

  it('by another way to write a path', async () => {
    const faults = await inChunks(tricks, async ([, change]) => {
      const found: unknown[] = [];
      for (const [method, path] of guarded) {
        const body = method === 'POST' ? ['Content-Type: application/json', 'Content-Length: 2'] : [];
        for (const verb of method === 'GET' ? ['GET', 'HEAD'] : ['POST']) {
          const head = [`${verb} ${change(path)} HTTP/1.1`, host, ...body];
          const { status } = await raw(head, body.length ? '{}' : '');
          if (![400, 401, 404].includes(status)) found.push([head[0], status]);
        }
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it('by a header or a query that names another method', async () => {
    const mine = `Authorization: Bearer ${accessToken}`;
    for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      for (const [method, path] of guarded) {
        const { status } = await raw([`GET ${path} HTTP/1.1`, host, `${header}: POST`]);
        expect([header, path, status]).toEqual([header, path, method === 'GET' ? 401 : 405]);
      }
      expect((await raw(['GET /api/v1/me HTTP/1.1', host, mine, `${header}: DELETE`])).status).toBe(200);
    }
    expect((await raw(['GET /api/v1/me?_method=DELETE HTTP/1.1', host, mine])).status).toBe(400);
  });

  it('by a method of another kind', async () => {
    const methods = ['TRACE', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY', 'DEBUG'];
    const faults = await inChunks(methods, async (method) =>
      inChunks(['/livez', '/api/v1/me', '/nothing'], async (path) => {
        const { status, body } = await raw([`${method} ${path} HTTP/1.1`, host, 'X-Secret: echo-me']);
        const isRefused = [0, 400, 404, 405].includes(status) && !body.includes('echo-me');
        return isRefused ? [] : [{ method, path, status, body }];
      }),
    );
    expect(faults).toEqual([]);
  });
});

describe('connections', () => {
  it('of clients that were refused are closed, though they keep theirs open (IN-11)', async () => {
    expect.hasAssertions();
    const socket = connect({ port: Number(instance.env['PORT']), host: '127.0.0.1', allowHalfOpen: true });
    socket.write('nonsense\r\n\r\n');
    socket.resume();
    await once(socket, 'end');
    // A half-closed peer learns of the end only when it writes again.
    const writing = setInterval(() => socket.write('more'), 50);
    await new Promise<void>(
      (resolve) => void socket.once('error', () => resolve()).once('close', () => resolve()),
    );
    clearInterval(writing);
    expect(socket.destroyed || socket.errored).toBeTruthy();
    socket.destroy();
  });

  it('that break in the middle of a body cause no internal error', async () => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1');
    const head = [
      `POST ${registerPath} HTTP/1.1`,
      host,
      json,
      pk(),
      'X-Request-Id: broken',
      'Content-Length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"a"`, () => socket.destroy());
    const line = await eventually('its log line', () =>
      instance.api.log.find(({ requestId, message }) => requestId === 'broken' && message === 'request'),
    );
    expect(line['status']).toBeLessThan(500);
    expect(instance.api.output).not.toContain('internal_error');
  });
});

describe('logs', () => {
  it('hold no password, token or key, and one JSON object a line (LG-01, LG-02)', async () => {
    const password = 'a very secret phrase \r\n\u001b[31m{"forged":true}';
    const registered = await instance.register(undefined, { password });
    await instance.request('GET', `/verify-email?token=${'T'.repeat(43)}`);
    await instance.request('GET', `/api/v1/me?key=${instance.credentials.secretKey}`, {
      headers: { authorization: `Bearer ${registered.body.tokens.accessToken}` },
    });
    const { output } = instance.api;
    for (const secret of [
      'very secret',
      'T'.repeat(43),
      registered.body.tokens.accessToken,
      registered.body.tokens.refreshToken,
      instance.credentials.secretKey,
      instance.env['GATEHOUSE_SECRET']!,
    ]) {
      expect(output).not.toContain(secret);
    }
    for (const line of output.trim().split('\n')) expect(() => void JSON.parse(line)).not.toThrow();
  });
});
