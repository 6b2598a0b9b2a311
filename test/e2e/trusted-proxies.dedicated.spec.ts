import { request as httpRequest } from 'node:http';
import { decodeJwt } from 'jose';
import { inviteOperator, OperatorClient, signIn } from '../support/operator.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  // Whoever connects from loopback is a trusted proxy: the worst case for forged headers.
  instance = await TestInstance.start({ workers: 0, env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(async () => instance?.stop());

describe('EV-05: forged host names', () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '8443',
    'x-original-host': 'evil.example',
    'x-host': 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  };
  const ask = (method: string, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...forged,
        'x-publishable-key': instance.credentials.publishableKey,
        ...(body ? { 'content-type': 'application/json' } : {}),
      };
      const request = httpRequest(instance.baseUrl + path, { method, headers }, (response) => {
        let text = JSON.stringify(response.headers);
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      });
      request.on('error', reject).end(body && JSON.stringify(body));
    });

  it('change no link, no issuer and no response', async () => {
    const email = uniqueEmail();
    const registered = await ask('POST', '/api/v1/auth/register', { email, password: PASSWORD });
    await ask('POST', '/api/v1/auth/forgot-password', { email });
    for (const kind of ['verify-email', 'reset-password']) {
      const [mail] = await instance.mails(email, kind);
      expect(mail!['link']).toMatch(new RegExp(`^${instance.baseUrl}/${kind}\\?token=[\\w-]{43}$`));
      const page = await ask(
        'GET',
        new URL(mail!['link'] as string).pathname + new URL(mail!['link'] as string).search,
      );
      expect(page).not.toContain('evil.example');
    }
    const [, token] = /"accessToken":"([^"]+)"/.exec(registered)!;
    expect(decodeJwt(token!).iss).toBe(instance.baseUrl);
    expect((await instance.customer(token!, 'GET', '/api/v1/me')).status).toBe(200);
    for (const path of [
      '/api/v1/me',
      '/.well-known/jwks.json',
      '/openapi.json',
      '/docs/errors',
      '/nothing',
    ]) {
      expect(await ask('GET', path)).not.toContain('evil.example');
    }
    expect(await ask('GET', '/api/v1/me')).toContain(`"type":"${instance.baseUrl}/docs/errors#`);
  });
});

describe('RL-02: sign-ins of operators', () => {
  let admin: OperatorClient;
  beforeAll(async () => (admin = await signIn(instance)));

  it('are limited per address, whatever emails they are for', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const ask = (path: string, body: unknown) => new OperatorClient(instance).call('POST', path, body, from);
    for (let index = 0; index < 29; index += 1)
      expect((await ask('/session', { email: uniqueEmail(), password: 'x' })).status).toBe(401);
    expect((await ask('/setup', { token: 'x', email: uniqueEmail(), password: 'x' })).status).toBe(400);
    const refused = await ask('/invitations/accept', { token: 'x', password: 'x' });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('ratelimit-policy')).toBe('"operator-login";q=30;w=60');
    expect((await instance.request('GET', '/operator/v1/session', { headers: from })).status).toBe(200);
  });

  it('take no address from a server, with whatever keys', async () => {
    const from = (ip: string) => ({
      'x-forwarded-for': '203.0.113.10',
      'x-client-ip': ip,
      'x-publishable-key': instance.credentials.publishableKey,
      'x-api-key': instance.credentials.projectSecretKey,
    });
    const wrongly = (index: number) =>
      new OperatorClient(instance).call(
        'POST',
        '/session',
        { email: uniqueEmail(), password: 'x' },
        from(`198.51.100.${index}`),
      );
    for (let index = 0; index < 30; index += 1) expect((await wrongly(index)).status).toBe(401);
    expect(await wrongly(30)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });

  it('record the address of the proxy, not that of a server, with the session', async () => {
    const invited = await inviteOperator(admin, 'viewer');
    const { operator, password } = invited;
    await new OperatorClient(instance).call(
      'POST',
      '/session',
      { email: operator.email, password },
      {
        'x-forwarded-for': '203.0.113.11',
        'x-client-ip': '198.51.100.99',
        'x-publishable-key': instance.credentials.publishableKey,
        'x-api-key': instance.credentials.projectSecretKey,
      },
    );
    const { data } = (await admin.call('GET', `/operators/${operator.id}/sessions`)).body;
    expect(data[0]).toMatchObject({ ip: '203.0.113.11' });
  });
});
