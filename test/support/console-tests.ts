import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from './browser.js';
import { ConsolePage } from './console-page.js';
import { openScreen } from './console-screens.js';
import { FAST_RETRIES } from './dead-letters.js';
import { insertOperator, type OperatorClient } from './operator-client.js';
import { Receiver } from './receiver.js';
import { TestInstance } from './test-instance.js';

/** Chromium writes this message to the console for every 4xx response. The page does not cause it. */
const CLIENT_ERROR_MESSAGE = /^Failed to load resource: the server responded with a status of 4/;

/** Chromium's message about a header that it ignores without HTTPS. */
const INSECURE_PAGE_MESSAGE = /^The Cross-Origin-Opener-Policy header has been ignored/;

/** The objects that console tests share: an instance, a browser and an admin. */
export interface ConsoleTest {
  instance: TestInstance;
  browser: TestBrowser;
  admin: OperatorClient;
  /** Opens a screen in a new browser context. @param operator default: the admin */
  open(path: string, operator?: OperatorClient): Promise<Page>;
  /**
   * Opens a screen on the page that all tests share, which takes half the CPU time of a new context.
   * @param path below `/console`, or a URL
   * @param operator default: the admin. Null opens it without a session
   */
  show(path: string, operator?: OperatorClient | null): Promise<Page>;
}

/** The objects that delivery tests share, with a receiver and the shared page. */
export interface DeliveriesTest extends ConsoleTest {
  receiver: Receiver;
  page: Page;
  ui: ConsolePage;
}

interface Options {
  /** True to start a worker whose deliveries fail quickly. */
  withWorker?: boolean;
  /** True to allow pages to receive 4xx responses. */
  allowClientErrors?: boolean;
}

/** Defines console tests in a browser. A test fails if a page writes to its console. */
export function describeConsole(name: string, options: Options, tests: (test: ConsoleTest) => void): void {
  describeBrowser(name, () => {
    let sharedPage: Page | undefined;
    const test = {
      open: (path, operator = test.admin) => openScreen(test.browser, test.instance, operator, path),
      show: async (path, operator = test.admin) => {
        sharedPage ??= await test.browser.open('about:blank', { reducedMotion: 'reduce' });
        if (operator) await sharedPage.context().addCookies([operator.browserCookie()]);
        else await sharedPage.context().clearCookies();
        await sharedPage.goto(path.startsWith('/') ? `${test.instance.baseUrl}/console${path}` : path);
        return sharedPage;
      },
    } as ConsoleTest;
    beforeAll(async () => {
      const workers = options.withWorker ? { workerEnv: { ...FAST_RETRIES } } : { workers: 0 };
      test.instance = await TestInstance.startShared(workers);
      test.admin = await insertOperator(test.instance);
      test.browser = await TestBrowser.startShared();
    });
    afterAll(async () => {
      await test.browser?.close();
      await test.instance?.stop();
    });
    afterEach(() => {
      const messages = test.browser.consoleMessages
        .splice(0)
        .filter((text) => !INSECURE_PAGE_MESSAGE.test(text));
      expect(
        messages.filter((text) => !options.allowClientErrors || !CLIENT_ERROR_MESSAGE.test(text)),
      ).toEqual([]);
    });
    tests(test);
  });
}

/** Like `describeConsole`, with a worker and a receiver. Each test creates its own endpoints. */
export function describeDeliveries(name: string, tests: (test: DeliveriesTest) => void): void {
  describeConsole(name, { withWorker: true }, (test) => {
    const deliveries = test as DeliveriesTest;
    beforeAll(async () => {
      deliveries.receiver = await Receiver.start();
      deliveries.page = await test.show('/');
      deliveries.ui = new ConsolePage(deliveries.page, test.instance);
    });
    afterEach(() => test.instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`));
    afterAll(() => deliveries.receiver?.stop());
    tests(deliveries);
  });
}

/** Fills a form's fields and submits the form. */
export async function submitForm(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(text);
  await page.locator('button[type=submit]').click();
}

/** Waits until a screen displays a heading. */
export const waitForHeading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Returns a page's localStorage and sessionStorage as JSON. */
export const readBrowserStorage = (page: Page): Promise<string> =>
  page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');
