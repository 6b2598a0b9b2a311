import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks } from '../support/code-blocks.js';
import { DocumentFolder } from '../support/document-folder.js';
import { freePort } from '../support/server-process.mjs';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('the page in docs/quick-starts/plain-html.md', () => {
  let browser: TestBrowser;
  let folder: DocumentFolder;
  let url: string;

  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    const { publishableKey } = instance.credentials;
    folder = await DocumentFolder.create('docs/quick-starts/plain-html.md', {
      replace: { 'http://127.0.0.1:3000': instance.baseUrl, 'pk_…': publishableKey, '8080': port },
    });
    await folder.write('../gatehouse/.data/credentials.json', JSON.stringify(instance.credentials));
    await folder.runBlocks('copy', 'settings');
    await folder.startBlock('run', url);
    browser = await TestBrowser.startShared();
  });
  afterAll(async () => {
    await browser?.close();
    await folder?.close();
  });

  const submit = async (page: Page, email: string, password: string, button: string): Promise<void> => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: button }).click();
  };

  it('signs a customer up, out and in, stays signed in on reload, and calls its server', async () => {
    const { baseUrl, publishableKey } = instance.credentials;
    expect(await folder.runBlocks('key')).toBe(`${baseUrl} ${publishableKey}\n`);
    const page = await browser.open(url);
    const email = uniqueEmail();

    await submit(page, email, PASSWORD, 'Sign up');
    await page.getByText(`Signed in as ${email}`).waitFor();
    await page.getByRole('button', { name: 'Show orders' }).click();
    await page.getByText('"orders":[]').waitFor();
    await page.reload();
    await page.getByText(`Signed in as ${email}`).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await submit(page, email, 'wrong', 'Sign in');
    await page.getByText('invalid_credentials').waitFor();
    await submit(page, email, PASSWORD, 'Sign in');
    await page.getByText(`Signed in as ${email}`).waitFor();
    // Messages about the rejected password and the favicon.
    const failedRequests = /^Failed to load resource/;
    expect(browser.consoleMessages.filter((text) => !failedRequests.test(text))).toEqual([]);
  });
});

describeBrowser('the app in docs/quick-starts/react.md', () => {
  let browser: TestBrowser;
  let folder: DocumentFolder;
  let url: string;

  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://localhost:${port}`;
    folder = await DocumentFolder.create('docs/quick-starts/react.md', {
      replace: { '8080': port },
      env: { npm_config_update_notifier: 'false' },
    });
    await folder.write('../gatehouse/.data/credentials.json', JSON.stringify(instance.credentials));
    await folder.runBlocks('settings', 'build');
    await folder.startBlock('run', url);
    browser = await TestBrowser.startShared();
  });
  afterAll(async () => {
    await browser?.close();
    await folder?.close();
  });

  it('has at most 40 lines', async () => {
    const app = (await codeBlocks('docs/quick-starts/react.md')).get('main.jsx')!;
    expect(app.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('signs a customer up, out and in, and calls its server', async () => {
    const page = await browser.open(url);
    const email = uniqueEmail();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const fill = async (): Promise<void> => {
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    };

    await button('Create account').click();
    await fill();
    await button('Create account').click();
    await page.getByRole('heading', { name: `Orders for ${email}` }).waitFor();
    await page.getByText('Lamp, Ladder').waitFor();
    await button('Sign out').click();
    await fill();
    await button('Sign in').click();
    await page.getByText('Lamp, Ladder').waitFor();
    expect(browser.consoleMessages.filter((text) => !/^Failed to load resource/.test(text))).toEqual([]);
  });
});
