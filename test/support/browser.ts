import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
if (!executablePath) process.stderr.write('Pages are not tested in a browser: no Chromium found.\n');

/** `describe`, or a skipped one where there is no Chromium. */
export const describeBrowser = (name: string, tests: () => void): void =>
  (executablePath ? describe : describe.skip)(name, tests);

/** A folder for pictures to look at; unset in ordinary runs. */
const screenshotFolder = process.env['SCREENSHOTS'];

/** A real Chromium that remembers what its pages complained about. */
export class TestBrowser {
  /** Everything on the console, and every error of a page. */
  readonly consoleMessages: string[] = [];
  /** Every host that pages asked for something. */
  readonly requestedHosts = new Set<string>();
  private constructor(private readonly browser: Browser) {}

  /** @param args further ones of Chromium */
  static async launch(args: string[] = []): Promise<TestBrowser> {
    const browser = await chromium.launch({
      executablePath: executablePath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        ...args,
      ],
    });
    return new TestBrowser(browser);
  }

  newContext(): Promise<BrowserContext> {
    return this.browser.newContext();
  }

  /** Opens a page in a context of its own. */
  async open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => this.consoleMessages.push(message.text()));
    page.on('pageerror', (error) => this.consoleMessages.push(String(error)));
    page.on('request', (request) => this.requestedHosts.add(new URL(request.url()).host));
    await page.goto(url);
    return page;
  }

  /** A picture of the page, when a run asks for pictures. */
  async screenshot(page: Page, name: string): Promise<void> {
    if (screenshotFolder) await page.screenshot({ path: `${screenshotFolder}/${name}.png` });
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
