import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { insertMarkup, markupFaults } from '../support/console-markup.js';
import { openScreen, screens } from '../support/console-screens.js';
import { hastily } from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { insertOperator } from '../support/operator.js';

/** What of the navigation reaches over its edge, where it stands beside the page. */
const OVER_THE_EDGE = `[...document.querySelectorAll('aside *')]
  .filter((each) => each.getBoundingClientRect().right > each.closest('aside').getBoundingClientRect().right)
  .map(({ textContent }) => 'over the edge: ' + textContent)`;

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

  /** Whether a page itself can be scrolled sideways at the width of a phone. */
  const isTooWide = async (look: Page): Promise<boolean> => {
    const size = look.viewportSize()!;
    await look.setViewportSize({ width: 390, height: 844 });
    const fits = () => look.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
    const isFitting = await eventually('a page that fits', fits).catch(() => false);
    await look.setViewportSize(size);
    return !isFitting;
  };

  /** Shows it as those see it who prefer the dark, with no colour still on its way. */
  const darken = async (look: Page): Promise<void> => {
    await look.emulateMedia({ colorScheme: 'dark' });
    await look.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await look.evaluate(
      `Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))`,
    );
  };

  it('is accessible, light and dark, and fits 390 px', async () => {
    const look = await openScreen(browser, instance, await insertOperator(instance), '/');
    const faults: string[] = [];
    for (const { name, path } of await screens(instance)) {
      await look.emulateMedia({ colorScheme: 'light' });
      await look.goto(`${instance.baseUrl}/console${path}`);
      await look.getByRole('heading', { level: 1 }).waitFor();
      await look.waitForLoadState('networkidle');
      const found = await markupFaults(look, name);
      found.push(...(await seriousViolations(look)));
      found.push(...(await look.evaluate<string[]>(OVER_THE_EDGE)));
      if (await isTooWide(look)) found.push('scrolls sideways at 390 px');
      // The same page with other colours: nothing else of it can differ.
      await darken(look);
      const dark = await seriousViolations(look, ['color-contrast']);
      faults.push(
        ...[...found, ...dark.map((fault) => `dark: ${fault}`)].map((fault) => `${name}: ${fault}`),
      );
    }
    expect(faults).toEqual([]);
    expect(browser.complaints).toEqual([]);
    // Some thirty screens: on a slow machine each takes a few seconds.
  }, 600_000);
});
