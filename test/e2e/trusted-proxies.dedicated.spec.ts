import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { insertOperator, inviteOperator, OperatorClient, signIn } from '../support/operator-client.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => {
  // Every connection from loopback is a trusted proxy, which is the worst case for forged headers.
  instance = await TestInstance.start({ workers: 0, env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(async () => instance?.stop());

it('EV-05: ignores forged host names in links, issuers and responses', async () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '8443',
    'x-original-host': 'evil.example',
    'x-host': 'evil.example',
    forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
  };
  const { publishableKey } = instance.credentials;
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const headers = { ...forged, 'x-publishable-key': publishableKey, 'content-type': 'application/json' };
    const request = httpRequest(instance.baseUrl + path, { method, headers });
    request.end(body && JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return JSON.stringify(response.headers) + (await text(response));
  };
  const email = uniqueEmail();
  const registered = await send('POST', '/api/v1/auth/register', { email, password: PASSWORD });
  await send('POST', '/api/v1/auth/forgot-password', { email });
  const paths = ['/api/v1/me', '/.well-known/jwks.json', '/openapi.json', '/docs/errors', '/nothing'];
  for (const kind of ['verify-email', 'reset-password']) {
    const [mail] = await instance.listMails(email, kind);
    expect(mail!['link']).toMatch(new RegExp(`^${instance.baseUrl}/${kind}\\?token=[\\w-]{43}$`));
    paths.push((mail!['link'] as string).slice(instance.baseUrl.length));
  }
  for (const path of paths) expect(await send('GET', path)).not.toContain('evil.example');
  expect(await send('GET', '/api/v1/me')).toContain(`"type":"${instance.baseUrl}/docs/errors#`);
  const [, token] = /"accessToken":"([^"]+)"/.exec(registered)!;
  expect(decodeJwt(token!).iss).toBe(instance.baseUrl);
  expect((await instance.requestWithAccessToken(token!, 'GET', '/api/v1/me')).status).toBe(200);
});

describe('RL-02: sign-ins of operators', () => {
  const signInFrom = (
    ip: string,
    headers: Record<string, string> = {},
    body: object = { email: uniqueEmail(), password: 'x' },
  ) => new OperatorClient(instance).request('POST', '/session', body, { 'x-forwarded-for': ip, ...headers });
  /** Returns the headers with which a server passes the address of its client, with all kinds of API keys. */
  const clientIp = (ip: string) => ({
    'x-client-ip': ip,
    'x-publishable-key': instance.credentials.publishableKey,
    'x-api-key': instance.credentials.projectSecretKey,
  });

  it('are limited for each address, regardless of the emails', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const send = (path: string, body: unknown) =>
      new OperatorClient(instance).request('POST', path, body, from);
    for (let count = 0; count < 29; count += 1) expect((await signInFrom('203.0.113.9')).status).toBe(401);
    expect((await send('/setup', { token: 'x', email: uniqueEmail(), password: 'x' })).status).toBe(400);
    const rejected = await send('/invitations/accept', { token: 'x', password: 'x' });
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(rejected.headers.get('ratelimit-policy')).toBe('"operator-login";q=30;w=60');
    expect((await instance.request('GET', '/operator/v1/session', { headers: from })).status).toBe(200);
    const { untrustedForwards } = (await (await signIn(instance)).request('GET', '/health')).body;
    expect(untrustedForwards).toEqual({ count: 0, lastAt: null });
  });

  it('ignore X-Client-IP for the limit and for the session', async () => {
    const signInWithClientIp = (index: number) => signInFrom('203.0.113.10', clientIp(`198.51.100.${index}`));
    for (let index = 0; index < 30; index += 1) expect((await signInWithClientIp(index)).status).toBe(401);
    expect(await signInWithClientIp(30)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const admin = await signIn(instance);
    const { operator, password } = await inviteOperator(admin, 'viewer');
    await signInFrom('203.0.113.11', clientIp('198.51.100.99'), { email: operator.email, password });
    const { data } = (await admin.request('GET', `/operators/${operator.id}/sessions`)).body;
    expect(data[0]).toMatchObject({ ip: '203.0.113.11' });
  });

  it('require a second factor from another machine, even in development', async () => {
    const ip = { 'x-forwarded-for': '203.0.113.12' };
    const client = new OperatorClient(instance);
    const { operator } = await insertOperator(instance);
    await instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [operator.id]);
    const credentials = { ...instance.credentials.operator, email: operator.email };
    const opened = await client.request('POST', '/session', credentials, ip);
    expect(opened.body).toMatchObject({ state: 'enrollment', maySkipEnrollment: false });
    expect(await client.request('POST', '/session/enrollment/skip', {}, ip)).toMatchObject({
      status: 403,
      body: { code: 'factor_required' },
    });
  });
});
