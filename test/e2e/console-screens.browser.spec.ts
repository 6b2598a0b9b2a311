import { describeBrowser, TestBrowser } from '../support/browser.js';
import { insertMarkup, markupFaults } from '../support/console-markup.js';
import { openScreen, screens } from '../support/console-screens.js';
import { hastily } from '../support/dead-letters.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator } from '../support/operator.js';

describeBrowser('every screen of the console', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    instance = await TestInstance.shared({ workerEnv: { ...hastily } });
    browser = await TestBrowser.launch();
    await insertMarkup(instance);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });

  it('leaves what strangers wrote text, and violates no policy (CO-02, CO-03)', async () => {
    const page = await openScreen(browser, instance, await insertOperator(instance), '/');
    const faults: string[] = [];
    for (const { name, path } of await screens(instance)) {
      await page.goto(`${instance.baseUrl}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      faults.push(...(await markupFaults(page, name)).map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });
});
