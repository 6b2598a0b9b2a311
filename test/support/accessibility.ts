import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: unknown; failureSummary?: string }[];
}

/**
 * Returns the violations that axe-core finds on a page, with rule, element and reason.
 * @param options axe-core `rules`, default: all; `impacts` that count, default: all; `context`: an expression for the
 * element to check, default: the document
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

/** The open dialog on top. The page behind it is inert, and checked without the dialog. */
const TOP_DIALOG = `[...document.querySelectorAll('[aria-modal="true"]')].at(-1) ?? document`;

/**
 * Returns the serious and critical violations in an open dialog, or else on the page. @param rules axe-core rules;
 * default: all
 */
export const seriousViolations = (page: Page, rules?: string[]): Promise<string[]> =>
  findViolations(page, {
    ...(rules && { rules }),
    impacts: ['serious', 'critical'],
    context: TOP_DIALOG,
  });

/**
 * Throws if axe-core finds a violation in the light theme, or in the dark one on a narrow screen, or the page is
 * wider than the screen. Takes a screenshot in both cases.
 * @param step the page's content
 * @param width the wider screen's width, in pixels, which remains afterwards
 */
export async function expectAccessible(
  browser: TestBrowser,
  page: Page,
  step: string,
  { width, height }: { width: number; height: number },
): Promise<void> {
  // Only the contrast depends on the theme.
  for (const [colorScheme, screenWidth, rules] of [
    ['dark', 320, undefined],
    ['light', width, ['color-contrast']],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: screenWidth, height });
    const violations = await findViolations(page, rules && { rules: [...rules] });
    expect([step, colorScheme, violations]).toEqual([step, colorScheme, []]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screenWidth);
    await browser.screenshot(page, `${step}-${colorScheme}`);
  }
}
