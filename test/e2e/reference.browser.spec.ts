import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

describeBrowser('the reference in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => (browser = await TestBrowser.launch()));
  afterAll(async () => browser?.close());
  beforeEach(() => void (browser.complaints.length = 0));

  const looks = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
  ] as const;

  it.each(looks)(
    'shows every operation that a key opens, asks nobody else and complains of nothing: %s',
    async (name, options) => {
      const { paths } = (await instance.request('GET', '/openapi.json')).body;
      const count = Object.entries(paths as Record<string, object>)
        .filter(([path]) => !path.startsWith('/operator/'))
        .flatMap(([, item]) => Object.keys(item)).length;
      const page = await browser.open('about:blank', options);
      const foreign: string[] = [];
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && !request.url().startsWith(instance.baseUrl))
          foreign.push(request.url());
      });
      await page.goto(`${instance.baseUrl}/docs`);
      await page
        .locator('.opblock')
        .nth(count - 1)
        .waitFor();
      expect(await page.locator('.opblock').count()).toBe(count);
      expect(await page.locator('html.dark-mode').count()).toBe(name === 'dark' ? 1 : 0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await browser.shoot(page, `reference-${name}`);
      await page.locator('#operations-Authentication-authRegister .opblock-summary-control').click();
      await page.locator('#operations-Authentication-authRegister .responses-table').first().waitFor();
      await page.locator('#operations-Authentication-authRegister').scrollIntoViewIfNeeded();
      await browser.shoot(page, `reference-${name}-operation`);
      await page.goto(`${instance.baseUrl}/docs/errors#weak_password`);
      await browser.shoot(page, `reference-${name}-errors`);
      expect(foreign).toEqual([]);
      expect(browser.complaints).toEqual([]);
      await page.context().close();
    },
  );

  it('can be tried with a key, which is forgotten with the page', async () => {
    const page = await browser.open(`${instance.baseUrl}/docs`);
    await page.locator('.btn.authorize').click();
    await page.locator('.modal-ux input').first().fill(instance.credentials.secretKey);
    await page.locator('.modal-ux .btn.authorize').first().click();
    await page.locator('.modal-ux .btn-done').first().click();
    const operation = page.locator('#operations-Organizations-organizationsList');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const status = operation.locator('.live-responses-table .response .response-col_status');
    await status.waitFor();
    expect(await status.textContent()).toContain('200');
    await browser.shoot(page, 'reference-tried');
    await page.reload();
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('sk_');
    expect(browser.complaints).toEqual([]);
  });
});

describeBrowser('the error codes in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => (browser = await TestBrowser.launch()));
  afterAll(async () => browser?.close());
  beforeEach(() => void (browser.complaints.length = 0));

  it.each([
    ['light', 1280],
    ['light', 320],
  ] as const)('the type of a problem leads to its section (%s, %d px)', async (colorScheme, width) => {
    const { type } = (await instance.request('GET', '/api/v1/me')).body;
    const page = await browser.open(type, {
      colorScheme,
      viewport: { width, height: 800 },
      javaScriptEnabled: false,
    });
    await browser.shoot(page, `error-docs-section-${colorScheme}-${width}`);
    const box = (await page.locator('section:target').boundingBox())!;
    expect(await page.locator('section:target code').textContent()).toBe('invalid_access_token');
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(800);
    expect(browser.complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['light', 1280, 'rgb(245, 246, 248)'],
    ['dark', 320, 'rgb(20, 22, 26)'],
  ] as const)(
    'is styled, and no wider than the window (%s, %d px)',
    async (colorScheme, width, background) => {
      const page = await browser.open(`${instance.baseUrl}/docs/errors`, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await browser.shoot(page, `error-docs-${colorScheme}-${width}`);
      const shown = await page.evaluate(`({
        background: getComputedStyle(document.body).backgroundColor,
        width: document.documentElement.scrollWidth,
      })`);
      expect(shown).toEqual({ background, width });
      await page.getByRole('navigation').getByRole('link', { name: 'weak_password' }).click();
      await page.waitForURL(/#weak_password$/);
      expect(browser.complaints).toEqual([]);
      await page.context().close();
    },
  );
});
