import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Client } from '@gatehouse/js';
import { decodeJwt } from 'jose';
import { checkCases } from '../support/check-cases.js';
import { expectStatus } from '../support/customers.js';
import { APP, createApp, NextBrowser, type App } from '../support/next-browser.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

const ACCESS = 'gatehouse-access';
const REFRESH = 'gatehouse-refresh';
const HOUR = 3_600_000;
const API = '/api/gatehouse/api/v1';

interface SignedIn {
  app: App;
  browser: NextBrowser;
  /** The client of the page on which the customer signed up. */
  client: Client;
  id: string;
  email: string;
}

/** Signs up a new customer in a new browser. */
async function signUp(app = createApp(instance), browser = new NextBrowser(app)): Promise<SignedIn> {
  const email = uniqueEmail();
  const client = browser.createClient();
  const result = await client.signUp({ email, password: PASSWORD });
  if (result.status !== 'complete') throw new Error(`the registration ended with ${result.status}`);
  return { app, browser, client, id: result.customer.id, email };
}

const listSessions = (customerId: string): Promise<{ generation: number; active: boolean }[]> =>
  instance.sql('SELECT generation, revoked_at IS NULL AS active FROM sessions WHERE customer_id = $1', [
    customerId,
  ]);

const cookieIn = (headers: Headers, name: string): string | undefined =>
  headers
    .get('cookie')!
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const codeOf = async (response: Response): Promise<string> =>
  JSON.parse(await response.text()).code as string;

describe('the handlers', () => {
  it('serve an unmodified client of @gatehouse/js without a token in any response', async () => {
    const app = createApp(instance);
    const browser = new NextBrowser(app);
    const client = browser.createClient();
    const email = uniqueEmail();
    expect(await client.signUp({ email, password: PASSWORD })).toMatchObject({ status: 'complete' });
    const tokens = [browser.cookies.get(ACCESS)!, browser.cookies.get(REFRESH)!];
    const { id } = await client.customer.update({ firstName: 'Ada' });
    await client.reauthenticate.password({ password: PASSWORD });
    expect(await client.sessions.list()).toMatchObject({ data: [{ current: true }] });
    tokens.push(browser.cookies.get(ACCESS)!);
    expect(new Set(tokens).size).toBe(3);
    expect(decodeJwt(tokens[2]!).sub).toBe(id);
    await client.signOut();
    expect(await client.signIn.password({ email, password: PASSWORD })).toMatchObject({ status: 'complete' });
    tokens.push(browser.cookies.get(ACCESS)!, browser.cookies.get(REFRESH)!);

    expect(browser.readable.length).toBeGreaterThan(10);
    const leaks = browser.readable.filter((text) => tokens.some((token) => text.includes(token)));
    expect(leaks).toEqual([]);
    expect(browser.readable.filter((text) => /ey[\w-]+\.ey[\w-]+\.[\w-]+/.test(text))).toEqual([]);
    expect((await listSessions(id)).map(({ active }) => active).sort()).toEqual([false, true]);
  });

  it('set cookies that scripts and other sites cannot use', async () => {
    const { browser } = await signUp();
    expect(browser.setCookies).toHaveLength(3);
    for (const cookie of browser.setCookies)
      expect(cookie).toMatch(/^gatehouse-\w+=[\w.-]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
    const app = createApp(instance);
    const secure = new NextBrowser(app, 'https://shop.example.com');
    await signUp(app, secure);
    expect(secure.setCookies).toHaveLength(3);
    for (const cookie of secure.setCookies)
      expect(cookie).toMatch(/^__Host-gatehouse-\w+=.+; Path=\/; .*; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('forward only customer routes', async () => {
    const { app, browser } = await signUp();
    app.requests.length = 0;
    const paths = [
      `${API}/customers`,
      `${API}/meters`,
      `${API}/auth/oauth/callback/1`,
      `${API}/auth//oauth/callback/1`,
      `${API}/auth/options;x=1`,
      '/api/other/place/api/v1/me',
      '/api/gatehouse/refresh/api/v1/me',
      `${API}/auth/%2e%2e/projects`,
      `${API}/auth/../projects`,
      `${API}/me/..%2fprojects`,
      '/api/gatehouse/v1/events',
      '/api/gatehouse/.well-known/jwks.json',
      '/api/gatehouse',
    ];
    const cases = paths.map((path) => [path, path] as const);
    await checkCases(cases, async (path) => expect((await browser.send(path)).status).toBe(404));
    expect(app.requests).toEqual([]);
    for (const path of [`${API}/auth/options`, `${API}/auth/options/`, `/shop${API}/auth/options`])
      expect((await browser.send(path)).status).toBe(200);
  });

  it('reject changes that were not sent by a page of the site', async () => {
    const { app, browser, id } = await signUp();
    const senders: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: APP },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': '', origin: `https://${new URL(APP).host}` },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': '' },
    ];
    app.requests.length = 0;
    const cases = senders.map((headers) => [JSON.stringify(headers), headers] as const);
    await checkCases(cases, async (headers) => {
      const response = await browser.send(`${API}/auth/logout`, { method: 'POST', body: '{}', headers });
      expect([response.status, await codeOf(response)]).toEqual([403, 'cross_site_request']);
    });
    expect(app.requests).toEqual([]);
    expect(browser.cookies.has(REFRESH)).toBe(true);
    expect(await listSessions(id)).toMatchObject([{ active: true }]);
    const options = { method: 'POST', body: '{"email":"a@example.com"}' };
    const headers = { 'sec-fetch-site': '', origin: APP, 'content-type': 'application/json' };
    expect((await browser.send(`${API}/auth/options`, { ...options, headers })).status).toBe(200);
  });

  it('prevent tabs of an earlier session from acting for the newly signed-in customer', async () => {
    const first = await signUp();
    const second = await signUp(first.app, first.browser);
    await expect(first.client.customer.get()).rejects.toMatchObject({ code: 'invalid_access_token' });
    await first.client.signOut();
    expect(await second.client.customer.get()).toMatchObject({ id: second.id });
    expect(await listSessions(second.id)).toEqual([{ generation: 1, active: true }]);
  });

  it('keep the cookies when other sessions end, and remove them with the account', async () => {
    const { browser, client } = await signUp();
    await client.signOut({ scope: 'others' });
    expect(browser.cookies.has(REFRESH)).toBe(true);
    await client.customer.delete({ currentPassword: PASSWORD });
    expect(browser.cookies.size).toBe(0);
  });

  it('redirect to the hosted page, and reject a large body', async () => {
    const { browser } = await signUp();
    const hosted = await browser.send('/api/gatehouse/sign-in?client_id=1');
    expect([hosted.status, hosted.headers.get('location')]).toEqual([
      303,
      `${instance.baseUrl}/sign-in?client_id=1`,
    ]);
    const body = JSON.stringify({ email: 'a'.repeat(65_536) });
    const response = await browser.send(`${API}/auth/options`, { method: 'POST', body });
    expect([response.status, await codeOf(response)]).toEqual([413, 'payload_too_large']);
  });

  it('sign out in the browser while Gatehouse is unreachable', async () => {
    const { app, browser, client } = await signUp();
    app.control.isUnreachable = true;
    await expect(client.signOut()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(browser.cookies.size).toBe(0);
  });

  it('refresh the tokens in the cookies and ignore tokens in the request', async () => {
    const { browser, app, id } = await signUp();
    const [access, refresh] = [browser.cookies.get(ACCESS), browser.cookies.get(REFRESH)];
    const other = await signUp();
    const sessionId = decodeJwt(access!)['sid'] as string;
    const send = (refreshToken: string): Promise<Response> =>
      browser.send(`${API}/auth/refresh`, { method: 'POST', body: JSON.stringify({ refreshToken }) });
    app.control.clockOffset = HOUR;
    const rejected = await send(other.browser.cookies.get(REFRESH)!);
    expect([rejected.status, await codeOf(rejected)]).toEqual([401, 'refresh_token_expired']);
    const response = await send(`session.${sessionId}`);
    const { tokens, customer } = JSON.parse(await response.text());
    expect([response.status, customer.id, tokens.refreshToken]).toEqual([200, id, `session.${sessionId}`]);
    expect(browser.cookies.get(ACCESS)).not.toBe(access);
    expect(browser.cookies.get(REFRESH)).not.toBe(refresh);
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
    expect(await listSessions(other.id)).toEqual([{ generation: 1, active: true }]);
  });

  it("use the customer's IP for sessions if a secret key vouches for it", async () => {
    const { projectSecretKey: secretKey } = instance.credentials;
    const app = createApp(instance, { secretKey, clientIp: ({ headers }) => headers.get('x-real-ip') });
    const browser = new NextBrowser(app);
    const body = JSON.stringify({ email: uniqueEmail(), password: PASSWORD });
    const headers = { 'content-type': 'application/json', 'x-real-ip': '203.0.113.7' };
    const response = await browser.send(`${API}/auth/register`, { method: 'POST', body, headers });
    expect(response.status).toBe(201);
    const accessToken = browser.cookies.get(ACCESS)!;
    const sessions = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me/sessions');
    expect(sessions.body.data[0].ip).toBe('203.0.113.0/24');
  });
});

describe('the proxy', () => {
  it('rotates the token once for 20 parallel requests, and passes the new one to each page', async () => {
    const { app, browser, id } = await signUp();
    const refreshToken = browser.cookies.get(REFRESH)!;
    app.requests.length = 0;
    app.control.clockOffset = HOUR;
    const send = (): Promise<Headers> => browser.sendThroughProxy('/orders');
    const pages = await Promise.all(Array.from({ length: 20 }, send));
    expect(app.requests).toEqual(['/api/v1/auth/refresh']);
    const tokens = new Set(pages.map((headers) => cookieIn(headers, ACCESS)));
    expect([...tokens]).toEqual([browser.cookies.get(ACCESS)]);
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);

    // A request sent before the cookies arrived gets the same tokens.
    browser.cookies.set(REFRESH, refreshToken);
    browser.cookies.delete(ACCESS);
    expect(cookieIn(await send(), ACCESS)).toBe([...tokens][0]);
    expect(app.requests).toHaveLength(1);
  });

  it('leaves the cookies unchanged while Gatehouse is unreachable', async () => {
    const { app, browser } = await signUp();
    const cookies = [...browser.cookies];
    app.control.clockOffset = HOUR;
    app.control.isUnreachable = true;
    const headers = await browser.sendThroughProxy('/orders');
    expect([...browser.cookies]).toEqual(cookies);
    expect(cookieIn(headers, REFRESH)).toBe(browser.cookies.get(REFRESH));
    app.control.isUnreachable = false;
    await browser.sendThroughProxy('/orders');
    expect([...browser.cookies]).not.toEqual(cookies);
  });

  it('removes the cookies of an ended session', async () => {
    const { app, browser, id } = await signUp();
    expectStatus(200, await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`));
    app.control.clockOffset = HOUR;
    const headers = await browser.sendThroughProxy('/orders');
    expect(browser.cookies.size).toBe(0);
    expect(headers.get('cookie')).toBe('');
  });

  it('replaces a path that the client sends, and preserves other headers and cookies', async () => {
    const { browser } = await signUp();
    browser.cookies.set('theme', 'dark');
    const headers = { 'x-gatehouse-path': '//evil.example', 'x-other': 'kept' };
    const forwarded = await browser.sendThroughProxy('/orders?page=2', { headers });
    expect(forwarded.get('x-gatehouse-path')).toBe('/orders?page=2');
    expect(forwarded.get('x-other')).toBe('kept');
    expect(cookieIn(forwarded, 'theme')).toBe('dark');
  });
});

describe('auth.route()', () => {
  const call = async (
    { app, browser }: Pick<SignedIn, 'app' | 'browser'>,
    init: RequestInit = {},
    conditions: Parameters<App['auth']['route']>[0] = {},
  ): Promise<[number, unknown]> => {
    const route = app.auth.route(conditions, (request, { customerId }) =>
      Response.json([request.method, customerId]),
    );
    const response = await browser.send('/api/pay', { method: 'POST', ...init }, route);
    const body = JSON.parse(await response.text());
    return [response.status, body.code ?? body];
  };

  it('passes the customer to the handler, even without the proxy', async () => {
    const signedIn = await signUp();
    expect(await call(signedIn)).toEqual([200, ['POST', signedIn.id]]);
    expect(await call(signedIn, {}, { maxAge: '10m' })).toEqual([200, ['POST', signedIn.id]]);
  });

  it('rejects requests from other sites, and those without a session or required verification', async () => {
    const signedIn = await signUp();
    const { app, browser } = signedIn;
    const other = await signUp();
    expect(await call({ app, browser: new NextBrowser(app) })).toEqual([401, 'invalid_access_token']);
    expect(await call(signedIn, {}, { mfa: true })).toEqual([403, 'reauthentication_required']);
    const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect(await call(signedIn, crossSite)).toEqual([403, 'cross_site_request']);
    expect(await call(signedIn, { method: 'GET', ...crossSite })).toEqual([200, ['GET', signedIn.id]]);
    // The client adds this header in a tab that was loaded before this customer signed in.
    const headers = { authorization: `Bearer ${await other.client.getAccessToken()}` };
    expect(await call(signedIn, { headers })).toEqual([401, 'invalid_access_token']);
    browser.cookies.set(ACCESS, `${browser.cookies.get(ACCESS)!.slice(0, -8)}AAAAAAAA`);
    const bypass = { headers: { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' } };
    expect(await call(signedIn, bypass)).toEqual([401, 'invalid_access_token']);
  });

  it('responds with 503 and keeps the cookies while the public keys cannot be fetched', async () => {
    const { browser } = await signUp();
    const app = createApp(instance);
    app.control.isUnreachable = true;
    expect(await call({ app, browser })).toEqual([503, 'unavailable']);
    expect(browser.cookies.has(ACCESS)).toBe(true);
  });
});

describe('a refresh during a navigation', () => {
  const refresh = (browser: NextBrowser, returnTo: string): Promise<Response> =>
    browser.send(`/api/gatehouse/refresh?returnTo=${encodeURIComponent(returnTo)}`);

  it('stores new tokens and redirects to the page', async () => {
    const { browser, id } = await signUp();
    browser.cookies.delete(ACCESS);
    const response = await refresh(browser, '/orders?page=2');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/orders?page=2']);
    expect(decodeJwt(browser.cookies.get(ACCESS)!).sub).toBe(id);
  });

  it('removes the cookies of an ended session, and does not redirect during an outage', async () => {
    const { app, browser, id } = await signUp();
    app.control.isUnreachable = true;
    const response = await refresh(browser, '/orders');
    expect([response.status, response.headers.get('location')]).toEqual([503, null]);
    expect(browser.cookies.has(REFRESH)).toBe(true);
    app.control.isUnreachable = false;
    expectStatus(200, await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`));
    expect((await refresh(browser, '/orders')).status).toBe(303);
    expect([...browser.cookies.keys()]).toEqual(['gatehouse-refreshed']);
  });
});

describe('the documented matcher', () => {
  type Match = (proxy: { config: { matcher: string[] }; url: string; nextConfig: object }) => boolean;

  /** Returns the function with which Next.js decides whether to run the proxy. */
  function loadMatch(): Match {
    // Next.js expects this global before its modules are loaded.
    Object.assign(globalThis, { AsyncLocalStorage });
    const testing = createRequire(import.meta.url)('next/experimental/testing/server') as {
      unstable_doesMiddlewareMatch: Match;
    };
    return testing.unstable_doesMiddlewareMatch;
  }

  it('excludes only the files of Next.js and the icon', async () => {
    const documents = [
      'packages/nextjs/README.md',
      'docs/quick-starts/nextjs.md',
      'examples/nextjs/proxy.ts',
    ];
    const lines = await Promise.all(
      documents.map(async (path) => /matcher: \['(.*)'\] \};/.exec(await readFile(path, 'utf8'))![1]!),
    );
    expect(new Set(lines).size).toBe(1);
    const match = loadMatch();
    const config = { matcher: [lines[0]!.replaceAll('\\\\', '\\')] };
    const files = [
      '/_next/static/chunks/0-a_b.js',
      '/_next/static/css/a.css?v=1',
      '/_next/image?url=%2Fa.png&w=64&q=75',
      '/favicon.ico',
    ];
    const pages = [
      '/',
      '/orders',
      '/orders/',
      '/favicon.ico/orders',
      '/favicon.icon',
      '/favicon-ico',
      '/Favicon.ico',
      '/favicon.ico;x',
      '/%66avicon.ico',
      '/de/favicon.ico',
      '//favicon.ico',
      '/_next/imagery',
      '/_next/image/orders',
      '/_next/image;x',
      '/_next/static',
      '/_next/statics/orders',
      '/_next/static;x/orders',
      '/_next/static%2forders',
      '/_next/static/..%2f..%2forders',
      '/_next/static/%2e%2e/%2e%2e/orders',
      '/_next/static/../../orders',
      '/_next/static/..;/..;/orders',
      '/_NEXT/static/a.js',
      '/de/_next/static/a.js',
      '/orders/_next/static/a.js',
    ];
    for (const basePath of ['', '/shop']) {
      const nextConfig = basePath ? { basePath } : {};
      const excluded = [...files, ...pages].filter(
        (path) => !match({ config, url: basePath + path, nextConfig }),
      );
      expect([basePath, excluded]).toEqual([basePath, files]);
    }
  });
});
