import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page, Response as PageResponse } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { NextExample } from '../support/next-example.js';
import {
  addProvider,
  requestAsPage,
  createSocialProject,
  type SocialProject,
} from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const ACCESS = 'gatehouse-access';
const REFRESH = 'gatehouse-refresh';

let instance: TestInstance;
let provider: OpenIdProvider;
let project: SocialProject;
let app: NextExample;
let origin: string;

describeBrowser('the example of @gatehouse/nextjs', () => {
  let browser: TestBrowser;
  let context: BrowserContext;
  let tab: Page;
  /** All response bodies that the pages have received. */
  let bodies: Promise<string>[];
  /** Console messages and errors of all pages, such as hydration errors. */
  let messages: string[];

  beforeAll(async () => {
    [instance, provider] = await Promise.all([
      TestInstance.startShared({ workers: 0 }),
      OpenIdProvider.start(),
      buildApp(),
    ]);
    browser = await TestBrowser.startShared();
    ({ origin } = app);
    project = await createSocialProject(instance, { redirectUrls: [`${origin}/sign-in`] });
    const fields = { type: 'oidc', issuer: provider.issuer, name: 'Work' };
    await addProvider(instance, project, provider, fields);
    // The build must not depend on the server's environment.
    await app.start(instance, project);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await provider?.stop();
    await instance?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    [bodies, messages] = [[], []];
    context.on('console', (message) => {
      // The app has no icon.
      if (!message.location().url.endsWith('/favicon.ico')) messages.push(message.text());
    });
    context.on('weberror', (error) => void messages.push(String(error.error())));
    context.on('response', (response) => void bodies.push(readBody(response)));
    tab = await context.newPage();
  });
  afterEach(async () => context?.close());

  /** Builds the quick start's files, and a page that the proxy does not cover. */
  async function buildApp(): Promise<void> {
    app = await NextExample.create();
    const [page, proxy] = await Promise.all(
      ['app/orders/page.tsx', 'proxy.ts'].map((name) => readFile(`examples/nextjs/${name}`, 'utf8')),
    );
    const unproxied = page!
      .replace('./pay-button', '../orders/pay-button')
      .replace('protect()', `protect({ returnUrl: '/unproxied' })`);
    await app.folder.write('app/unproxied/page.tsx', unproxied);
    await app.folder.write('proxy.ts', proxy!.replace('(?!', '(?!unproxied|'));
    await app.folder.runBlocks('build');
  }

  const readBody = (response: PageResponse): Promise<string> => response.text().catch(() => '');

  const cookie = async (name: string): Promise<string | undefined> =>
    (await context.cookies()).find((each) => each.name === name)?.value;

  const listSessions = (customerId: string): Promise<{ generation: number; active: boolean }[]> =>
    instance.sql('SELECT generation, revoked_at IS NULL AS active FROM sessions WHERE customer_id = $1', [
      customerId,
    ]);

  /** Clicks a server-rendered button once React handles its events. An earlier click would be lost. */
  async function clickHydrated(page: Page, name: string): Promise<void> {
    const button = page.getByRole('button', { name });
    await eventually('React to hydrate the button', () =>
      button.evaluate((element) => Object.keys(element).some((key) => key.startsWith('__reactProps$'))),
    );
    await button.click();
  }

  /** Opens the page with the orders, which redirects to the sign-in page and back. */
  async function signIn(): Promise<{ id: string; email: string }> {
    const fields = { email: uniqueEmail(), password: PASSWORD };
    const { customer } = expectStatus(201, await requestAsPage(instance, project, 'register', fields)).body;
    await instance.sql('DELETE FROM sessions WHERE customer_id = $1', [customer.id]);
    await tab.goto(`${origin}/orders`);
    expect(new URL(tab.url()).search).toBe('?redirect_url=%2Forders');
    await tab.getByLabel('Email').fill(customer.email);
    await tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.getByText(`Orders for customer ${customer.id}`).waitFor();
    expect(tab.url()).toBe(`${origin}/orders`);
    return customer;
  }

  /** Throws if a response, the page or its storage contains a token. @param email must be in the page's storage */
  async function expectNoTokens(email: string, html: string): Promise<void> {
    const tokens = [await cookie(ACCESS), await cookie(REFRESH)];
    const readable = await tab.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(readable).toContain(email);
    expect(bodies.length).toBeGreaterThan(10);
    const texts = [readable, html, await tab.content(), ...(await Promise.all(bodies))];
    expect(tokens).not.toContain(undefined);
    expect(texts.filter((text) => tokens.some((token) => text.includes(token!)))).toEqual([]);
    expect(texts.filter((text) => /ey[\w-]+\.ey[\w-]+\.[\w-]+/.test(text))).toEqual([]);
  }

  it('signs in, renders the customer on the server, and exposes no token to the page', async () => {
    const { email, id } = await signIn();
    await clickHydrated(tab, 'Pay');
    await tab.getByText(`{"paidBy":"${id}"}`).waitFor();
    await tab.reload();
    await tab.goto(origin);
    await tab.getByText(`Signed in as ${email}`).waitFor();

    expect(messages).toEqual([]);

    const html = await (await context.request.get(origin)).text();
    expect(html).toContain(email);
    expect(html).not.toContain('Sign in<');
    await expectNoTokens(email, html);
  });

  it('signs in with an identity provider, returns to the page, and exposes no token to it', async () => {
    const email = provider.user.email!;
    await tab.goto(`${origin}/orders`);
    await tab.getByRole('button', { name: 'Continue with Work' }).click();
    await tab.getByText('Orders for customer').waitFor();
    expect(tab.url()).toBe(`${origin}/orders`);
    expect(messages).toEqual([]);
    await expectNoTokens(email, await (await context.request.get(origin)).text());
  });

  it('rotates the refresh token once for 20 parallel prefetches', async () => {
    const { id } = await signIn();
    await tab.goto(origin);
    await context.clearCookies({ name: ACCESS });
    const responses = await tab.evaluate(() =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          const headers = { RSC: '1', 'Next-Router-Prefetch': '1' };
          const response = await fetch('/orders', { headers });
          return [response.status, new URL(response.url).pathname];
        }),
      ),
    );
    expect(responses).toEqual(Array(20).fill([200, '/orders']));
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
    await tab.getByRole('link', { name: 'Orders' }).click();
    await tab.getByText(`Orders for customer ${id}`).waitFor();
  });

  it('refreshes an expired session through the handler, and returns to a page without the proxy', async () => {
    const { id } = await signIn();
    await context.clearCookies({ name: ACCESS });
    const paths: string[] = [];
    tab.on('request', (request) => {
      if (request.isNavigationRequest()) paths.push(new URL(request.url()).pathname);
    });
    await tab.goto(`${origin}/unproxied`);
    expect(paths).toEqual(['/unproxied', '/api/gatehouse/refresh', '/unproxied']);
    await tab.getByText(`Orders for customer ${id}`).waitFor();
    expect(await listSessions(id)).toEqual([{ generation: 2, active: true }]);
  });

  it('protects pages and routes without the proxy', async () => {
    const subrequest = ['proxy', 'src/proxy', 'middleware'].map((name) => Array(6).fill(name).join(':'));
    for (const header of subrequest) {
      const init = { headers: { 'x-middleware-subrequest': header }, redirect: 'manual' } as const;
      for (const path of ['/orders', '/unproxied']) {
        const page = await fetch(origin + path, init);
        expect([page.status, page.headers.get('location')]).toEqual([
          307,
          expect.stringMatching(/^\/sign-in/),
        ]);
        expect(await page.text()).not.toContain('Orders for customer');
      }
      const headers = { ...init.headers, 'sec-fetch-site': 'same-origin' };
      const payment = await fetch(`${origin}/api/pay`, { ...init, headers, method: 'POST' });
      expect([payment.status, ((await payment.json()) as { code: string }).code]).toEqual([
        401,
        'invalid_access_token',
      ]);
    }
  });

  it('signs out in all tabs and at Gatehouse', async () => {
    const { id } = await signIn();
    const other = await context.newPage();
    await other.goto(origin);
    await clickHydrated(other, 'Sign out');
    await other.getByRole('link', { name: 'Sign in' }).waitFor();
    // The page in the other tab is rendered again, and redirects to the sign-in page.
    await tab.getByLabel('Password', { exact: true }).waitFor();
    expect(await context.cookies()).toEqual([]);
    await eventually('the session to end', async () => !(await listSessions(id))[0]!.active);
  });

  it('signs up a new customer', async () => {
    const email = uniqueEmail();
    await tab.goto(`${origin}/sign-in`);
    await tab.getByRole('button', { name: 'Create account' }).click();
    await tab.getByLabel('Email').fill(email);
    await tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await tab.getByRole('button', { name: 'Create account' }).click();
    await tab.getByText(`Signed in as ${email}`).waitFor();
    expect(tab.url()).toBe(`${origin}/`);
  });
});
