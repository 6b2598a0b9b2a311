import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.js';
import type { OperatorClient } from '../support/operator-client.js';
import { smallPng } from './small-png.js';

const SCREENSHOT_OPTIONS = { animations: 'disabled', caret: 'hide' } as const;
const wideViewport = { width: 1280, height: 900 };

/** The browser variants in which screenshots are taken. */
export const variants = {
  light: { viewport: wideViewport, colorScheme: 'light' },
  dark: { viewport: wideViewport, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
} satisfies Record<string, BrowserContextOptions>;
export type Variant = keyof typeof variants;

/** Takes screenshots of the console of one instance, in one variant. */
export class Camera {
  private constructor(
    readonly page: Page,
    readonly variant: Variant,
    private readonly console: string,
    private readonly folder: string,
  ) {}

  /** @param operator the signed-in operator; default: none */
  static async open(
    browser: TestBrowser,
    variant: Variant,
    { baseUrl, folder, operator }: { baseUrl: string; folder: string; operator?: OperatorClient },
  ): Promise<Camera> {
    const cookies = operator ? [operator.browserCookie()] : [];
    const page = await browser.open('about:blank', {
      ...variants[variant],
      reducedMotion: 'reduce',
      storageState: { cookies, origins: [] },
    });
    return new Camera(page, variant, `${baseUrl}/console`, folder);
  }

  /** @param path below `/console` */
  async go(path: string): Promise<void> {
    // If only the fragment differs, the page would not load again.
    await this.page.goto('about:blank');
    await this.page.goto(this.console + path);
    await this.waitUntilSettled();
  }

  /**
   * @param name of the screenshot, without its variant
   * @param fullPage includes the page below the viewport
   */
  async take(name: string, fullPage = false): Promise<void> {
    await this.waitUntilSettled();
    this.write(
      `${this.folder}/${name}-${this.variant}.png`,
      await this.page.screenshot({ ...SCREENSHOT_OPTIONS, fullPage }),
    );
  }

  /** Takes a small screenshot of the viewport for a document. @param path of the file */
  async takeSmall(path: string): Promise<void> {
    this.write(path, smallPng(await this.page.screenshot(SCREENSHOT_OPTIONS)));
  }

  private write(path: string, png: Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, png);
    process.stdout.write(`${path}\n`);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  /**
   * Waits until the page is complete: headings, data instead of skeletons, and charts, which are measured
   * before they render.
   */
  private async waitUntilSettled(): Promise<void> {
    await this.page.getByRole('heading').first().waitFor();
    await this.page.waitForLoadState('networkidle');
    await waitUntilGone(this.page.locator('.mantine-Skeleton-root, .mantine-Loader-root'));
    await waitUntilGone(this.page.locator('figure > div:empty'));
  }
}

async function waitUntilGone(elements: Locator): Promise<void> {
  while ((await elements.count()) > 0) await elements.first().waitFor({ state: 'detached' });
}
