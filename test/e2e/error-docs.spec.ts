import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.shared({ workers: 0 })));
afterAll(async () => instance?.stop());

it('HD-01: the page of the error codes is sent with a policy of its own', async () => {
  const { status, headers } = await instance.request('GET', '/docs/errors');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
  );
});

describeBrowser('in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => (browser = await TestBrowser.launch()));
  afterAll(async () => browser?.close());
  beforeEach(() => void (browser.complaints.length = 0));

  it.each([
    ['light', 1280],
    ['dark', 1280],
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
    ['dark', 1280, 'rgb(20, 22, 26)'],
    ['light', 320, 'rgb(245, 246, 248)'],
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
