import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { insertMarkup, findMarkupProblems } from '../support/console-markup.js';
import { listScreens } from '../support/console-screens.js';
import { describeConsole, waitForHeading } from '../support/console-tests.js';
import { eventually } from '../support/eventually.js';

/** A script that lists navigation elements that extend beyond the sidebar. */
const LIST_OVERFLOWING_ELEMENTS = `[...document.querySelectorAll('aside *')]
  .filter((each) => each.getBoundingClientRect().right > each.closest('aside').getBoundingClientRect().right)
  .map(({ textContent }) => 'overflows the navigation: ' + textContent)`;

/** Returns true if the page itself scrolls horizontally at phone width. */
async function isTooWide(page: Page): Promise<boolean> {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
  const doesFit = await eventually('a page that fits', fits).catch(() => false);
  await page.setViewportSize(size);
  return !doesFit;
}

/** Switches a page to dark colors, and waits until all color transitions have finished. */
async function switchToDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))`,
  );
}

describeConsole('every screen of the console', { withWorker: true }, (test) => {
  beforeAll(() => insertMarkup(test.instance));

  it('passes accessibility checks in light and dark mode and fits 390 px', async () => {
    const page = await test.open('/');
    const problems: string[] = [];
    for (const { name, path } of await listScreens(test.instance)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${test.instance.baseUrl}/console${path}`);
      await waitForHeading(page, /./);
      await page.waitForLoadState('networkidle');
      const found = await findMarkupProblems(page, name);
      found.push(...(await seriousViolations(page)));
      found.push(...(await page.evaluate<string[]>(LIST_OVERFLOWING_ELEMENTS)));
      if (await isTooWide(page)) found.push('scrolls horizontally at 390 px');
      // Dark mode changes only colors, so only the contrast is checked.
      await switchToDark(page);
      const dark = await seriousViolations(page, ['color-contrast']);
      found.push(...dark.map((problem) => `dark: ${problem}`));
      problems.push(...found.map((problem) => `${name}: ${problem}`));
    }
    expect(problems).toEqual([]);
    // There are about thirty screens, each of which takes a few seconds on a slow machine.
  }, 600_000);
});
