import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.js';
import type { OperatorClient } from '../support/operator-client.js';
import { smallPng } from './small-png.js';

const SCREENSHOT_OPTIONS = { animations: 'disabled', caret: 'hide' } as const;
const wideViewport = { width: 1280, height: 900 };

/** The ways in which somebody may look at the console. */
export const variants = {
  light: { viewport: wideViewport, colorScheme: 'light' },
  dark: { viewport: wideViewport, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} satisfies Record<string, BrowserContextOptions>;
export type Variant = keyof typeof variants;

/** Takes pictures of the console of one instance, in one look. */
export class Camera {
  private constructor(
    readonly page: Page,
    readonly variant: Variant,
    private readonly console: string,
    private readonly folder: string,
  ) {}

  /** @param operator who is signed in; nobody otherwise */
  static async open(
    browser: TestBrowser,
    look: Variant,
    { baseUrl, folder, operator }: { baseUrl: string; folder: string; operator?: OperatorClient },
  ): Promise<Camera> {
    const cookies = operator ? [operator.browserCookie()] : [];
    const page = await browser.open('about:blank', {
      ...variants[look],
      reducedMotion: 'reduce',
      storageState: { cookies, origins: [] },
    });
    return new Camera(page, look, `${baseUrl}/console`, folder);
  }

  /** @param path below `/console` */
  async go(path: string): Promise<void> {
    // Where only the fragment differs nothing would be loaded.
    await this.page.goto('about:blank');
    await this.page.goto(this.console + path);
    await this.waitUntilSettled();
  }

  /** @param name of the picture, without its look @param fullPage with all that is below the window */
  async take(name: string, fullPage = false): Promise<void> {
    await this.waitUntilSettled();
    this.write(
      `${this.folder}/${name}-${this.variant}.png`,
      await this.page.screenshot({ ...SCREENSHOT_OPTIONS, fullPage }),
    );
  }

  /** What is in the window, small enough for a document. @param path of the file */
  async takeSmall(path: string): Promise<void> {
    this.write(path, smallPng(await this.page.screenshot(SCREENSHOT_OPTIONS)));
  }

  private write(path: string, picture: Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, picture);
    process.stdout.write(`${path}\n`);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  /** Waits until all is there: the words, the data in place of its skeletons, and the charts, which are measured first. */
  private async waitUntilSettled(): Promise<void> {
    await this.page.getByRole('heading').first().waitFor();
    await this.page.waitForLoadState('networkidle');
    await waitUntilGone(this.page.locator('.mantine-Skeleton-root, .mantine-Loader-root'));
    await waitUntilGone(this.page.locator('figure > div:empty'));
  }
}

async function waitUntilGone(what: Locator): Promise<void> {
  while ((await what.count()) > 0) await what.first().waitFor({ state: 'detached' });
}
