import type { Locator, Page } from 'playwright-core';
import type { TestInstance } from './test-instance.js';

/** Actions on a console page. */
export class ConsolePage {
  constructor(
    readonly page: Page,
    private readonly instance: TestInstance,
  ) {}

  /** @param path below `/console` */
  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.instance.baseUrl}/console${path}`);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  /**
   * Closes the dialog, and waits until it has disappeared: while it is open, shortcuts do not open the command
   * palette.
   */
  async dismissDialog(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.dialog().waitFor({ state: 'detached' });
  }

  /** Returns a button in the dialog. */
  dialogButton(name: string | RegExp): Locator {
    return this.dialog().getByRole('button', { name });
  }

  async fillReason(reason: string): Promise<void> {
    await this.dialog()
      .getByLabel(/Reason/)
      .fill(reason);
  }

  /** Waits until a string is visible. */
  async waitForText(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }
}
