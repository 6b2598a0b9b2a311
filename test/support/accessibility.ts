import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.js';
import { isNightly } from './is-nightly.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: unknown; failureSummary?: string }[];
}

/**
 * Returns the violations that axe-core finds on a page, each with its rule, element and reason.
 * @param options `rules` and `impacts` limit the check to axe-core rules and impacts, and `context` is an expression
 * for the element to check. Default: all rules and impacts, and the document
 */
export async function findViolations(
  page: Page,
  { rules, impacts, context = 'document' }: { rules?: string[]; impacts?: string[]; context?: string } = {},
): Promise<string[]> {
  if (await page.evaluate<boolean>('!window.axe')) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${context}, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})`,
  );
  return violations
    .filter(({ impact }) => !impacts || impacts.includes(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary}`),
    );
}

/** The topmost open dialog, or the document. The page behind a dialog is inert, so only the dialog is checked. */
const TOP_DIALOG = `[...document.querySelectorAll('[aria-modal="true"]')].at(-1) ?? document`;

/**
 * Returns the serious and critical violations in the topmost dialog, or on the page if no dialog is open.
 * @param rules axe-core rules. Default: all
 */
export const seriousViolations = (page: Page, rules?: string[]): Promise<string[]> =>
  findViolations(page, {
    ...(rules && { rules }),
    impacts: ['serious', 'critical'],
    context: TOP_DIALOG,
  });

/** Throws in nightly tests if the topmost dialog, or the page, has serious or critical violations. */
export async function expectNoSeriousViolations(page: Page): Promise<void> {
  if (isNightly) expect(await seriousViolations(page)).toEqual([]);
}

/**
 * Throws if axe-core finds a violation, or if the page is wider than the screen. Checks the dark theme on a narrow
 * screen. In nightly tests, also checks the light theme's contrast on the wide screen. Takes a screenshot of each.
 * @param step a description of the page
 * @param width the wide screen's width in pixels. The page has this width afterward
 */
export async function expectAccessible(
  browser: TestBrowser,
  page: Page,
  step: string,
  { width, height }: { width: number; height: number },
): Promise<void> {
  // Only the contrast depends on the theme.
  const themes = [
    ['dark', 320, undefined],
    ['light', width, ['color-contrast']],
  ] as const;
  for (const [colorScheme, screenWidth, rules] of isNightly ? themes : [themes[0]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: screenWidth, height });
    const violations = await findViolations(page, rules && { rules: [...rules] });
    expect([step, colorScheme, violations]).toEqual([step, colorScheme, []]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screenWidth);
    await browser.screenshot(page, `${step}-${colorScheme}`);
  }
  await page.setViewportSize({ width, height });
}
