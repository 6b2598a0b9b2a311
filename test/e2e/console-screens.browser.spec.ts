import { insertMarkup, markupFaults } from '../support/console-markup.js';
import { screens } from '../support/console-screens.js';
import { describeConsole, shows } from '../support/console-tests.js';

describeConsole('every screen of the console', { isDelivering: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('shows what strangers wrote as text, and violates no policy (CO-02, CO-03)', async () => {
    const page = await test.open('/');
    const faults: string[] = [];
    for (const { name, path } of await screens(test.instance)) {
      await page.goto(`${test.instance.baseUrl}/console${path}`);
      await shows(page, /./);
      faults.push(...(await markupFaults(page, name)).map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
