import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';

describeBrowser('the reference in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.start({ workers: 0 });
    browser = await TestBrowser.startShared();
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });
  afterEach(() => expect(browser.consoleMessages.splice(0)).toEqual([]));

  /**
   * Scrolls until the reference has rendered `count` operations. The reference renders only the visible part of a long
   * list.
   */
  const findOperations = async (page: Page, count: number): Promise<Set<string>> => {
    const ids = new Set<string>();
    while (ids.size < count) {
      for (const id of await page
        .locator('.opblock')
        .evaluateAll((blocks) => blocks.map((block: { id?: string }) => block.id!)))
        ids.add(id);
      await page.evaluate(`new Promise((resolve) => {
        const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
        scrollTo(0, isAtEnd ? 0 : scrollY + innerHeight / 2);
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      })`);
    }
    await page.evaluate('scrollTo(0, 0)');
    return ids;
  };

  it('shows every operation of the public API, even on a narrow screen', async () => {
    const { paths } = (await instance.request('GET', '/openapi.json')).body;
    const count = Object.values(paths as Record<string, object>).flatMap((item) => Object.keys(item)).length;
    const page = await browser.open(`${instance.baseUrl}/docs`, { viewport: { width: 390, height: 800 } });
    await page.locator('.opblock').first().waitFor();
    expect((await findOperations(page, count)).size).toBe(count);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().close();
  });

  const fits = 'document.documentElement.scrollWidth <= innerWidth';
  const backgroundColor = 'getComputedStyle(document.body).backgroundColor';
  const displays = [
    { colorScheme: 'light', background: 'rgb(245, 246, 248)', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', background: 'rgb(20, 22, 26)', viewport: { width: 390, height: 800 } },
  ] as const;

  it('fits the screen, follows the color scheme, and sends a key without storing it (CO-05)', async () => {
    // All checks share one page, because rendering all operations takes most of the time.
    const page = await browser.open('about:blank');
    const display = async ({ colorScheme, viewport }: (typeof displays)[number]): Promise<void> => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
    };
    const [light, dark] = displays;
    await display(dark);
    await page.goto(`${instance.baseUrl}/docs`);
    const operations = page.locator('.opblock');
    await operations.first().waitFor();
    for (const each of [dark, light]) {
      await display(each);
      await page.locator(each === dark ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      expect(await page.evaluate(fits)).toBe(true);
    }

    await page.locator('.btn.authorize').click();
    await page.locator('.modal-ux input').first().fill(instance.credentials.secretKey);
    await page.locator('.modal-ux .btn.authorize').first().click();
    await page.locator('.modal-ux .btn-done').first().click();
    await page.locator('.operation-filter-input').fill('Organizations');
    const operation = operations.filter({ hasText: 'List organizations' });
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-table').first().waitFor();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status');
    await status.waitFor();
    expect(await status.textContent()).toContain('200');

    // Another page of the same origin shares the storage, but not the memory.
    await page.goto(`${instance.baseUrl}/docs/errors`);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('sk_');
    for (const each of displays) {
      await display(each);
      expect([await page.evaluate(backgroundColor), await page.evaluate(fits)]).toEqual([
        each.background,
        true,
      ]);
    }
    await page.getByRole('navigation').getByRole('link', { name: 'weak_password' }).click();
    await page.waitForURL(/#weak_password$/);
    expect(
      [...browser.requestedHosts].filter((host) => host && host !== new URL(instance.baseUrl).host),
    ).toEqual([]);
    await page.context().close();
  });
});
