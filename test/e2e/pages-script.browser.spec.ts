import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';

describeBrowser('in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  let site: Server;
  beforeAll(async () => {
    instance = await TestInstance.start({ workers: 0 });
    browser = await TestBrowser.launch();
    site = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>shop</title>'),
    ).listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
    await instance?.stop();
  });

  it('a page of another origin does all that customers do, and reads errors, with nothing configured (HD-03)', async () => {
    const page = await browser.open(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const result = await page.evaluate(
      async ({ base, key, password }) => {
        const post = async (path: string, body: object, headers = {}) => {
          const response = await fetch(base + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify(body),
          });
          return {
            status: response.status,
            requestId: response.headers.get('x-request-id'),
            body: (await response.json()) as Record<string, any>,
          };
        };
        const keyHeader = { 'x-publishable-key': key };
        const email = 'browser@example.com';
        const registered = await post('/api/v1/auth/register', { email, password }, keyHeader);
        const wrong = await post('/api/v1/auth/login', { email, password: 'wrong password' }, keyHeader);
        const login = await post('/api/v1/auth/login', { email, password }, keyHeader);
        const refreshed = await post('/api/v1/auth/refresh', {
          refreshToken: login.body['tokens'].refreshToken,
        });
        const authorization = { authorization: `Bearer ${refreshed.body['tokens'].accessToken}` };
        const me = await fetch(`${base}/api/v1/me`, { headers: authorization });
        const renamed = await fetch(`${base}/api/v1/me`, {
          method: 'PATCH',
          headers: { ...authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ firstName: 'Ada' }),
        });
        const sessions = await fetch(`${base}/api/v1/me/sessions`, { headers: authorization });
        const [{ id }] = ((await sessions.json()) as { data: { id: string }[] }).data as [{ id: string }];
        const ended = await fetch(`${base}/api/v1/me/sessions/${id}`, {
          method: 'DELETE',
          headers: authorization,
        });
        const after = await fetch(`${base}/api/v1/me`, { headers: authorization });
        const keys = await fetch(`${base}/.well-known/jwks.json`);
        return {
          statuses: [registered, wrong, login, refreshed, me, renamed, sessions, ended, after, keys].map(
            ({ status }) => status,
          ),
          wrong,
          me: (await me.json()) as Record<string, unknown>,
        };
      },
      { base: instance.baseUrl, key: instance.credentials.publishableKey, password: PASSWORD },
    );
    expect(result.statuses).toEqual([201, 401, 200, 200, 200, 200, 200, 204, 401, 200]);
    expect(result.wrong).toMatchObject({
      body: { code: 'invalid_credentials' },
      requestId: expect.any(String),
    });
    expect(result.me['email']).toBe('browser@example.com');
    await page.close();
  });
});
