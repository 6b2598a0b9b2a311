import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

// The headless shell does not draw the windows of a desktop browser: the tests use a quarter less CPU time with it.
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));
if (!executablePath) process.stderr.write('Pages are not tested in a browser: no Chromium found.\n');

/** `describe`, or `describe.skip` when no Chromium is installed. */
export const describeBrowser = (name: string, tests: () => void): void =>
  (executablePath ? describe : describe.skip)(name, tests);

/** The folder for screenshots; unset in ordinary runs. */
const screenshotFolder = process.env['SCREENSHOTS'];

/** The options with which tests start Chromium. */
export const chromiumOptions = {
  executablePath: executablePath!,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** A real Chromium that records the console messages, errors and requests of its pages. */
export class TestBrowser {
  /** Console messages and uncaught errors of all pages. */
  readonly consoleMessages: string[] = [];
  /** The hosts of all requests of all pages. */
  readonly requestedHosts = new Set<string>();
  private constructor(private readonly browser: Browser) {}

  /** @param args additional Chromium arguments */
  static async launch(args: string[] = []): Promise<TestBrowser> {
    const { executablePath: program, args: shared } = chromiumOptions;
    const browser = await chromium.launch({ executablePath: program, args: [...shared, ...args] });
    return new TestBrowser(browser);
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

  /** Takes a screenshot of the page if SCREENSHOTS is set. */
  async screenshot(page: Page, name: string): Promise<void> {
    if (screenshotFolder) await page.screenshot({ path: `${screenshotFolder}/${name}.png` });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
