import { once } from 'node:events';
import { connect } from 'node:net';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestInstance, PASSWORD } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
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

/** Writes raw HTTP and reads until the connection closes. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => resolve(answer)).on('error', reject);
  });

const customer = (more: object = {}): string =>
  JSON.stringify({ email: `x${Math.random()}@example.com`, password: PASSWORD, ...more });

describe('strict input', () => {
  it('refuses more than 64 KiB, also without a Content-Length, and closes (IN-01)', async () => {
    const big = customer({ firstName: 'x'.repeat(70_000) });
    const answer = await send(big);
    expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(answer.headers['connection']).toBe('close');
    const chunk = `${'8000'}\r\n${'a'.repeat(0x8000)}\r\n`;
    const head = `POST ${registerPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await raw(head + chunk.repeat(4))).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'multipart/form-data; boundary=x' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'br' }],
  ])('refuses the type %j before it reads (IN-02, IN-03)', async (headers) => {
    expect(await send(customer(), headers as unknown as Record<string, string>)).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  });

  it.each([
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
  ])('refuses %s as invalid_json and stores nothing (IN-03 to IN-06)', async (_, body) => {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    expect((await instance.register()).status).toBe(201);
  });

  it('needs a body where the route does', async () => {
    expect(await instance.page('POST', registerPath)).toMatchObject({
      status: 400,
      body: { code: 'invalid_json' },
    });
  });

  it.each([
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
  ])('names the faulty field of %j (IN-05, IN-07, IN-08)', async (more, field) => {
    const answer = await send(customer(more));
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ field }] } });
  });

  it.each([
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
  ])('refuses the query %s (IN-08)', async (query) => {
    const answer = await instance.server('GET', `/v1/webhooks/deliveries?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'validation_failed' } });
  });

  it.each(['x', 'ep_', 'ep_123', '%00', '%E0%A4%A', "ep_' OR 1=1--"])(
    'answers 404 for the id %s (IN-09)',
    async (id) => {
      expect((await instance.server('GET', `/v1/webhooks/endpoints/${id}`)).status).toBe(404);
      expect((await instance.server('GET', `/v1/webhooks/deliveries/${id}`)).status).toBe(404);
    },
  );
});

describe('routes', () => {
  it('answers 404 and 405 with Allow, before it asks who calls', async () => {
    expect(await instance.request('GET', '/api/v1/nothing')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    const answer = await instance.request('DELETE', '/v1/webhooks/endpoints');
    expect(answer).toMatchObject({ status: 405, body: { success: false, code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')!.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it.each(['//api/v1/me', '/api/v1/me/', '/API/v1/me', '/api/v1/me;x', '/%61pi/v1/me'])(
    'lets nobody in through %s (HD-05)',
    async (path) => {
      expect([401, 404]).toContain((await instance.request('GET', path)).status);
    },
  );

  it('guards HEAD, refuses TRACE and ignores a method override (HD-05)', async () => {
    expect((await instance.request('HEAD', '/api/v1/me')).status).toBe(401);
    expect(await raw('TRACE /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    );
    const answer = await instance.request('GET', '/api/v1/me', {
      headers: { 'x-http-method-override': 'POST' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('headers', () => {
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cache-control': 'no-store',
  };

  it.each([
    ['GET', '/livez', 200],
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/api/v1/me', 401],
    ['PUT', '/api/v1/me', 405],
    ['POST', '/api/v1/auth/refresh', 400],
  ])('stand on %s %s (HD-01)', async (method, path, status) => {
    const answer = await instance.request(method, path);
    expect(answer.status).toBe(status);
    for (const [name, value] of Object.entries(everywhere))
      expect([name, answer.headers.get(name)]).toEqual([name, value]);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('content-type')).toMatch(/charset=utf-8/);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  it('stand on answers to requests that were never understood', async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    for (const [name, value] of Object.entries(everywhere))
      expect(answer.toLowerCase()).toContain(`${name}: ${value}`.toLowerCase());
    expect(answer).toContain('"code":"headers_too_large"');
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
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

  it('put the problem document in one form (LG-04)', async () => {
    const answer = await instance.request('GET', '/api/v1/me');
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: `${instance.baseUrl}/docs/errors#invalid_access_token`,
      title: expect.any(String),
      status: 401,
      detail: expect.any(String),
      code: 'invalid_access_token',
      requestId: answer.headers.get('x-request-id'),
    });
    const page = await instance.request('GET', '/docs/errors');
    expect(page.body).toContain('id="invalid_access_token"');
  });
});

describe('CORS (HD-03)', () => {
  const origin = 'http://localhost:5173';

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

  it('sends nothing on secret-key routes', async () => {
    const answer = await instance.request('GET', '/v1/webhooks/deliveries', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
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

  it('that break in the middle of a body are no fault of ours', async () => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1');
    socket.write(
      `POST ${registerPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"`,
    );
    await sleep(100);
    socket.destroy();
    await sleep(100);
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
