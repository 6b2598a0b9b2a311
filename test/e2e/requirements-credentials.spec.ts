import { connect } from 'node:net';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let accessToken: string;
beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  accessToken = (await instance.register()).body.tokens.accessToken;
});
afterAll(async () => instance?.stop());

/** The status of a request whose header lines are sent as they are, one character a byte. */
const statusOf = (method: string, path: string, lines: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines];
    const socket = connect(Number(instance.env['PORT']), '127.0.0.1', () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    );
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject).on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)));
  });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

/** What stands in a credential's place, made of genuine credentials where that is worse. */
const values = (): Record<string, string> => {
  const [head, claims, signature] = accessToken.split('.') as [string, string, string];
  const { secretKey, publishableKey } = instance.credentials;
  return {
    nothing: '',
    'one character': 'x',
    'very long': 'x'.repeat(14_000),
    'too long': 'x'.repeat(20_000),
    binary: '\x80\xff\xfe\xc0\x80',
    emoji: bytes('🦄🦄🦄'),
    tabs: 'a\tb\tc',
    commas: `${secretKey}, ${secretKey}`,
    quotes: `"${secretKey}"`,
    SQL: "' OR 1=1 --",
    'a null': 'null',
    'a prototype': '__proto__',
    'a key cut short': secretKey.slice(0, -1),
    'a key made longer': `${secretKey}x`,
    'a key with another checksum': `${secretKey.slice(0, -6)}000000`,
    'a key of another type': secretKey.replace('sk_', 'xk_'),
    'a publishable key cut short': publishableKey.slice(0, -1),
    'a JWT without signature': `${head}.${claims}.`,
    'two parts of a JWT': `${head}.${claims}`,
    'four parts of a JWT': `${accessToken}.x`,
    dots: '...',
    'a JWT of nulls': `${encode(null)}.${encode(null)}.${encode(null)}`,
    'a JWT of lists': `${encode([])}.${encode([])}.`,
    'a JWT of numbers': `${encode(1)}.${encode(2)}.3`,
    'a JWT with a broken head': `x${head}.${claims}.${signature}`,
    'a JWT with broken claims': `${head}.x${claims}.${signature}`,
    'a JWT with a head that is no JSON': `${Buffer.from('{"alg":').toString('base64url')}.${claims}.${signature}`,
    'a JWT with a deep head': `${Buffer.from('['.repeat(5_000)).toString('base64url')}.${claims}.${signature}`,
    'a JWT with an object for a key id': `${encode({ alg: 'ES256', typ: 'at+jwt', kid: {} })}.${claims}.${signature}`,
    'a JWT without algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    'a JWT in standard base64': accessToken.replaceAll('-', '+').replaceAll('_', '/') + '==',
    'a JWT with a signature of zeros': `${head}.${claims}.${'A'.repeat(86)}`,
  };
};

const headers: [string, (value: string) => string[]][] = [
  ['Authorization: Bearer …', (value) => [`Authorization: Bearer ${value}`]],
  ['Authorization: bEaReR with two blanks', (value) => [`Authorization: bEaReR  ${value}`]],
  ['Authorization without scheme', (value) => [`Authorization: ${value}`]],
  ['Authorization: Basic …', (value) => [`Authorization: Basic ${value}`]],
  ['Authorization: Bearer Bearer …', (value) => [`Authorization: Bearer Bearer ${value}`]],
  ['Authorization twice', (value) => ['Authorization: Bearer x', `Authorization: Bearer ${value}`]],
  ['x-api-key', (value) => [`X-Api-Key: ${value}`]],
  ['x-api-key twice', (value) => ['X-Api-Key: x', `X-Api-Key: ${value}`]],
  ['x-publishable-key', (value) => [`X-Publishable-Key: ${value}`]],
  ['x-publishable-key twice', (value) => ['X-Publishable-Key: x', `X-Publishable-Key: ${value}`]],
  [
    'all three',
    (value) => [`Authorization: Bearer ${value}`, `X-Api-Key: ${value}`, `X-Publishable-Key: ${value}`],
  ],
];

/** One of each kind of route that asks for a credential. */
const routes = [
  ['GET', '/api/v1/me'],
  ['GET', '/v1/webhooks/endpoints'],
  ['GET', '/api/v1/customers/x'],
  ['POST', '/api/v1/auth/register'],
  ['POST', '/api/v1/auth/login'],
  ['POST', '/api/v1/auth/logout'],
] as const;

describe('AK-09: malformed credentials', () => {
  it.each(headers)(
    'in %s are refused on every kind of route, and never a fault of ours',
    async (_, lines) => {
      const { pid } = instance.api;
      for (const [name, value] of Object.entries(values())) {
        const statuses = await Promise.all(
          routes.map(([method, path]) => statusOf(method, path, lines(value))),
        );
        const odd = statuses.filter((status) => ![400, 401, 403, 431].includes(status));
        expect([name, odd]).toEqual([name, []]);
      }
      expect([instance.api.isRunning, instance.api.pid]).toEqual([true, pid]);
      expect(instance.api.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    },
  );

  it.each(headers)('in %s hinder nothing on a route that asks for none', async (_, lines) => {
    for (const [name, value] of Object.entries(values())) {
      const status = await statusOf('GET', '/.well-known/jwks.json', lines(value));
      expect([name, status]).toEqual([name, lines(value).join('').length > 16_000 ? 431 : 200]);
    }
  });

  it('a control character is refused before anybody looks at it', async () => {
    for (const control of ['\0', '\x01', '\x7f', '\n', '\r']) {
      for (const [, lines] of headers.slice(0, 1)) {
        const status = await statusOf('GET', '/api/v1/me', lines(`a${control}b`));
        expect([control, [400, 401].includes(status) || status]).toEqual([control, true]);
      }
    }
  });

  it('and the genuine ones still work', async () => {
    const bearer = (value: string) => [`Authorization: Bearer ${value}`];
    expect(await statusOf('GET', '/api/v1/me', bearer(accessToken))).toBe(200);
    expect(await statusOf('GET', '/v1/webhooks/endpoints', bearer(instance.credentials.secretKey))).toBe(200);
  });
});
