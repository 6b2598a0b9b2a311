import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { insertMarkup, findMarkupProblems } from '../support/console-markup.js';
import { listScreens } from '../support/console-screens.js';
import { describeConsole, waitForHeading } from '../support/console-tests.js';
import { eventually } from '../support/eventually.js';

/** What of the navigation reaches over its edge, where it stands beside the page. */
const OVER_THE_EDGE = `[...document.querySelectorAll('aside *')]
  .filter((each) => each.getBoundingClientRect().right > each.closest('aside').getBoundingClientRect().right)
  .map(({ textContent }) => 'over the edge: ' + textContent)`;

/** Whether a page itself can be scrolled sideways at the width of a phone. */
async function isTooWide(page: Page): Promise<boolean> {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
  const isFitting = await eventually('a page that fits', fits).catch(() => false);
  await page.setViewportSize(size);
  return !isFitting;
}

/** Shows a page in dark colors, once no color is changing any more. */
async function darken(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))`,
  );
}

describeConsole('every screen of the console', { withWorker: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('is accessible, light and dark, and fits 390 px', async () => {
    const page = await test.open('/');
    const faults: string[] = [];
    for (const { name, path } of await listScreens(test.instance)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${test.instance.baseUrl}/console${path}`);
      await waitForHeading(page, /./);
      await page.waitForLoadState('networkidle');
      const found = await findMarkupProblems(page, name);
      found.push(...(await seriousViolations(page)));
      found.push(...(await page.evaluate<string[]>(OVER_THE_EDGE)));
      if (await isTooWide(page)) found.push('scrolls sideways at 390 px');
      // The same page with other colors: nothing else of it can differ.
      await darken(page);
      const dark = await seriousViolations(page, ['color-contrast']);
      found.push(...dark.map((fault) => `dark: ${fault}`));
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
    // Some thirty screens: on a slow machine each takes a few seconds.
  }, 600_000);
});
