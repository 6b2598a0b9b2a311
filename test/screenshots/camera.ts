import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { TestBrowser } from '../support/browser.js';
import type { OperatorClient } from '../support/operator-client.js';
import { smallPng } from './small-png.js';

const SCREENSHOT_OPTIONS = { animations: 'disabled', caret: 'hide' } as const;

const viewports = {
  1440: { width: 1440, height: 900 },
  1280: { width: 1280, height: 900 },
  390: { width: 390, height: 844 },
};

/** A screenshot's width and color scheme. */
export interface Variant {
  width: keyof typeof viewports;
  colorScheme: 'light' | 'dark';
}

/** The variants in which screenshots are taken: each width, light and dark. */
export const variants: Variant[] = ([1440, 1280, 390] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** Takes screenshots of one instance's console in one variant. */
export class Camera {
  private constructor(
    readonly page: Page,
    readonly variant: Variant,
    private readonly console: string,
    private readonly folder: string,
  ) {}

  /** @param operator the signed-in operator. Default: none */
  static async open(
    browser: TestBrowser,
    variant: Variant,
    { baseUrl, folder, operator }: { baseUrl: string; folder: string; operator?: OperatorClient },
  ): Promise<Camera> {
    const cookies = operator ? [operator.browserCookie()] : [];
    const page = await browser.open('about:blank', {
      viewport: viewports[variant.width],
      colorScheme: variant.colorScheme,
      reducedMotion: 'reduce',
      storageState: { cookies, origins: [] },
    });
    return new Camera(page, variant, `${baseUrl}/console`, folder);
  }

  /** The variant as part of a file name, such as `1280-light`. */
  get suffix(): string {
    return `${this.variant.width}-${this.variant.colorScheme}`;
  }

  /** @param path below `/console` */
  async go(path: string): Promise<void> {
    // The browser does not reload the page for a URL that differs only in its fragment.
    await this.page.goto('about:blank');
    await this.page.goto(this.console + path);
    await this.waitUntilSettled();
  }

  /**
   * @param name the screenshot's name, without its variant
   * @param fullPage true to include the part of the page below the viewport
   */
  async take(name: string, fullPage = false): Promise<void> {
    await this.waitUntilSettled();
    const viewport = viewports[this.variant.width];
    // A viewport as tall as the page, so that rows far down are rendered and the sidebar spans the whole height.
    if (fullPage) {
      const height = await this.page.evaluate<number>('document.documentElement.scrollHeight');
      await this.page.setViewportSize({ ...viewport, height: Math.max(viewport.height, height) });
    }
    const png = await this.page.screenshot({ ...SCREENSHOT_OPTIONS, fullPage });
    if (fullPage) await this.page.setViewportSize(viewport);
    this.write(`${this.folder}/${name}-${this.suffix}.png`, png);
  }

  /** Takes a viewport screenshot for a document, with a reduced palette. @param path the file path */
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
   * Waits until the page is complete: headings, data instead of skeletons, and charts, which are measured before they
   * render.
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
