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
