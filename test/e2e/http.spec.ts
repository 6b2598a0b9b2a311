import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { OperatorClient } from '../support/operator-client.js';
import { VERSION } from '../support/platform.js';
import { runInChunks } from '../support/run-in-chunks.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let accessToken: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  accessToken = (await instance.register('http@example.com')).body.tokens.accessToken;
});
afterAll(async () => instance?.stop());

const registerPath = '/api/v1/auth/register';

interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends a raw request, one byte per character. @returns status 0 if there is no response */
const sendRaw = (head: string[], body = ''): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () =>
      socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`, 'latin1'),
    );
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject).on('close', () => {
      const [first = '', ...rest] = text.split('\r\n\r\n')[0]!.split('\r\n');
      const headers = rest.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1] ?? '']);
      const responseBody = text.split('\r\n\r\n').slice(1).join('\r\n\r\n');
      resolve({
        status: Number(first.split(' ')[1] ?? 0),
        headers: Object.fromEntries(headers),
        body: responseBody,
      });
    });
  });

const host = 'Host: gatehouse.example';
const json = 'Content-Type: application/json';
const publishableKeyLine = (): string => `X-Publishable-Key: ${instance.credentials.publishableKey}`;
const secretKeyLine = (): string => `Authorization: Bearer ${instance.credentials.secretKey}`;

/** Sends raw bytes as a registration body. */
const send = async (body: string | Buffer, headers: Record<string, string> = {}) => {
  const sent = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const response = await sendRaw(
    [`POST ${registerPath} HTTP/1.1`, host, publishableKeyLine(), ...lines],
    Buffer.from(body).toString('latin1'),
  );
  return { ...response, body: JSON.parse(response.body) as Record<string, any> };
};

const customer = (more: object = {}): string =>
  JSON.stringify({ email: uniqueEmail(), password: PASSWORD, ...more });

describe('strict input', () => {
  it('IN-01: rejects more than 64 KiB, even without a Content-Length, and closes the connection', async () => {
    const largeBody = customer({ firstName: 'x'.repeat(70_000) });
    const response = await send(largeBody);
    expect(response).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(response.headers['connection']).toBe('close');
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    const head = [`POST ${registerPath} HTTP/1.1`, host, json, 'Transfer-Encoding: chunked'];
    expect((await sendRaw(head, chunk.repeat(4))).status).toBe(413);
  });

  // The API's body-reader.spec.ts, strict-json.spec.ts and input.pipe.spec.ts test other rejected inputs.
  it('IN-02 to IN-08: rejects other types and encodings, invalid JSON, and unknown fields', async () => {
    const invalid: [name: string, body: string | Buffer][] = [
      ['malformed', '{"email":'],
      ['an array', '[]'],
      ['a byte order mark', '\ufeff{}'],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ['a lone surrogate', '{"\\udc00":1}'],
      ['depth 21', `{"a":${'['.repeat(20)}${']'.repeat(20)}}`],
      ['__proto__', '{"__proto__":{"x":1}}'],
      ['a nested constructor', '{"a":{"b":{"constructor":{"prototype":{}}}}}'],
    ];
    const fields: [field: string, value: unknown][] = [
      ['email', { $gt: '' }],
      ['email', '"quoted"@example.com'],
      ['password', 12345678],
      ['firstName', 'a\tb'],
      ['firstName', '\u200b'],
      ['lastName', 'x'.repeat(101)],
      ['locale', 'de_AT'],
      ['unknown', 1],
      ['redirectUrl', 'https://evil.example'],
    ];
    const types = ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x'];
    const unsupported = [
      ...types.map((type) => ({ 'content-type': type })),
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
    ];
    type Expected = [status: number, code: string, field?: string];
    const cases: [name: string, expected: Expected, body: string | Buffer, headers: object][] = [
      ...unsupported.map((headers): (typeof cases)[0] => [
        JSON.stringify(headers),
        [415, 'unsupported_media_type'],
        customer(),
        headers,
      ]),
      ...invalid.map(([name, body]): (typeof cases)[0] => [name, [400, 'invalid_json'], body, {}]),
      ['a NUL', [400, 'invalid_json', 'email'], '{"email":"a\\u0000b"}', {}],
      ['a number out of range', [400, 'invalid_json', 'email'], '{"email":1e400}', {}],
      ...fields.map(([field, value]): (typeof cases)[0] => [
        `${field} ${JSON.stringify(value)}`,
        [400, 'validation_failed', field],
        customer({ [field]: value }),
        {},
      ]),
    ];
    await checkCases(
      cases,
      async ([status, code, field]: Expected, sent: string | Buffer, headers: object) => {
        const { status: found, body } = await send(sent, headers as Record<string, string>);
        const names = body['errors']?.map((error: { field: string }) => error.field);
        expect([found, body['code'], names]).toEqual([status, code, field ? [field] : undefined]);
      },
    );
    expect(await instance.requestWithPublishableKey('POST', registerPath)).toMatchObject({
      body: { code: 'invalid_json' },
    });
    expect((await instance.register()).status).toBe(201);
  });

  it('describes the problem with the request and its solution in each error', async () => {
    const { secretKey, publishableKey } = instance.credentials;
    const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
    const login = { email: 'http@example.com', password: PASSWORD };
    const endpoint = { url: 'http://127.0.0.1:9/', events: ['customer.gone'] };
    const cases: [detail: string, method: string, path: string, headers?: object, body?: unknown][] = [
      [
        'The request contains no credential. Send a secret key as "Authorization: Bearer sk_…" or in X-Api-Key.',
        'GET',
        '/api/v1/customers',
      ],
      [
        'The request contains no credential. Send a publishable key, pk_…, in X-Publishable-Key.',
        'POST',
        '/api/v1/auth/login',
        {},
        login,
      ],
      [
        'The API key in Authorization is malformed: its length or checksum is wrong. Check that it was copied completely.',
        'GET',
        '/api/v1/customers',
        bearer(secretKey.slice(0, -3)),
      ],
      [
        'The X-Publishable-Key header contains a secret key. Send a publishable key, pk_…, in X-Publishable-Key.',
        'POST',
        '/api/v1/auth/login',
        { 'x-publishable-key': secretKey },
        login,
      ],
      [
        'The X-Api-Key header contains a publishable key. Send a secret key as "Authorization: Bearer sk_…" or in X-Api-Key.',
        'GET',
        '/api/v1/customers',
        { 'x-api-key': publishableKey },
      ],
      [
        'The access token is malformed. Send the accessToken of a sign-in or refresh, complete and unchanged.',
        'GET',
        '/api/v1/me',
        bearer('eyJhbGciOi'),
      ],
      [
        'There is no such route. Did you mean /api/v1/customers?',
        'GET',
        '/api/v1/customers/',
        bearer(secretKey),
      ],
      ['There is no such route. Did you mean /api/v1/customers?', 'GET', '/v1/customers', bearer(secretKey)],
      [
        'There is no such route. Did you mean /v1/webhooks/endpoints?',
        'GET',
        '/api/v1/webhooks/endpoints',
        bearer(secretKey),
      ],
      [
        'There is no such route. Did you mean /v1/webhooks/endpoints?',
        'GET',
        '/v1/webhooks/endpoint',
        bearer(secretKey),
      ],
      ['There is no such route. The API reference lists all routes.', 'GET', '/nothing'],
      ['This path supports GET, HEAD, PATCH, not DELETE.', 'DELETE', '/api/v1/me'],
      [
        'events must contain known event types (see GET /v1/webhooks/event-types), patterns such as customer.*, custom types such as app.order.paid, app.*, or *.',
        'POST',
        '/v1/webhooks/endpoints',
        bearer(secretKey),
        endpoint,
      ],
    ];
    const details = cases.map(([, method, path, headers, body]) =>
      instance
        .request(method, path, { headers: headers as Record<string, string>, body })
        .then((response) => response.body.detail as string),
    );
    expect(await Promise.all(details)).toEqual(cases.map(([detail]) => detail));
    expect((await send('{\n  "email": "a@b.example"\n  "password": "x"\n}')).body['detail']).toBe(
      'The body is not valid JSON: syntax error at line 3, column 3.',
    );
    expect((await send('{}', { 'content-type': 'text/plain' })).body['detail']).toBe(
      'The Content-Type is text/plain. Send Content-Type: application/json.',
    );
  });

  it('IN-08, IN-09: rejects an undocumented query, and returns 404 for an invalid id', async () => {
    const queries = `limit=0 limit=201 limit=1.5 limit=x limit= limit=1&limit=2 limit[]=1 unknown=1 event=nope
      success=maybe status_class=6xx created_after=yesterday endpoint_id=123 project_id=123`.split(/\s+/);
    const ids = ['x', 'ep_', 'ep_123', '%00', '%E0%A4%A', "ep_' OR 1=1--"];
    const cases: [path: string, status: number, code: string][] = [
      ...queries.map((query): (typeof cases)[0] => [`deliveries?${query}`, 400, 'validation_failed']),
      ...['endpoints', 'deliveries'].flatMap((noun) =>
        ids.map((id): (typeof cases)[0] => [`${noun}/${id}`, 404, 'not_found']),
      ),
    ];
    await checkCases(
      cases.map(([path, ...rest]) => [path, path, ...rest] as const),
      async (path: string, status: number, code: string) => {
        expect(await instance.requestWithSecretKey('GET', `/v1/webhooks/${path}`)).toMatchObject({
          status,
          body: { code },
        });
      },
    );
  });
});

describe('HD-01: the set of response headers', () => {
  const preflight = ['Origin: http://localhost:5173', 'Access-Control-Request-Method: POST'];
  const get = (path: string): string[] => [`GET ${path} HTTP/1.1`, host];
  const login = ['POST /api/v1/auth/login HTTP/1.1', host];
  const largeHeader = `X-Big: ${'x'.repeat(17_000)}`;
  const responses = (): [name: string, status: number, head: string[], body?: string][] => [
    ['a page', 200, get('/docs/errors')],
    ['the reference', 200, get('/openapi.json')],
    ['the keys', 200, get('/.well-known/jwks.json')],
    ['readyz', 200, get('/readyz')],
    ['a customer', 200, [...get('/api/v1/me'), `Authorization: Bearer ${accessToken}`]],
    ['a preflight', 204, ['OPTIONS /api/v1/me HTTP/1.1', host, ...preflight]],
    ['a hosted page', 400, get('/verify-email?token=x')],
    ['invalid JSON', 400, [...login, json, publishableKeyLine(), 'Content-Length: 1'], '{'],
    ['a request that is not HTTP', 400, ['nonsense']],
    ['two body lengths', 400, ['POST / HTTP/1.1', host, 'Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['no Host', 400, ['GET /livez HTTP/1.1']],
    ['two Hosts', 400, [...get('/livez'), 'Host: other.example']],
    ['the same Host twice', 400, [...get('/livez'), host]],
    ['two Hosts in one line', 400, ['GET /livez HTTP/1.1', 'Host: gatehouse.example, other.example']],
    ['two Hosts over HTTP/1.0', 400, ['GET /livez HTTP/1.0', host, host]],
    ['a Host with a user', 400, ['GET /livez HTTP/1.1', 'Host: gatehouse.example@other.example']],
    ['an IPv6 Host', 200, ['GET /livez HTTP/1.1', 'Host: [::1]:3000']],
    ['a target without a path', 400, get('foo://x')],
    ['a target that is not a URL', 400, get('http://[::/livez')],
    ['an absolute target', 200, get('http://x/livez')],
    ['an Expect header', 200, [...get('/livez'), 'Expect: magic']],
    ['HTTP/1.0', 200, ['GET /livez HTTP/1.0']],
    ['no credential', 401, get('/v1/webhooks/endpoints')],
    ['a credential of the wrong type', 403, [...get('/api/v1/me'), secretKeyLine()]],
    ['no route', 404, get('/nothing')],
    ['a malformed path', 404, [...get('/api/v1/customers/%ff'), secretKeyLine()]],
    ['an unsupported method', 405, ['TRACE /livez HTTP/1.1', host]],
    ['a long body', 413, [...login, json, 'Content-Length: 70000']],
    ['an unsupported type', 415, [...login, 'Content-Type: text/xml', 'Content-Length: 1'], 'x'],
    ['long headers', 431, [...get('/'), largeHeader]],
  ];

  it('appears in every response', async () => {
    await checkCases(
      responses().map(([name, ...rest]) => [name, name, ...rest] as const),
      async (name: string, status: number, head: string[], body?: string) => {
        const { headers, ...response } = await sendRaw(head, body);
        const isPage = name.includes('page');
        const type = isPage ? 'text/html' : status < 300 ? 'application/json' : 'application/problem+json';
        const policy = headers['content-security-policy'] ?? '';
        const found = {
          status: response.status,
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
        expect(found).toEqual(expected);
      },
    );
    const tooLarge = await sendRaw([...get('/'), largeHeader]);
    expect(tooLarge.body).toContain('"code":"headers_too_large"');
  });

  it('contains a request id of the caller only in the documented form (LG-02)', async () => {
    const requestIdFor = async (id: string) =>
      (await instance.request('GET', '/livez', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await requestIdFor('abc-DEF_123')).toBe('abc-DEF_123');
    expect(await requestIdFor('a b')).not.toBe('a b');
    expect(await requestIdFor('x'.repeat(65))).not.toBe('x'.repeat(65));
  });
});

describe('HD-03: CORS', () => {
  const origin = 'http://localhost:5173';
  const fromPage = `Origin: ${origin}`;
  const exposed = 'X-Request-Id,Retry-After,RateLimit,RateLimit-Policy';
  const corsOf = ({ headers }: RawResponse): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('accepts any preflight request for the routes that pages call', async () => {
    for (const path of ['/api/v1/auth/login', '/api/v1/me', '/.well-known/jwks.json']) {
      const { status, headers } = await sendRaw([
        `OPTIONS ${path} HTTP/1.1`,
        host,
        fromPage,
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: content-type,x-publishable-key,traceparent',
      ]);
      expect({ status, ...headers }).toMatchObject({
        status: 204,
        'access-control-allow-origin': origin,
        'access-control-allow-headers': expect.stringMatching(/\bX-Publishable-Key\b.*\btraceparent\b/),
        'access-control-max-age': '7200',
        vary: expect.stringContaining('Origin'),
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('sends no CORS headers on hosted pages and secret key routes, even for a preflight', async () => {
    const paths =
      `/v1/webhooks/endpoints /v1/webhooks/deliveries /api/v1/customers /api/v1/mailbox /api/v1/meow
      /api/v1/authority /verify-email`.split(/\s+/);
    const failures = await runInChunks(paths, async (path) => {
      const preflight = await sendRaw([
        `OPTIONS ${path} HTTP/1.1`,
        host,
        fromPage,
        'Access-Control-Request-Method: GET',
      ]);
      const response = await sendRaw([`GET ${path} HTTP/1.1`, host, fromPage, secretKeyLine()]);
      const found = [...corsOf(preflight), ...corsOf(response)];
      return [404, 405].includes(preflight.status) && found.length === 0
        ? []
        : [{ path, status: preflight.status, found }];
    });
    expect(failures).toEqual([]);
  });

  it('allows the origin, varies by it, allows no credentials, and exposes the required headers', async () => {
    for (const path of [
      '/api/v1/auth/refresh',
      '/api/v1/me',
      '/api/v1/me/sessions',
      '/.well-known/jwks.json',
    ]) {
      const first = await sendRaw([`GET ${path} HTTP/1.1`, host, fromPage]);
      expect({ path, ...first.headers }).toMatchObject({
        path,
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposed,
        vary: 'Origin',
      });
      expect(corsOf(first)).toHaveLength(2);
      const withoutOrigin = await sendRaw([`GET ${path} HTTP/1.1`, host]);
      expect(withoutOrigin.headers['vary']).toBe('Origin');
    }
  });

  it('allows a page to read the error that rejects its origin', async () => {
    await instance.sql(`UPDATE projects SET settings = '{"allowedOrigins":["https://app.example.com"]}'`);
    const login = (from: string) => instance.login(uniqueEmail(), 'x', { origin: from });
    const [rejected, allowed] = [await login(origin), await login('https://app.example.com')];
    await instance.sql(`UPDATE projects SET settings = '{}'`);
    expect(rejected).toMatchObject({
      status: 403,
      body: {
        code: 'origin_not_allowed',
        detail: `The origin ${origin} is not in the allowedOrigins of the project. Add it to the project settings.`,
      },
    });
    expect(rejected.headers.get('access-control-allow-origin')).toBe(origin);
    expect(rejected.headers.get('access-control-expose-headers')).toBe(exposed);
    expect(allowed.status).toBe(401);
  });
});

describe('HD-04: the required headers of each status', () => {
  it('include WWW-Authenticate with 401', async () => {
    const invalid = 'Bearer error="invalid_token"';
    const login = { email: 'nobody@example.com', password: PASSWORD };
    const key = { 'x-publishable-key': instance.credentials.publishableKey };
    const accessTokenHeader = { authorization: `Bearer ${accessToken}` };
    type Case = [request: string, challenge: string, headers: Record<string, string>, body?: object];
    const cases: Case[] = [
      ['GET /api/v1/me', 'Bearer', {}],
      ['GET /api/v1/me', 'Bearer', { authorization: 'Basic Zm9vOmJhcg==' }],
      ['GET /api/v1/me/sessions', 'Bearer', {}],
      ['GET /api/v1/me', invalid, { authorization: 'Bearer nonsense' }],
      ['GET /v1/webhooks/endpoints', 'Bearer', {}],
      ['POST /api/v1/auth/login', 'Bearer', {}, {}],
      ['POST /api/v1/auth/login', 'Bearer', key, login],
      ['POST /api/v1/auth/refresh', invalid, {}, { refreshToken: 'x' }],
      ['POST /api/v1/me/delete', 'Bearer', accessTokenHeader, { currentPassword: 'wrong password' }],
    ];
    await checkCases(
      cases.map((each) => [each[0], ...each] as const),
      async (...[request, challenge, headers, body]: Case) => {
        const [method, path] = request.split(' ') as [string, string];
        const response = await instance.request(method, path, { headers, ...(body ? { body } : {}) });
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge]);
      },
    );
  });

  it('include Allow with 405, before authentication', async () => {
    const cases: [method: string, path: string, allowed: string][] = [
      ['DELETE', '/livez', 'GET, HEAD'],
      ['GET', '/api/v1/auth/login', 'POST'],
      ['PUT', '/api/v1/me', 'GET, HEAD, PATCH'],
      ['POST', `/api/v1/customers/${randomUUID()}`, 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', '/v1/webhooks/endpoints', 'GET, HEAD, POST'],
    ];
    await checkCases(
      cases.map((each) => [each[1], ...each] as const),
      async (method: string, path: string, allowed: string) => {
        const { status, headers, body } = await instance.request(method, path);
        const found = [status, body.code, headers.get('allow')!.split(', ').sort().join(', ')];
        expect(found).toEqual([405, 'method_not_allowed', allowed]);
      },
    );
  });

  it('include Retry-After, RateLimit and RateLimit-Policy with 429', async () => {
    const email = uniqueEmail();
    let response = await instance.login(email, 'wrong password');
    while (response.status === 401) response = await instance.login(email, 'wrong password');
    const wait = response.headers.get('retry-after');
    expect(response.status).toBe(429);
    expect(wait).toMatch(/^[1-9]\d*$/);
    expect(response.headers.get('ratelimit')).toBe(`"failed-login";r=0;t=${wait}`);
    expect(response.headers.get('ratelimit-policy')).toBe('"failed-login";q=10;w=900');
  });
});

describe('HD-05: a guard', () => {
  const guarded = [
    ['GET', '/api/v1/me'],
    ['GET', '/v1/webhooks/endpoints'],
    ['POST', '/api/v1/auth/forgot-password'],
  ] as const;
  const variants: [string, (path: string) => string][] = [
    ['unchanged', (path) => path],
    ['two slashes', (path) => `/${path}`],
    ['a trailing slash', (path) => `${path}/`],
    ['upper case', (path) => path.toUpperCase()],
    ['one upper-case letter', (path) => path.replace('/v1', '/V1')],
    ['a parameter', (path) => `${path};x=1`],
    [
      'a percent-encoded letter',
      (path) => path.replace(/.$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    ],
    ['a percent-encoded upper-case letter', (path) => path.replace('/v1', '/%561')],
    ['a percent-encoded slash', (path) => path.replace('/v1', '%2fv1')],
    ['a parent folder', (path) => `/livez/..${path}`],
    ['a percent-encoded parent folder', (path) => `/livez/%2e%2e${path}`],
    ['a dot', (path) => `/.${path}`],
    ['a fragment', (path) => `${path}#/livez`],
    ['a percent-encoded NUL', (path) => `${path}%00`],
    ['a backslash', (path) => path.replace('/v1', '\\v1')],
    ['an absolute target', (path) => `http://evil.example${path}`],
    ['a file extension', (path) => `${path}.json`],
  ];

  it('rejects a path in an unusual form', async () => {
    const failures = await runInChunks(variants, async ([, change]) => {
      const found: unknown[] = [];
      for (const [method, path] of guarded) {
        const body = method === 'POST' ? ['Content-Type: application/json', 'Content-Length: 2'] : [];
        for (const verb of method === 'GET' ? ['GET', 'HEAD'] : ['POST']) {
          const head = [`${verb} ${change(path)} HTTP/1.1`, host, ...body];
          const { status } = await sendRaw(head, body.length ? '{}' : '');
          if (![400, 401, 404].includes(status)) found.push([head[0], status]);
        }
      }
      return found;
    });
    expect(failures).toEqual([]);
  });

  it('rejects a header or a query that overrides the method', async () => {
    const authorization = `Authorization: Bearer ${accessToken}`;
    for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      for (const [method, path] of guarded) {
        const { status } = await sendRaw([`GET ${path} HTTP/1.1`, host, `${header}: POST`]);
        expect([header, path, status]).toEqual([header, path, method === 'GET' ? 401 : 405]);
      }
      const overridden = await sendRaw(['GET /api/v1/me HTTP/1.1', host, authorization, `${header}: DELETE`]);
      expect(overridden.status).toBe(200);
    }
    expect((await sendRaw(['GET /api/v1/me?_method=DELETE HTTP/1.1', host, authorization])).status).toBe(400);
  });

  it('rejects an unusual method', async () => {
    const methods = ['TRACE', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY', 'DEBUG'];
    const failures = await runInChunks(methods, async (method) =>
      runInChunks(['/livez', '/api/v1/me', '/nothing'], async (path) => {
        const { status, body } = await sendRaw([`${method} ${path} HTTP/1.1`, host, 'X-Secret: echo-me']);
        const isRejected = [0, 400, 404, 405].includes(status) && !body.includes('echo-me');
        return isRejected ? [] : [{ method, path, status, body }];
      }),
    );
    expect(failures).toEqual([]);
  });
});

describe('CO-05: the response to an anonymous request', () => {
  it('contains neither the version nor the mode nor the components', async () => {
    expect((await instance.request('GET', '/livez')).body).toEqual({ status: 'ok' });
    expect((await instance.request('GET', '/readyz')).body).toEqual({ status: 'ready' });
    const signedOut = {
      state: 'signed_out',
      operator: null,
      expiresAt: null,
      expiresIn: null,
      endsIn: null,
      method: null,
      isReauthenticated: false,
      hasSecondFactor: false,
      factors: [],
      passkeysAvailable: false,
      singleSignOn: null,
      maySkipEnrollment: false,
      setupRequired: false,
      server: null,
      preferences: null,
    };
    const forged = { cookie: `__Host-gatehouse_operator=${'x'.repeat(43)}` };
    for (const headers of [{}, forged]) {
      const { body } = await instance.request('GET', '/operator/v1/session', { headers });
      expect(body).toEqual(signedOut);
    }
    const credentials = { ...instance.credentials.operator, password: 'not their password' };
    const client = new OperatorClient(instance);
    expect(JSON.stringify((await client.request('POST', '/session', credentials)).body)).not.toContain(
      'server',
    );
    const passwordOnly = await client.request('POST', '/session', instance.credentials.operator);
    expect(passwordOnly).toMatchObject({ status: 200, body: { operator: {}, server: null } });
    await client.request('DELETE', '/session');
    for (const path of ['/', '/console', '/verify-email', '/nothing', '/operator/v1/health']) {
      const response = await fetch(`${instance.baseUrl}${path}`);
      expect(`${await response.text()}${JSON.stringify([...response.headers])}`).not.toContain(VERSION);
    }
  });
});

describe('a connection', () => {
  it('closes after a rejection, even if the client keeps it open (IN-11)', async () => {
    expect.hasAssertions();
    const socket = connect({ port: Number(instance.env['PORT']), host: '127.0.0.1', allowHalfOpen: true });
    socket.write('nonsense\r\n\r\n');
    socket.resume();
    await once(socket, 'end');
    // A half-closed peer detects the close only when it writes again.
    const writing = setInterval(() => socket.write('more'), 50);
    await new Promise<void>(
      (resolve) => void socket.once('error', () => resolve()).once('close', () => resolve()),
    );
    clearInterval(writing);
    expect(socket.destroyed || socket.errored).toBeTruthy();
    socket.destroy();
  });

  it('does not cause an internal error if it closes in the middle of a body', async () => {
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1');
    const framing = ['X-Request-Id: broken', 'Content-Length: 100'];
    const head = [`POST ${registerPath} HTTP/1.1`, host, json, publishableKeyLine(), ...framing];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"a"`, () => socket.destroy());
    const line = await eventually('the log message', () =>
      instance.api.log.find(({ requestId, message }) => requestId === 'broken' && message === 'request'),
    );
    expect(line['status']).toBeLessThan(500);
    expect(instance.api.output).not.toContain('internal_error');
  });
});
