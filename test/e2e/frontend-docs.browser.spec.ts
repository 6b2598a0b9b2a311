import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks, shellBlock } from '../support/code-blocks.js';
import { NEW_PASSWORD } from '../support/customers.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const DOCUMENT = 'docs/frontend.md';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('the module of docs/frontend.md', () => {
  let browser: TestBrowser;
  let site: Server;
  let origin: string;
  let context: BrowserContext;

  beforeAll(async () => {
    const blocks = await codeBlocks(DOCUMENT);
    const app = blocks
      .get('app.js')!
      .replace('http://127.0.0.1:3000', instance.baseUrl)
      .replace('pk_…', instance.credentials.publishableKey);
    blocks.set('app.js', app);
    site = createServer((request, response) => {
      const script = blocks.get(request.url!.slice(1));
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
      response.end(script ?? '<!doctype html><title>shop</title><button id=verify>Yes</button><p id=result>');
    }).listen(0, 'localhost');
    await once(site, 'listening');
    origin = `http://localhost:${(site.address() as AddressInfo).port}`;
    blocks.set('api.js', blocks.get('api.js')!.replace('https://api.example.com', origin));
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
  });
  beforeEach(async () => (context = await browser.newContext()));
  afterEach(async () => context.close());

  const open = async (path = '/'): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(origin + path);
    return page;
  };

  /** Runs a body with the document's blocks in scope. An error comes back as what a form reads of it. */
  const run = (page: Page, body: string): Promise<any> =>
    page.evaluate(`(async () => {
      const { gatehouse } = await import('/app.js');
      const account = await import('/account.js');
      const shared = (await import('/gatehouse.js')).inBrowser();
      const spoil = async (tokens) => shared.write({ ...(tokens ?? (await shared.read())), accessToken: 'bad' });
      return (async () => { ${body} })().catch(({ code, reasons, errors, retryAfter, requestId }) =>
        ({ code, reasons, errors, retryAfter, requestId }));
    })()`);

  const registered = async (page: Page): Promise<{ id: string; email: string }> => {
    const email = uniqueEmail();
    const customer = await run(page, `return account.register('${email}', '${PASSWORD}', 'Ada')`);
    return { id: customer.id as string, email };
  };

  /** The refreshes that pages request from now on. */
  const refreshRequests = (): string[] => {
    const seen: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/auth/refresh') && request.method() === 'POST') seen.push(request.url());
    });
    return seen;
  };

  const generations = (customerId: string): Promise<{ generation: number; live: boolean }[]> =>
    instance.sql('SELECT generation, revoked_at IS NULL AS live FROM sessions WHERE customer_id = $1', [
      customerId,
    ]);

  /** Holds back calls of /me until `count` of them have come with the spoiled token. */
  const meetAtMe = async (count: number): Promise<void> => {
    const waiting: Route[] = [];
    await context.route('**/api/v1/me', async (route) => {
      if (route.request().headers()['authorization'] !== 'Bearer bad') return route.continue();
      waiting.push(route);
      if (waiting.length === count) await Promise.all(waiting.map((held) => held.continue()));
    });
  };

  it('HD-03: registers, reads /me, refreshes by itself when the access token is bad, and logs out, from another origin', async () => {
    const page = await open();
    const { id, email } = await registered(page);
    expect(await run(page, 'return account.me()')).toMatchObject({ id, email, firstName: 'Ada' });
    const refreshes = refreshRequests();

    expect(await run(page, 'await spoil(); return account.me()')).toMatchObject({ id });
    expect(await run(page, 'return account.me()')).toMatchObject({ id });
    expect(refreshes).toHaveLength(1);
    expect(await generations(id)).toEqual([{ generation: 2, live: true }]);

    await page.reload();
    expect(
      await run(page, 'await account.logout(); return [await gatehouse.isLoggedIn(), await shared.read()]'),
    ).toEqual([false, null]);
    expect(await generations(id)).toEqual([{ generation: 2, live: false }]);
    expect(await run(page, 'return account.me()')).toMatchObject({ code: 'logged_out' });
    // Whoever verifies tokens in a page reads the public keys.
    expect(
      await page.evaluate(`fetch('${instance.baseUrl}/.well-known/jwks.json').then(({ ok }) => ok)`),
    ).toBe(true);
    expect(await run(page, `return account.login('${email}', '${PASSWORD}')`)).toMatchObject({ id });
  });

  it('two tabs whose access token is bad at the same time make one refresh, and both stay logged in', async () => {
    const tabs = [await open(), await open()];
    const { id } = await registered(tabs[0]!);
    const refreshes = refreshRequests();
    await run(tabs[0]!, 'await spoil()');
    await meetAtMe(6);
    const three = 'return Promise.all([1, 2, 3].map(() => account.me()))';

    const answers = (await Promise.all(tabs.map((tab) => run(tab, three)))).flat();
    expect(answers.map((me) => me.id)).toEqual(Array(6).fill(id));
    expect(refreshes).toHaveLength(1);
    expect(await generations(id)).toEqual([{ generation: 2, live: true }]);
    // Nobody holds a spent token: the next refresh of either tab works as well.
    await context.unrouteAll();
    for (const tab of tabs)
      expect(await run(tab, 'await spoil(); return account.me()')).toMatchObject({ id });
    expect(await generations(id)).toEqual([{ generation: 4, live: true }]);
  });

  it('refreshes once for all calls of a page that has no Web Locks', async () => {
    await context.addInitScript('delete Navigator.prototype.locks');
    const page = await open();
    expect(await page.evaluate('navigator.locks')).toBeUndefined();
    const { id } = await registered(page);
    const refreshes = refreshRequests();
    await run(page, 'await spoil()');
    await meetAtMe(3);
    const responses = await run(page, 'return Promise.all([1, 2, 3].map(() => account.me()))');
    expect(responses.map((me: { id: string }) => me.id)).toEqual([id, id, id]);
    expect(refreshes).toHaveLength(1);
    expect(await generations(id)).toEqual([{ generation: 2, live: true }]);
  });

  it('calls an API of its own, and refreshes before the token expires and once after a 401', async () => {
    const page = await open();
    const { id } = await registered(page);
    const refreshes = refreshRequests();
    const tokens: (string | undefined)[] = [];
    await context.route('**/orders', async (route) => {
      tokens.push(route.request().headers()['authorization']);
      await route.fulfill(tokens.length === 1 ? { status: 401 } : { json: { orders: [] } });
    });
    const orders = `const { api } = await import('/api.js'); return (await api('/orders')).json()`;
    expect(await run(page, orders)).toEqual({ orders: [] });
    expect(refreshes).toHaveLength(1);
    await run(page, 'await shared.write({ ...(await shared.read()), expiresAt: Date.now() + 20_000 })');
    expect(await run(page, orders)).toEqual({ orders: [] });
    expect(refreshes).toHaveLength(2);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(3);
    expect(await generations(id)).toEqual([{ generation: 3, live: true }]);
  });

  it('a session that the server has ended is over in every tab; a network that is away ends none', async () => {
    const tabs = [await open(), await open()];
    const { id } = await registered(tabs[0]!);
    await run(tabs[1]!, 'return account.me()');
    await context.setOffline(true);
    expect((await run(tabs[1]!, 'return account.me()')).code).toBeUndefined();
    await context.setOffline(false);
    expect(await run(tabs[1]!, 'return account.me()')).toMatchObject({ id });
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}/sessions`);
    expect(await run(tabs[0]!, 'return account.me()')).toMatchObject({ code: 'invalid_refresh_token' });
    for (const tab of tabs) {
      await tab.waitForURL('**/#/login');
      expect(await run(tab, 'return gatehouse.isLoggedIn()')).toBe(false);
    }
  });

  it('a token that was used twice ends the session', async () => {
    const page = await open();
    const { id } = await registered(page);
    const spent = await run(
      page,
      'const old = await shared.read(); await spoil(); await account.me(); return old',
    );
    await run(page, 'await spoil(); await account.me()');
    expect(await run(page, `await spoil(${JSON.stringify(spent)}); return account.me()`)).toMatchObject({
      code: 'refresh_token_reused',
    });
    expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(false);
    expect(await generations(id)).toEqual([{ generation: 3, live: false }]);
  });

  it('repeats a refresh whose response is lost, waits out a short Retry-After, and passes on what a form needs', async () => {
    const page = await open();
    const { id, email } = await registered(page);
    const failed: string[] = [];
    /** Lets the first POST of a route fail. */
    const failOnce = (route: string, fail: (request: Route) => Promise<unknown>) =>
      context.route(`**/auth/${route}`, async (request) => {
        if (failed.includes(route) || request.request().method() !== 'POST') return request.continue();
        failed.push(route);
        await fail(request);
      });
    await failOnce('refresh', async (request) => {
      await request.fetch();
      await request.abort();
    });
    for (let times = 0; times < 2; times += 1)
      expect(await run(page, 'await spoil(); return account.me()')).toMatchObject({ id });
    expect(await generations(id)).toEqual([{ generation: 3, live: true }]);

    const headers = {
      'retry-after': '1',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Retry-After',
    };
    await failOnce('login', (request) =>
      request.fulfill({ status: 503, headers, json: { code: 'overloaded' } }),
    );
    expect(await run(page, `return account.login('${email}', '${PASSWORD}')`)).toMatchObject({ email });
    expect(failed).toEqual(['refresh', 'login']);

    const refreshes = refreshRequests();
    for (const [call, code, error] of [
      [`changePassword('wrong', '${NEW_PASSWORD}')`, 'invalid_credentials', { field: 'currentPassword' }],
      [`register('ada', '${PASSWORD}')`, 'validation_failed', { field: 'email', code: 'invalid' }],
      [`changeEmail('${email}', '${PASSWORD}')`, 'validation_failed', { field: 'email', code: 'unchanged' }],
      [`changePassword('${PASSWORD}', 'q7#vX')`, 'weak_password', { field: 'newPassword' }],
    ] as const)
      expect(await run(page, `return account.${call}`)).toMatchObject({
        code,
        errors: [error],
        requestId: expect.any(String),
      });
    expect(await run(page, `return account.changePassword('${PASSWORD}', 'q7#vX')`)).toMatchObject({
      reasons: ['too_short'],
    });
    expect(await run(page, `return account.register('${email}', '${PASSWORD}')`)).toMatchObject({
      code: 'email_already_registered',
    });
    expect(refreshes).toEqual([]);
    const locked = await run(
      page,
      `for (let tries = 1; tries <= 30; tries += 1) {
         const error = await account.login('nobody@example.com', 'wrong').catch((error) => error);
         if (error.code !== 'invalid_credentials') throw error;
       }`,
    );
    expect(locked).toMatchObject({ code: 'too_many_attempts' });
    expect(locked.retryAfter).toBeGreaterThan(5);
  });

  it('does everything else that a customer does', async () => {
    const page = await open();
    const { id, email } = await registered(page);
    await run(await browserElsewhere(), `return account.login('${email}', '${PASSWORD}')`);
    const sessions = await run(page, 'return account.sessions()');
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect(sessions[0]).toMatchObject({ device: expect.stringContaining('Chrome') });
    await run(page, `return account.endSession('${sessions[0].id}')`);
    expect(await run(page, `return account.endSession('${sessions[0].id}')`)).toMatchObject({
      code: 'not_found',
    });
    await run(await browserElsewhere(), `return account.login('${email}', '${PASSWORD}')`);
    await run(page, 'return account.logoutOtherDevices()');
    expect(await run(page, 'return account.sessions()')).toHaveLength(1);

    expect(await run(page, `return account.changeNames({ lastName: 'L' })`)).toMatchObject({ lastName: 'L' });
    await run(page, `return account.changePassword('${PASSWORD}', '${NEW_PASSWORD}')`);
    await run(page, `return account.changeEmail('new-${email}', '${NEW_PASSWORD}')`);
    expect(await run(page, 'return account.me()')).toMatchObject({ id, email, lastName: 'L' });

    await run(page, `return account.forgotPassword('${email}')`);
    const token = await instance.getMailToken(email, 'reset-password');
    await run(page, `return account.resetPassword('${token}', '${PASSWORD}')`);
    expect(await run(page, 'return account.me()')).toMatchObject({ code: 'invalid_refresh_token' });
    expect(await run(page, `return account.resetPassword('${token}', '${PASSWORD}')`)).toMatchObject({
      code: 'invalid_token',
    });
    await run(page, `return account.login('${email}', '${PASSWORD}')`);
    await run(page, `return account.deleteAccount('${PASSWORD}')`);
    expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(false);
    expect(await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).toMatchObject({
      status: 404,
    });
  });

  it('without storage the tokens live as long as the page, and nothing is stored', async () => {
    const page = await open();
    const email = uniqueEmail();
    const answer = await page.evaluate(
      `(async () => {
        const { createGatehouse } = await import('/gatehouse.js');
        const gatehouse = createGatehouse(${JSON.stringify({
          baseUrl: instance.baseUrl,
          publishableKey: instance.credentials.publishableKey,
        })});
        await gatehouse.register({ email: '${email}', password: '${PASSWORD}' });
        const me = await gatehouse.call('GET', '/me');
        return [me.email, await gatehouse.isLoggedIn(), (await indexedDB.databases()).length, localStorage.length];
      })()`,
    );
    expect(answer).toEqual([email, true, 0, 0]);
  });

  it('a project can take the verification link to its own page, and lets no other origin call', async () => {
    await setUp(origin);
    const page = await open();
    const { email } = await registered(page);
    const [mail] = await instance.listMails(email, 'verify-email');
    const link = new URL(mail!['link'] as string);
    expect(link.origin + link.pathname).toBe(`${origin}/verify-email`);
    await page.goto(link.href);
    await page.evaluate(`import('/verify-page.js')`);
    expect(new URL(page.url()).search).toBe('');
    await page.click('#verify');
    await page.getByText(`${email} is confirmed.`).waitFor();
    expect(await run(page, 'return account.me()')).toMatchObject({ emailVerified: true });

    await setUp('https://app.example.com');
    expect(await run(page, 'return account.me()')).toMatchObject({ code: 'origin_not_allowed' });
    expect(await run(page, `return account.login('${email}', '${PASSWORD}')`)).toMatchObject({
      code: 'origin_not_allowed',
    });
    expect(await run(page, 'await spoil(); return account.me()')).toMatchObject({
      code: 'origin_not_allowed',
    });
    expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(true);
    const settings = { allowedOrigins: null, verifyEmailUrl: null, redirectUrls: null };
    await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings,
    });
  });

  /** The settings of the document, for another site. */
  async function setUp(as: string): Promise<void> {
    const { projectId, secretKey } = instance.credentials;
    const env = { PATH: process.env['PATH'], GATEHOUSE_URL: instance.baseUrl, PROJECT_ID: projectId };
    const script = (await shellBlock(DOCUMENT, 'settings')).replaceAll('https://app.example.com', as);
    await promisify(execFile)('bash', ['-euc', script], { env: { ...env, SECRET_KEY: secretKey } });
  }

  async function browserElsewhere(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    return page;
  }
});
