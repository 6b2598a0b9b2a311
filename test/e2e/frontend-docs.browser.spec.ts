import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks, shellBlock } from '../support/code-blocks.js';
import { NEW_PASSWORD, withSettings } from '../support/customers.js';
import { readEmailCode } from '../support/email-codes.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

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

  /** Runs code with the document's blocks in scope. @returns its result, or the error as a form reads it */
  const run = (page: Page, body: string): Promise<any> =>
    page.evaluate(`(async () => {
      const { gatehouse } = await import('/app.js');
      const account = await import('/account.js');
      const shared = (await import('/gatehouse.js')).inBrowser();
      const invalidate = async (tokens) => shared.write({ ...(tokens ?? (await shared.read())), accessToken: 'bad' });
      return (async () => { ${body} })().catch(({ code, reasons, errors, retryAfter, requestId }) =>
        ({ code, reasons, errors, retryAfter, requestId }));
    })()`);

  const register = async (page: Page): Promise<{ id: string; email: string }> => {
    const email = uniqueEmail();
    const { customer } = await run(page, `return account.register('${email}', '${PASSWORD}', 'Ada')`);
    return { id: customer.id as string, email };
  };

  /** Records the refreshes that pages request from now on. */
  const recordRefreshes = (): string[] => {
    const urls: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/auth/refresh') && request.method() === 'POST') urls.push(request.url());
    });
    return urls;
  };

  const listGenerations = (customerId: string): Promise<{ generation: number; live: boolean }[]> =>
    instance.sql('SELECT generation, revoked_at IS NULL AS live FROM sessions WHERE customer_id = $1', [
      customerId,
    ]);

  /** Holds back calls of /me until `count` of them have arrived with the invalid token. */
  const holdMeCalls = async (count: number): Promise<void> => {
    const waiting: Route[] = [];
    await context.route('**/api/v1/me', async (route) => {
      if (route.request().headers()['authorization'] !== 'Bearer bad') return route.continue();
      waiting.push(route);
      if (waiting.length === count) await Promise.all(waiting.map((held) => held.continue()));
    });
  };

  it('HD-03: registers, reads /me, refreshes automatically when the access token is invalid, and logs out, from another origin', async () => {
    const page = await open();
    const { id, email } = await register(page);
    expect(await run(page, 'return account.me()')).toMatchObject({ id, email, firstName: 'Ada' });
    const refreshes = recordRefreshes();

    expect(await run(page, 'await invalidate(); return account.me()')).toMatchObject({ id });
    expect(await run(page, 'return account.me()')).toMatchObject({ id });
    expect(refreshes).toHaveLength(1);
    expect(await listGenerations(id)).toEqual([{ generation: 2, live: true }]);

    await page.reload();
    expect(
      await run(page, 'await account.logout(); return [await gatehouse.isLoggedIn(), await shared.read()]'),
    ).toEqual([false, null]);
    expect(await listGenerations(id)).toEqual([{ generation: 2, live: false }]);
    expect(await run(page, 'return account.me()')).toMatchObject({ code: 'logged_out' });
    // A page that verifies tokens can read the public keys.
    expect(
      await page.evaluate(`fetch('${instance.baseUrl}/.well-known/jwks.json').then(({ ok }) => ok)`),
    ).toBe(true);
    const { customer } = await run(page, `return account.login('${email}', '${PASSWORD}')`);
    expect(customer).toMatchObject({ id });
  });

  it('two tabs with an invalid access token request one refresh, and both stay signed in', async () => {
    const tabs = [await open(), await open()];
    const { id } = await register(tabs[0]!);
    const refreshes = recordRefreshes();
    await run(tabs[0]!, 'await invalidate()');
    await holdMeCalls(6);
    const threeCalls = 'return Promise.all([1, 2, 3].map(() => account.me()))';

    const responses = (await Promise.all(tabs.map((tab) => run(tab, threeCalls)))).flat();
    expect(responses.map((me) => me.id)).toEqual(Array(6).fill(id));
    expect(refreshes).toHaveLength(1);
    expect(await listGenerations(id)).toEqual([{ generation: 2, live: true }]);
    // Neither tab has a used refresh token: the next refresh of each tab succeeds as well.
    await context.unrouteAll();
    for (const tab of tabs)
      expect(await run(tab, 'await invalidate(); return account.me()')).toMatchObject({ id });
    expect(await listGenerations(id)).toEqual([{ generation: 4, live: true }]);
  });

  it('refreshes once for all calls of a page that has no Web Locks', async () => {
    await context.addInitScript('delete Navigator.prototype.locks');
    const page = await open();
    expect(await page.evaluate('navigator.locks')).toBeUndefined();
    const { id } = await register(page);
    const refreshes = recordRefreshes();
    await run(page, 'await invalidate()');
    await holdMeCalls(3);
    const responses = await run(page, 'return Promise.all([1, 2, 3].map(() => account.me()))');
    expect(responses.map((me: { id: string }) => me.id)).toEqual([id, id, id]);
    expect(refreshes).toHaveLength(1);
    expect(await listGenerations(id)).toEqual([{ generation: 2, live: true }]);
  });

  it("calls the page's own API, and refreshes before the token expires and once after a 401", async () => {
    const page = await open();
    const { id } = await register(page);
    const refreshes = recordRefreshes();
    const tokens: (string | undefined)[] = [];
    await context.route('**/orders', async (route) => {
      tokens.push(route.request().headers()['authorization']);
      await route.fulfill(tokens.length === 1 ? { status: 401 } : { json: { orders: [] } });
    });
    const requestOrders = `const { api } = await import('/api.js'); return (await api('/orders')).json()`;
    expect(await run(page, requestOrders)).toEqual({ orders: [] });
    expect(refreshes).toHaveLength(1);
    await run(page, 'await shared.write({ ...(await shared.read()), expiresAt: Date.now() + 20_000 })');
    expect(await run(page, requestOrders)).toEqual({ orders: [] });
    expect(refreshes).toHaveLength(2);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(3);
    expect(await listGenerations(id)).toEqual([{ generation: 3, live: true }]);
  });

  it('a session that the server has ended is signed out in every tab, but a network failure ends none', async () => {
    const tabs = [await open(), await open()];
    const { id } = await register(tabs[0]!);
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

  it('a refresh token that is used twice ends the session', async () => {
    const page = await open();
    const { id } = await register(page);
    const usedTokens = await run(
      page,
      'const old = await shared.read(); await invalidate(); await account.me(); return old',
    );
    await run(page, 'await invalidate(); await account.me()');
    expect(
      await run(page, `await invalidate(${JSON.stringify(usedTokens)}); return account.me()`),
    ).toMatchObject({
      code: 'refresh_token_reused',
    });
    expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(false);
    expect(await listGenerations(id)).toEqual([{ generation: 3, live: false }]);
  });

  it('repeats a refresh whose response is lost, waits for a short Retry-After, and returns the error details that a form needs', async () => {
    const page = await open();
    const { id, email } = await register(page);
    const failed: string[] = [];
    /** Makes the first POST request of a route fail. */
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
      expect(await run(page, 'await invalidate(); return account.me()')).toMatchObject({ id });
    expect(await listGenerations(id)).toEqual([{ generation: 3, live: true }]);

    const headers = {
      'retry-after': '1',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Retry-After',
    };
    await failOnce('login', (request) =>
      request.fulfill({ status: 503, headers, json: { code: 'overloaded' } }),
    );
    const { customer } = await run(page, `return account.login('${email}', '${PASSWORD}')`);
    expect(customer).toMatchObject({ email });
    expect(failed).toEqual(['refresh', 'login']);

    const refreshes = recordRefreshes();
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
      `for (let attempts = 1; attempts <= 30; attempts += 1) {
         const error = await account.login('nobody@example.com', 'wrong').catch((error) => error);
         if (error.code !== 'invalid_credentials') throw error;
       }`,
    );
    expect(locked).toMatchObject({ code: 'too_many_attempts' });
    expect(locked.retryAfter).toBeGreaterThan(5);
  });

  it('supports all other actions of a customer', async () => {
    const page = await open();
    const { id, email } = await register(page);
    await run(await openInOtherBrowser(), `return account.login('${email}', '${PASSWORD}')`);
    const sessions = await run(page, 'return account.sessions()');
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect(sessions[0]).toMatchObject({ device: expect.stringContaining('Chrome') });
    await run(page, `return account.endSession('${sessions[0].id}')`);
    expect(await run(page, `return account.endSession('${sessions[0].id}')`)).toMatchObject({
      code: 'not_found',
    });
    await run(await openInOtherBrowser(), `return account.login('${email}', '${PASSWORD}')`);
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

  it('signs in with an email code', async () => {
    await withSettings(instance, { signIn: { emailCode: true } }, async () => {
      const page = await open();
      const email = uniqueEmail();
      await page.exposeFunction('askForCode', () => readEmailCode(instance, email));
      const { customer } = await run(
        page,
        `const { signInWithCode } = await import('/email-code.js');
         return signInWithCode('${email}', window.askForCode)`,
      );
      expect(customer).toMatchObject({ email, emailVerified: true });
      expect(await run(page, 'return account.me()')).toMatchObject({ email });
    });
  });

  it('signs in with the link of an email with a code, which leads to another origin', async () => {
    const redirectUrl = `${origin}/?from=mail`;
    await withSettings(instance, { signIn: { emailCode: true }, redirectUrls: [redirectUrl] }, async () => {
      const email = uniqueEmail();
      const withLink = (page: Page, call: string): Promise<any> =>
        run(page, `const link = await import('/email-link.js'); return link.${call}`);
      await withLink(await open(), `sendEmailLink('${email}', '${redirectUrl}')`);
      const code = await readEmailCode(instance, email);
      const [mail] = await instance.listMails(email, 'email-code');
      const page = await context.newPage();
      await page.goto(mail!['link'] as string);
      await page.getByText(code).waitFor();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL((url) => url.origin === origin && url.searchParams.has('code'));
      expect(await withLink(page, 'completeEmailLink()')).toMatchObject({
        customer: { email, emailVerified: true },
      });
      expect(page.url()).toBe(redirectUrl);
      expect(await run(page, 'return account.me()')).toMatchObject({ email });
    });
  });

  it('signs out once the project requires a second factor, and receives the recovery codes of its enrollment', async () => {
    const page = await open();
    const { id, email } = await register(page);
    await withSettings(instance, { mfa: 'required', mfaGraceDays: 0 }, async () => {
      expect(await run(page, 'await invalidate(); return account.me()')).toMatchObject({
        code: 'reauthentication_required',
      });
      await page.waitForURL('**/#/login');
      expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(false);
      await page.exposeFunction('showCode', (secret: string) => totpCode(secret));
      const completed = await run(
        page,
        `const { completeWithCode, enrollAuthenticator } = await import('/second-factor.js');
         const { challenge } = await account.login('${email}', '${PASSWORD}');
         const { secret } = await enrollAuthenticator(challenge.token);
         return completeWithCode(challenge.token, await window.showCode(secret))`,
      );
      expect(completed).toMatchObject({
        customer: { id },
        recoveryCodes: Array(10).fill(expect.any(String)),
      });
      expect(await run(page, 'return account.me()')).toMatchObject({ id });
    });
  });

  it('without storage, keeps the tokens only in the page and stores nothing', async () => {
    const page = await open();
    const email = uniqueEmail();
    const result = await page.evaluate(
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
    expect(result).toEqual([email, true, 0, 0]);
  });

  it('a project can use its own page for the verification link, and other origins cannot call the API', async () => {
    await applySettings(origin);
    const page = await open();
    const { email } = await register(page);
    const [mail] = await instance.listMails(email, 'verify-email');
    const link = new URL(mail!['link'] as string);
    expect(link.origin + link.pathname).toBe(`${origin}/verify-email`);
    await page.goto(link.href);
    await page.evaluate(`import('/verify-page.js')`);
    expect(new URL(page.url()).search).toBe('');
    await page.click('#verify');
    await page.getByText(`${email} is confirmed.`).waitFor();
    expect(await run(page, 'return account.me()')).toMatchObject({ emailVerified: true });

    await applySettings('https://app.example.com');
    expect(await run(page, 'return account.me()')).toMatchObject({ code: 'origin_not_allowed' });
    expect(await run(page, `return account.login('${email}', '${PASSWORD}')`)).toMatchObject({
      code: 'origin_not_allowed',
    });
    expect(await run(page, 'await invalidate(); return account.me()')).toMatchObject({
      code: 'origin_not_allowed',
    });
    expect(await run(page, 'return gatehouse.isLoggedIn()')).toBe(true);
    const settings = { allowedOrigins: null, verifyEmailUrl: null, redirectUrls: null };
    await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings,
    });
  });

  it('MF-06: a customer adds a passkey, signs in with it alone or as a second factor, and removes it', async () => {
    const settingsPath = `/api/v1/projects/${instance.credentials.projectId}`;
    const update = (settings: object) => instance.requestWithSecretKey('PATCH', settingsPath, { settings });
    await update({ signIn: { passkey: true } });
    const page = await open();
    const { devTools, authenticatorId } = await addVirtualAuthenticator(page);
    const withPasskeys = (body: string) =>
      run(page, `const passkeys = await import('/passkeys.js'); ${body}`);

    const { id, email } = await register(page);
    const added = await withPasskeys(`return passkeys.addPasskey('Laptop')`);
    expect(added).toMatchObject({ passkey: { name: 'Laptop' }, recoveryCodes: null });
    const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await run(page, 'return account.logout()');
    expect((await withPasskeys('return passkeys.signInWithPasskey()')).customer).toMatchObject({ id, email });
    expect(await run(page, 'return account.me()')).toMatchObject({ id });
    expect(await withPasskeys('return passkeys.confirmWithPasskey()')).toMatchObject({ expiresIn: 3600 });

    await update({ mfa: 'optional' });
    const { challenge } = await run(page, `return account.login('${email}', '${PASSWORD}')`);
    expect(challenge).toMatchObject({ kind: 'second_factor', methods: ['passkey'] });
    // Until the challenge is completed, the earlier session goes on.
    expect(await run(page, 'return account.me()')).toMatchObject({ id });
    const completed = await withPasskeys(`return passkeys.completeWithPasskey('${challenge.token}')`);
    expect(completed.customer).toMatchObject({ id });

    // A copy of the passkey has been used more often.
    const [credential] = credentials;
    await devTools.send('WebAuthn.clearCredentials', { authenticatorId });
    await devTools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential!, signCount: 0 },
    });
    expect(await withPasskeys('return passkeys.signInWithPasskey()')).toMatchObject({
      code: 'passkey_not_accepted',
    });
    expect(await instance.events(id, 'passkey.counter_anomaly')).toHaveLength(1);

    await withPasskeys(`return passkeys.removePasskey('${added.passkey.id}')`);
    expect(await withPasskeys('return passkeys.passkeys()')).toEqual([]);
    await update({ mfa: null, signIn: null });
  });

  /** Applies the settings of the document, with another origin. */
  async function applySettings(siteOrigin: string): Promise<void> {
    const { projectId, secretKey } = instance.credentials;
    const env = { PATH: process.env['PATH'], GATEHOUSE_URL: instance.baseUrl, PROJECT_ID: projectId };
    const script = (await shellBlock(DOCUMENT, 'settings')).replaceAll('https://app.example.com', siteOrigin);
    await promisify(execFile)('bash', ['-euc', script], { env: { ...env, SECRET_KEY: secretKey } });
  }

  async function openInOtherBrowser(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    return page;
  }
});
