import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumOptions, sharedBrowser } from './shared-browser.mjs';
import { testWorker } from './test-worker.js';

if (!chromiumOptions.executablePath)
  process.stderr.write('Pages are not tested in a browser: no Chromium found.\n');

/** `describe`, or `describe.skip` when no Chromium is installed. */
export const describeBrowser = (name: string, tests: () => void): void =>
  (chromiumOptions.executablePath ? describe : describe.skip)(name, tests);

/** The folder for screenshots. Not set in ordinary runs. */
const screenshotFolder = process.env['SCREENSHOTS'];

/** A real Chromium that records the console messages, errors and requests from its pages. */
export class TestBrowser {
  /** Console messages and uncaught errors from all pages. */
  readonly consoleMessages: string[] = [];
  /** The hosts of all requests from all pages. */
  readonly requestedHosts = new Set<string>();
  private constructor(private readonly browser: Browser) {}

  /** Returns the Chromium that all test files in a jest worker share. */
  static async startShared(): Promise<TestBrowser> {
    return new TestBrowser(await (testWorker?.sharedBrowser ?? sharedBrowser)());
  }

  newContext(): Promise<BrowserContext> {
    return this.browser.newContext();
  }

  /** Opens a page in a new browser context. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => this.consoleMessages.push(message.text()));
    page.on('pageerror', (error) => this.consoleMessages.push(String(error)));
    page.on('request', (request) => this.requestedHosts.add(new URL(request.url()).host));
    await page.goto(url);
    return page;
  }

  /** Takes a screenshot if SCREENSHOTS is set. */
  async screenshot(page: Page, name: string): Promise<void> {
    if (screenshotFolder) await page.screenshot({ path: `${screenshotFolder}/${name}.png` });
  }

  /** Closes all pages. */
  async close(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }
}
