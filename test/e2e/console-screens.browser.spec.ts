import { insertMarkup, findMarkupProblems } from '../support/console-markup.js';
import { listScreens } from '../support/console-screens.js';
import { describeConsole, waitForHeading } from '../support/console-tests.js';

describeConsole('every screen of the console', { withWorker: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('shows what strangers wrote as text, and violates no policy (CO-02, CO-03)', async () => {
    const page = await test.open('/');
    const faults: string[] = [];
    for (const { name, path } of await listScreens(test.instance)) {
      await page.goto(`${test.instance.baseUrl}/console${path}`);
      await waitForHeading(page, /./);
      faults.push(...(await findMarkupProblems(page, name)).map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
