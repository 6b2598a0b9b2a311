import { insertMarkup, findMarkupProblems } from '../support/console-markup.js';
import { listScreens } from '../support/console-screens.js';
import { describeConsole, waitForHeading } from '../support/console-tests.js';

describeConsole('every screen of the console', { withWorker: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('shows untrusted content as text and violates no policy (CO-02, CO-03)', async () => {
    const problems: string[] = [];
    for (const { name, path } of await listScreens(test.instance)) {
      const page = await test.show(path);
      await waitForHeading(page, /./);
      problems.push(...(await findMarkupProblems(page, name)).map((problem) => `${name}: ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});
