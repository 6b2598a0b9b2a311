import type { Locator } from 'playwright-core';

/** Performs operator actions and counts them. Waiting does not count. */
export class CountedActions {
  count = 0;

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Fills a field and presses Enter in the element that then has the focus. */
  async fill(field: Locator, text: string): Promise<void> {
    this.count += 1;
    await field.fill(text);
    await field.page().keyboard.press('Enter');
  }
}
