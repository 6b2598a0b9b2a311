import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks, shellBlock } from '../support/code-blocks.js';
import { resetTotpSteps } from '../support/customer-factors.js';
import { expectStatus, withSettings } from '../support/customers.js';
import { DocumentSite } from '../support/document-site.js';
import { readEmailCode } from '../support/email-codes.js';
import { TestInstance, PASSWORD } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

const DOCUMENT = 'docs/frontend.md';
const BODY = `
  <form id=sign-up novalidate><input name=email><input name=password type=password><p role=alert></p><button>Sign up</button></form>
  <button id=verify>Confirm</button><p id=result></p>`;

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser(
  'the code in docs/frontend.md, on a page of another origin with a content security policy',
  () => {
    let browser: TestBrowser;
    let site: DocumentSite;
    let origin: string;
    let orders: Server;
    let context: BrowserContext;
    /** Credentials that the customer's own API has received. It rejects them while `isRejecting`. */
    const api = { credentials: [] as (string | undefined)[], isRejecting: false };

    beforeAll(async () => {
      orders = createServer((request, response) => {
        response.setHeader('access-control-allow-origin', origin);
        response.setHeader('access-control-allow-headers', 'authorization');
        if (request.method === 'GET') api.credentials.push(request.headers.authorization);
        response.writeHead(request.method === 'GET' && api.isRejecting ? 401 : 200).end('[]');
      }).listen(0, '127.0.0.1');
      await once(orders, 'listening');
      const apiOrigin = `http://127.0.0.1:${(orders.address() as AddressInfo).port}`;
      const documented = await codeBlocks(DOCUMENT);
      site = await DocumentSite.start((siteOrigin) => {
        const values = Object.entries({
          'http://127.0.0.1:3000': instance.baseUrl,
          'pk_…': instance.credentials.publishableKey,
          'https://api.example.com': apiOrigin,
          'https://app.example.com': siteOrigin,
        });
        const adapt = (code: string) =>
          values.reduce((text, [example, value]) => text.replaceAll(example, value), code);
        const blocks = new Map([...documented].map(([name, code]) => [name, adapt(code)]));
        blocks.set('app-in-memory.js', blocks.get('app.js')!.replace(/^ *storage: .*\n/m, ''));
        return { blocks, connectTo: [instance.baseUrl, apiOrigin], body: BODY };
      });
      ({ origin } = site);
      browser = await TestBrowser.startShared();
    });
    afterAll(async () => {
      await browser?.close();
      site?.stop();
      orders?.closeAllConnections();
      orders?.close();
    });
    beforeEach(async () => {
      Object.assign(api, { credentials: [], isRejecting: false });
      context = await browser.newContext();
    });
    afterEach(async () => context.close());

    const open = async (path = '/'): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(origin + path);
      return page;
    };

    /** Runs code with the client in scope. @returns its result or error code */
    const run = (page: Page, body: string, app = 'app.js'): Promise<any> =>
      page.evaluate(`(async () => {
      const { gatehouse } = await import('/${app}');
      return (async () => { ${body} })().catch(({ code }) => ({ code }));
    })()`);

    const signUp = async (page: Page): Promise<{ id: string; email: string }> => {
      const fields = JSON.stringify({ email: uniqueEmail(), password: PASSWORD });
      return (await run(page, `return gatehouse.signUp(${fields})`)).customer;
    };

    const isSignedIn = (page: Page): Promise<boolean> =>
      run(page, 'return (await gatehouse.getAccessToken()) !== null');

    /** Submits the page's form. @returns the alert message */
    const submit = async (page: Page, email: string, password: string): Promise<string> => {
      await page.locator('[name=email]').fill(email);
      await page.locator('[name=password]').fill(password);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.locator('[role=alert]:not(:empty)').waitFor();
      return page.locator('[role=alert]').innerText();
    };

    it('HD-03: registers with a form', async () => {
      const page = await open();
      await page.evaluate(`import('/sign-up.js')`);
      const email = uniqueEmail();
      await page.locator('[name=email]').fill(email);
      await page.locator('[name=password]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.waitForURL('**/#/account');
      expect(await run(page, 'return gatehouse.customer.get()')).toMatchObject({ email });
      await withSettings(instance, { requireVerifiedEmail: true }, async () => {
        await page.locator('[name=email]').fill(uniqueEmail());
        await page.getByRole('button', { name: 'Sign up' }).click();
        await page.waitForURL('**/#/check-your-inbox');
      });
    });

    it('shows errors in a form', async () => {
      const page = await open();
      await page.evaluate(`import('/sign-up.js')`);
      const invalid = page.locator('[aria-invalid=true]');
      expect(await submit(page, 'ada', PASSWORD)).toBe('Check the marked fields.');
      expect(await invalid.getAttribute('name')).toBe('email');
      expect(await submit(page, uniqueEmail(), 'q7#vX')).toBe('This password is too easy to guess.');
      expect(await invalid.getAttribute('name')).toBe('password');
      const { email } = await signUp(page);
      expect(await submit(page, email, PASSWORD)).toBe('An account with this email already exists.');
      await context.setOffline(true);
      expect(await submit(page, email, PASSWORD)).toBe('There is no connection.');
      await context.setOffline(false);

      const texts = await run(
        page,
        `const { submitForm } = await import('/form.js');
       const form = document.querySelector('#sign-up');
       const texts = new Set();
       for (let attempts = 1; attempts <= 30; attempts += 1) {
         await submitForm(form, () => gatehouse.signIn.password({ email: '${uniqueEmail()}', password: 'wrong' }));
         texts.add(form.querySelector('[role=alert]').textContent);
       }
       return [...texts];`,
      );
      expect(texts).toEqual([
        'Email or password is incorrect.',
        expect.stringMatching(/^Too many failed attempts\. Try again in \d+ minutes\.$/),
      ]);
    });

    it('shows the sign-in page in every tab when the session ends', async () => {
      const tabs = [await open(), await open()] as const;
      for (const tab of tabs) expect(await isSignedIn(tab)).toBe(false);
      await signUp(tabs[0]);
      await run(tabs[1], 'return gatehouse.customer.get()');
      for (const tab of tabs) expect(tab.url()).toBe(`${origin}/`);
      await run(tabs[1], 'return gatehouse.signOut()');
      for (const tab of tabs) await tab.waitForURL('**/#/sign-in');
    });

    it('stores nothing in the browser when the session is in memory', async () => {
      const page = await open();
      const fields = JSON.stringify({ email: uniqueEmail(), password: PASSWORD });
      const stored = await run(
        page,
        `await gatehouse.signUp(${fields});
       const { id } = await gatehouse.customer.get();
       return [typeof id, localStorage.length, sessionStorage.length, (await indexedDB.databases()).length]`,
        'app-in-memory.js',
      );
      expect(stored).toEqual(['string', 0, 0, 0]);
    });

    it("calls the application's own API on another origin", async () => {
      const page = await open();
      await signUp(page);
      const token = await run(page, 'return gatehouse.getAccessToken()');
      const listOrders = `const { listOrders } = await import('/orders.js'); return listOrders()`;
      expect(await run(page, listOrders)).toEqual([]);
      expect(api.credentials).toEqual([`Bearer ${token}`]);
      api.isRejecting = true;
      expect(await run(page, listOrders)).toBeNull();
      await page.waitForURL('**/#/sign-in');
    });

    describe('an application with email codes', () => {
      const withEmailCodes = (work: () => Promise<void>) =>
        withSettings(instance, { signIn: { emailCode: true }, redirectUrls: [`${origin}/welcome`] }, work);

      it('signs in with the code', async () => {
        await withEmailCodes(async () => {
          const page = await open();
          const email = uniqueEmail();
          await page.exposeFunction('askForCode', () => readEmailCode(instance, email));
          const result = await run(
            page,
            `const { signInWithCode } = await import('/email-code.js');
           return signInWithCode('${email}', window.askForCode)`,
          );
          expect(result).toMatchObject({ status: 'complete', customer: { email, emailVerified: true } });
        });
      });

      it('signs in with the link, which redirects to another origin', async () => {
        await withEmailCodes(async () => {
          const email = uniqueEmail();
          await run(
            await open(),
            `const { signInWithCode } = await import('/email-code.js');
           return new Promise((resolve, reject) => void signInWithCode('${email}', resolve).catch(reject))`,
          );
          const code = await readEmailCode(instance, email);
          const [mail] = await instance.listMails(email, 'email-code');
          const page = await context.newPage();
          await page.goto(mail!['link'] as string);
          await page.getByText(code).waitFor();
          await page.getByRole('button', { name: 'Sign in' }).click();
          await page.waitForURL((url) => url.origin === origin && url.searchParams.has('code'));
          await page.evaluate(`import('/welcome.js')`);
          await page.getByText(`Welcome, ${email}`).waitFor();
          expect(page.url()).toBe(`${origin}/welcome`);
        });
      });
    });

    it('adds the authenticator that a sign-in requires, and then requires its code', async () => {
      const page = await open();
      const { id, email } = await signUp(page);
      let secret: string;
      await page.exposeFunction('askForCode', (authenticator: { secret: string } | null) => {
        secret = authenticator?.secret ?? secret;
        return totpCode(secret);
      });
      const signIn = `const { completeSignIn } = await import('/second-factor.js');
      const first = await gatehouse.signIn.password({ email: '${email}', password: '${PASSWORD}' });
      return [first.status, await completeSignIn(first, window.askForCode)]`;
      await withSettings(instance, { mfa: 'required', mfaGraceDays: 0 }, async () => {
        const recoveryCodes = Array(10).fill(expect.any(String));
        expect(await run(page, signIn)).toMatchObject([
          'enroll_factor',
          { status: 'complete', recoveryCodes },
        ]);
        await resetTotpSteps(instance, { id });
        expect(await run(page, signIn)).toMatchObject(['second_factor', { status: 'complete' }]);
      });
      expect(await run(page, signIn)).toMatchObject(['complete', { customer: { id } }]);
    });

    it('verifies an email address on a project page, and rejects an origin that is not allowed', async () => {
      await applySettings(origin);
      try {
        const page = await open();
        const { email } = await signUp(page);
        const [mail] = await instance.listMails(email, 'verify-email');
        const link = new URL(mail!['link'] as string);
        expect(link.origin + link.pathname).toBe(`${origin}/verify-email`);
        await page.goto(link.href);
        await page.evaluate(`import('/verify-page.js')`);
        expect(page.url()).toBe(`${origin}/verify-email`);
        await page.click('#verify');
        await page.getByText('Your email address is confirmed.').waitFor();
        expect(await run(page, 'return gatehouse.customer.get()')).toMatchObject({ emailVerified: true });

        await applySettings('https://app.example.com');
        await page.evaluate(`import('/sign-up.js')`);
        expect(await submit(page, uniqueEmail(), PASSWORD)).toMatch(/^Something went wrong \([\w-]{8,}\)\.$/);
        expect(await run(page, 'return gatehouse.customer.get()')).toEqual({ code: 'origin_not_allowed' });
        expect(await isSignedIn(page)).toBe(true);
      } finally {
        const settings = { allowedOrigins: null, verifyEmailUrl: null, redirectUrls: null };
        const path = `/api/v1/projects/${instance.credentials.projectId}`;
        expectStatus(200, await instance.requestWithSecretKey('PATCH', path, { settings }));
      }
    });

    /** Applies the document's settings, with the given origin instead of the document's example. */
    async function applySettings(siteOrigin: string): Promise<void> {
      const { projectId, secretKey } = instance.credentials;
      const env = { PATH: process.env['PATH'], GATEHOUSE_URL: instance.baseUrl, PROJECT_ID: projectId };
      const script = (await shellBlock(DOCUMENT, 'settings')).replaceAll(
        'https://app.example.com',
        siteOrigin,
      );
      await promisify(execFile)('bash', ['-euc', script], { env: { ...env, SECRET_KEY: secretKey } });
    }
  },
);
