import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';

describeBrowser('the reference in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.startShared({ workers: 0 });
    browser = await TestBrowser.startShared();
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });
  afterEach(() => expect(browser.consoleMessages.splice(0)).toEqual([]));

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

  it('shows the section of an error at its problem type URL, even without JavaScript', async () => {
    const { type } = (await instance.request('GET', '/api/v1/me')).body;
    const viewport = { width: 320, height: 800 };
    const page = await browser.open(type, { viewport, javaScriptEnabled: false });
    const box = (await page.locator('section:target').boundingBox())!;
    expect(await page.locator('section:target code').textContent()).toBe('invalid_access_token');
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(800);
    await page.context().close();
  });
});
