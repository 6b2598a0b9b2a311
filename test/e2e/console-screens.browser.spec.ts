import type { Page } from 'playwright-core';
import { insertMarkup, findMarkupProblems } from '../support/console-markup.js';
import { listScreens } from '../support/console-screens.js';
import { describeConsole, waitForHeading } from '../support/console-tests.js';

/**
 * Opens a screen by a client-side navigation, which takes half the CPU time of loading the console again. The nightly
 * test loads each screen.
 */
async function openInApp(page: Page, path: string): Promise<void> {
  await waitForHeading(page, /./);
  const url = JSON.stringify(`/console${path}`);
  await page.evaluate(`{
    document.querySelector('h1').dataset.previous = '';
    history.pushState({ idx: history.state.idx + 1 }, '', ${url});
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }`);
  // A tab's heading is its screen's heading.
  const [, tab] = /\?tab=(\w+)/.exec(path) ?? [];
  await page
    .locator(tab ? `[role=tab][aria-selected=true][id$="-tab-${tab}"]` : 'h1:not([data-previous])')
    .waitFor();
}

describeConsole('every screen of the console', { withWorker: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('renders untrusted content as text and violates no policy (CO-02, CO-03)', async () => {
    const page = await test.show('/account');
    const problems: string[] = [];
    for (const { name, path } of await listScreens(test.instance)) {
      await openInApp(page, path);
      problems.push(...(await findMarkupProblems(page, name)).map((problem) => `${name}: ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});
