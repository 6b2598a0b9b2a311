import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let accessToken: string;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  accessToken = (await instance.register('http@example.com')).body.tokens.accessToken;
});
afterAll(async () => instance?.stop());

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

describe('HD-01: every answer has the headers', () => {
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

  it.each(answers)('%s', async (name, status, ask) => {
    const { headers, ...answer } = await ask();
    expect([name, answer.status]).toEqual([name, status]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'referrer-policy': 'no-referrer',
      'cache-control': name.includes('keys') ? 'public, max-age=300' : 'no-store',
      'x-request-id': expect.stringMatching(/^[\w-]{1,64}$/),
    });
    for (const name of ['x-powered-by', 'server', 'etag']) expect(headers).not.toHaveProperty(name);
    const policy = headers['content-security-policy']!;
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    if (status !== 204) {
      const isPage = name.includes('page');
      const type = isPage ? 'text/html' : status < 300 ? 'application/json' : 'application/problem+json';
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    }
  });
});

describe('HD-03: CORS', () => {
  const origin = 'Origin: http://localhost:5173';
  const corsOf = ({ headers }: RawAnswer): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it.each([
    '/v1/webhooks/endpoints',
    '/v1/webhooks/deliveries',
    '/api/v1/customers',
    '/api/v1/mailbox',
    '/api/v1/meow',
    '/api/v1/authority',
    '/verify-email',
  ])('%s sends no header of it, to a preflight neither', async (path) => {
    const preflight = await raw([
      `OPTIONS ${path} HTTP/1.1`,
      host,
      origin,
      'Access-Control-Request-Method: GET',
    ]);
    expect([404, 405]).toContain(preflight.status);
    for (const answer of [preflight, await raw([`GET ${path} HTTP/1.1`, host, origin, sk()])]) {
      expect(corsOf(answer)).toEqual([]);
    }
  });

  it.each(['/api/v1/auth/refresh', '/api/v1/me', '/api/v1/me/sessions', '/.well-known/jwks.json'])(
    '%s names the origin, varies with it, allows no credentials, and exposes what pages need',
    async (path) => {
      const first = await raw([`GET ${path} HTTP/1.1`, host, origin]);
      expect(first.headers).toMatchObject({
        'access-control-allow-origin': 'http://localhost:5173',
        'access-control-expose-headers': 'X-Request-Id,Retry-After,RateLimit,RateLimit-Policy',
        vary: 'Origin',
      });
      expect(corsOf(first)).toHaveLength(2);
      const withoutOrigin = await raw([`GET ${path} HTTP/1.1`, host]);
      expect(withoutOrigin.headers['vary']).toBe('Origin');
    },
  );
});

describe('HD-04: each status has what belongs to it', () => {
  it.each([
    ['GET', '/api/v1/me', {}, 'Bearer error="invalid_token"'],
    ['GET', '/v1/webhooks/endpoints', {}, 'Bearer'],
    ['POST', '/api/v1/auth/login', {}, 'Bearer'],
    ['POST', '/api/v1/auth/login', { email: 'nobody@example.com', password: PASSWORD }, 'Bearer'],
    ['POST', '/api/v1/auth/refresh', { refreshToken: 'x' }, 'Bearer error="invalid_token"'],
    ['POST', '/api/v1/me/delete', { currentPassword: 'wrong password' }, 'Bearer'],
  ])('401 of %s %s %j: WWW-Authenticate %s', async (method, path, fields, challenge) => {
    const isMine = path === '/api/v1/me/delete';
    const credential: Record<string, string> = isMine ? { authorization: `Bearer ${accessToken}` } : {};
    const page: Record<string, string> =
      'email' in fields ? { 'x-publishable-key': instance.credentials.publishableKey } : {};
    const answer = await instance.request(method, path, {
      headers: { ...credential, ...page },
      ...(method === 'POST' ? { body: fields } : {}),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  it.each([
    ['DELETE', '/livez', 'GET, HEAD'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['PUT', '/api/v1/me', 'GET, HEAD, PATCH'],
    ['POST', `/api/v1/customers/${randomUUID()}`, 'DELETE, GET, HEAD, PATCH'],
  ])('405 of %s %s: Allow %s', async (method, path, allowed) => {
    const answer = await instance.request(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')!.split(', ').sort().join(', ')).toBe(allowed);
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

  it('409 of a taken address', async () => {
    expect((await instance.register('http@example.com')).status).toBe(409);
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

  it.each(tricks)('%s', async (_, change) => {
    for (const [method, path] of guarded) {
      const body = method === 'POST' ? ['Content-Type: application/json', 'Content-Length: 2'] : [];
      for (const verb of method === 'GET' ? ['GET', 'HEAD'] : ['POST']) {
        const { status } = await raw(
          [`${verb} ${change(path)} HTTP/1.1`, host, ...body],
          body.length ? '{}' : '',
        );
        expect([verb, change(path), [400, 401, 404].includes(status) || status]).toEqual([
          verb,
          change(path),
          true,
        ]);
      }
    }
  });

  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    '%s is ignored',
    async (header) => {
      for (const [method, path] of guarded) {
        const { status } = await raw([`GET ${path} HTTP/1.1`, host, `${header}: POST`]);
        expect([path, status]).toEqual([path, method === 'GET' ? 401 : 405]);
      }
      const mine = `Authorization: Bearer ${accessToken}`;
      expect((await raw(['GET /api/v1/me?_method=DELETE HTTP/1.1', host, mine])).status).toBe(400);
      expect((await raw(['GET /api/v1/me HTTP/1.1', host, mine, `${header}: DELETE`])).status).toBe(200);
    },
  );

  it.each(['TRACE', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY', 'DEBUG'])(
    '%s is refused everywhere',
    async (method) => {
      for (const path of ['/livez', '/api/v1/me', '/nothing']) {
        const { status, body } = await raw([`${method} ${path} HTTP/1.1`, host, 'X-Secret: echo-me']);
        expect([0, 400, 404, 405]).toContain(status);
        expect(body).not.toContain('echo-me');
      }
    },
  );
});
