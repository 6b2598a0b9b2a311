import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { expectStatus, withSettings } from '../support/customers.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { UNTRUSTED_HOST } from '../support/shared-browser.mjs';
import { addProvider } from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('@gatehouse/js on a page of another origin', () => {
  let browser: TestBrowser;
  let site: Server;
  let origin: string;
  let lanOrigin: string;
  let provider: OpenIdProvider;
  let context: BrowserContext;
  /** Credentials that the site's API has received, and the statuses with which it responds. */
  const api = { credentials: [] as (string | undefined)[], statuses: [] as number[] };

  beforeAll(async () => {
    site = createServer(
      (request, response) =>
        void respond(request.url!, request.headers.authorization).then(({ status, type, body }) => {
          response.writeHead(status, { 'content-type': type });
          response.end(body);
        }),
    ).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    [origin, lanOrigin] = [`http://localhost:${port}`, `http://${UNTRUSTED_HOST}:${port}`];
    [browser, provider] = await Promise.all([TestBrowser.startShared(), OpenIdProvider.start()]);
    const { projectId, publishableKey } = instance.credentials;
    const redirectUrls = [`${origin}/signed-in`];
    const settings = { redirectUrls, signIn: { passkey: true } };
    expectStatus(
      200,
      await instance.requestWithSecretKey('PATCH', `/api/v1/projects/${projectId}`, { settings }),
    );
    const fields = { type: 'oidc', issuer: provider.issuer, slug: 'work' };
    await addProvider(instance, { id: projectId, publishableKey }, provider, fields);
  });
  afterAll(async () => {
    await browser?.close();
    await provider?.stop();
    site?.closeAllConnections();
    site?.close();
  });
  beforeEach(async () => {
    api.credentials.length = api.statuses.length = 0;
    context = await browser.newContext();
  });
  afterEach(async () => context.close());

  async function respond(url: string, authorization: string | undefined) {
    const { pathname } = new URL(url, 'http://site');
    if (pathname.startsWith('/sdk/')) {
      const body = await readFile(new URL(`../../packages/js/dist/${pathname.slice(5)}`, import.meta.url));
      return { status: 200, type: 'text/javascript', body };
    }
    if (pathname === '/orders') {
      api.credentials.push(authorization);
      return { status: api.statuses.shift() ?? 200, type: 'application/json', body: '[]' };
    }
    return { status: 200, type: 'text/html', body: page() };
  }

  const page = (): string => {
    const { publishableKey, projectId } = instance.credentials;
    const options = JSON.stringify({ url: instance.baseUrl, publishableKey, projectId });
    return `<!doctype html><title>shop</title><script type=module>
      import { createClient, localStorageStorage } from '/sdk/index.js';
      window.client = createClient({ ...${options}, storage: localStorageStorage() });
      window.statuses = [];
      client.onAuthStateChange(({ status }) => statuses.push(status));
    </script>`;
  };

  const open = async (home = origin): Promise<Page> => {
    const tab = await context.newPage();
    await tab.goto(home);
    return tab;
  };

  const run = (tab: Page, body: string): Promise<any> => tab.evaluate(`(async () => { ${body} })()`);
  const accessToken = (tab: Page): Promise<string | null> => run(tab, 'return client.getAccessToken()');
  const waitForStatuses = (tab: Page, statuses: string[]): Promise<unknown> =>
    tab.waitForFunction(
      (expected) => JSON.stringify((globalThis as any).statuses) === expected,
      JSON.stringify(statuses),
    );

  const signUp = async (tab: Page): Promise<{ id: string; email: string }> => {
    const fields = JSON.stringify({ email: uniqueEmail(), password: PASSWORD });
    return (await run(tab, `return client.signUp(${fields})`)).customer;
  };

  /** Changes what the only open tab has stored, and reloads the tab. */
  const changeStored = async (tab: Page, changes: object): Promise<void> => {
    const key = `'gatehouse.session'`;
    const change = `{ ...JSON.parse(localStorage.getItem(${key})), ...${JSON.stringify(changes)} }`;
    await run(tab, `localStorage.setItem(${key}, JSON.stringify(${change}))`);
    await tab.reload();
  };

  const listSessions = (customerId: string): Promise<{ generation: number; active: boolean }[]> =>
    instance.sql('SELECT generation, revoked_at IS NULL AS active FROM sessions WHERE customer_id = $1', [
      customerId,
    ]);

  it('signs in and out in all tabs', async () => {
    const tabs = [await open(), await open()] as const;
    const { id } = await signUp(tabs[0]);
    for (const tab of tabs) await waitForStatuses(tab, ['signed_out', 'signed_in']);
    expect(await run(tabs[1], 'return client.customer.get()')).toMatchObject({ id });
    await tabs[0].reload();
    await waitForStatuses(tabs[0], ['signed_in']);
    await run(tabs[1], 'await client.signOut()');
    await waitForStatuses(tabs[0], ['signed_in', 'signed_out']);
    expect(await accessToken(tabs[0])).toBeNull();
    expect(await listSessions(id)).toEqual([{ generation: 1, active: false }]);
  });

  it("sends the token only to the API's origin, and refreshes a token that the API rejects", async () => {
    const tab = await open();
    const { id } = await signUp(tab);
    await changeStored(tab, { obtainedAt: 0 });
    const first = await accessToken(tab);
    api.statuses.push(401);
    const send = `client.fetch('/orders', { method: 'POST', body: 'text' })`;
    expect(await run(tab, `return (await ${send}).status`)).toBe(200);
    expect(api.credentials).toEqual([`Bearer ${first}`, `Bearer ${await accessToken(tab)}`]);
    expect(api.credentials[1]).not.toBe(api.credentials[0]);
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);

    api.credentials.length = 0;
    await run(tab, `await client.fetch('${lanOrigin}/orders', { mode: 'no-cors' })`);
    expect(api.credentials).toEqual([undefined]);
  });

  it('keeps one session when several tabs have the same expired token', async () => {
    const first = await open();
    const { id } = await signUp(first);
    await changeStored(first, { expiresAt: 0 });
    const tabs = [first, ...(await Promise.all(Array.from({ length: isNightly ? 7 : 3 }, () => open())))];
    const tokens = await Promise.all(tabs.map(accessToken));
    expect(tokens).not.toContain(null);
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
    expect(await run(tabs.at(-1)!, 'return client.customer.get()')).toMatchObject({ id });
  });

  it('continues in another tab if a tab is closed during its refresh', async () => {
    const closed = await open();
    const { id } = await signUp(closed);
    await changeStored(closed, { expiresAt: 0 });
    const refreshed = new Promise<void>((resolve, reject) => {
      void closed.route('**/auth/refresh', (route) => route.fetch().then(() => resolve(), reject));
    });
    void accessToken(closed).catch(() => undefined);
    await refreshed;
    await closed.close();
    const other = await open();
    expect(await accessToken(other)).not.toBeNull();
    expect(await run(other, 'return client.customer.get()')).toMatchObject({ id });
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
  });

  it('refreshes in two tabs and creates code challenges over plain http', async () => {
    const tabs = [await open(lanOrigin), await open(lanOrigin)] as const;
    expect(await run(tabs[0], 'return [isSecureContext, !!navigator.locks, !!crypto.subtle]')).toEqual([
      false,
      false,
      false,
    ]);
    const { id } = await signUp(tabs[0]);
    await tabs[1].close();
    await changeStored(tabs[0], { expiresAt: 0 });
    const tokens = await Promise.all([tabs[0], await open(lanOrigin)].map(accessToken));
    expect(tokens).not.toContain(null);
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);

    const options = JSON.stringify({ redirectUrl: `${lanOrigin}/signed-in` });
    const url = new URL((await run(tabs[0], `return client.signInUrl(${options})`)) as string);
    const [{ codeVerifier }] = JSON.parse(
      await run(tabs[0], `return localStorage.getItem('gatehouse.flows')`),
    );
    const challenge = createHash('sha256')
      .update(codeVerifier as string)
      .digest('base64url');
    expect(url.searchParams.get('code_challenge')).toBe(challenge);
  });

  nightlyIt('signs in with the hosted page', async () => {
    const tab = await open();
    const { id, email } = await signUp(tab);
    await run(tab, 'await client.signOut()');
    const redirectUrl = `${origin}/signed-in`;
    const options = JSON.stringify({ redirectUrl, loginHint: email, uiLocales: ['en'] });
    await tab.goto((await run(tab, `return client.signInUrl(${options})`)) as string);
    await tab.getByLabel('Password').fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.waitForURL(`${redirectUrl}?**`);
    expect(await run(tab, 'return client.handleRedirect()')).toMatchObject({
      status: 'complete',
      customer: { id },
    });
    expect(tab.url()).toBe(redirectUrl);
    expect(await run(tab, 'return client.handleRedirect()')).toBeNull();
  });

  it('adds a passkey, signs in and reauthenticates with it', async () => {
    const tab = await open();
    await addVirtualAuthenticator(tab);
    const { id } = await signUp(tab);
    const { passkey } = await run(
      tab,
      `return client.passkeys.add({ name: 'Laptop', password: '${PASSWORD}' })`,
    );
    expect(await run(tab, `return client.passkeys.rename('${passkey.id}', { name: 'Phone' })`)).toMatchObject(
      {
        name: 'Phone',
      },
    );
    await run(tab, 'await client.signOut()');
    expect(await run(tab, 'return client.signIn.passkey()')).toMatchObject({
      status: 'complete',
      customer: { id },
    });
    const first = await accessToken(tab);
    await run(tab, 'await client.reauthenticate.passkey()');
    expect(await accessToken(tab)).not.toBe(first);
    await run(tab, `await client.passkeys.remove('${passkey.id}')`);
    expect(await run(tab, 'return client.passkeys.list()')).toEqual([]);
    await run(tab, 'await client.signOut()');
    // The authenticator still has the passkey.
    expect(await run(tab, 'return client.signIn.passkey().catch(({ code }) => code)')).toBe(
      'passkey_not_accepted',
    );
  });

  nightlyIt('adds the passkey that a sign-in requires, and uses it as the second factor', async () => {
    const tab = await open();
    await addVirtualAuthenticator(tab);
    const { email } = await signUp(tab);
    const signIn = `const { status, challenge } = await client.signIn.password(${JSON.stringify({ email, password: PASSWORD })});`;
    await withSettings(instance, { mfa: 'required' }, async () => {
      const enroll = `client.challenge.enrollPasskey({ token: challenge.token, name: 'Laptop' })`;
      const [status, result] = await run(tab, `${signIn} return [status, await ${enroll}]`);
      expect([status, result.status, result.recoveryCodes.length]).toEqual(['enroll_factor', 'complete', 10]);
      expect(await run(tab, 'return client.passkeys.list()')).toMatchObject([{ name: 'Laptop' }]);
      const complete = `client.challenge.passkey({ token: challenge.token })`;
      expect(await run(tab, `${signIn} return [status, (await ${complete}).status]`)).toEqual([
        'second_factor',
        'complete',
      ]);
    });
  });

  nightlyIt('signs in with an identity provider', async () => {
    const tab = await open();
    const target = JSON.stringify({ provider: 'work', redirectUrl: `${origin}/signed-in` });
    await run(tab, `await client.signIn.social(${target})`);
    await tab.waitForURL(`${origin}/signed-in?**`);
    expect(await run(tab, 'return client.handleRedirect()')).toMatchObject({
      status: 'complete',
      customer: { email: provider.user.email },
    });
    expect(tab.url()).toBe(`${origin}/signed-in`);
    await waitForStatuses(tab, ['signed_out', 'signed_in']);
  });
});
