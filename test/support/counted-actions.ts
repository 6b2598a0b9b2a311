import type { Locator } from 'playwright-core';

/** Performs and counts an operator's actions. Waits do not count. */
export class CountedActions {
  count = 0;

  async click(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Fills a field and presses Enter, wherever the focus is then. */
  async fill(field: Locator, text: string): Promise<void> {
    this.count += 1;
    await field.fill(text);
    await field.page().keyboard.press('Enter');
  }
}
