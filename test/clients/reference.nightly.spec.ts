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

  /**
   * Scrolls through the reference until it has rendered `count` operations. It renders only the visible part of a long
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

  it('shows every operation for API keys, even on a narrow screen', async () => {
    const { paths } = (await instance.request('GET', '/openapi.json')).body;
    const count = Object.values(paths as Record<string, object>).flatMap((item) => Object.keys(item)).length;
    const page = await browser.open(`${instance.baseUrl}/docs`, { viewport: { width: 390, height: 800 } });
    await page.locator('.opblock').first().waitFor();
    expect((await findOperations(page, count)).size).toBe(count);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.context().close();
  });
});
