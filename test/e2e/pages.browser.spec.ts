import type { Page } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

const NEW_PASSWORD = 'quite another phrase';

describeBrowser('a hosted page in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  beforeAll(async () => {
    [instance, browser] = [await TestInstance.startShared({ workers: 0 }), await TestBrowser.startShared()];
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
  });
  beforeEach(() => void (browser.consoleMessages.length = 0));
  // The pages must work without their script, so JavaScript is disabled.
  const open = (path: string, options = {}): Promise<Page> =>
    browser.open(instance.baseUrl + path, { javaScriptEnabled: false, ...options });

  it('resets a password with the keyboard, in dark colors on a narrow screen', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
    const path = `/reset-password?token=${await instance.getMailToken(email, 'reset-password')}`;
    const page = await open(path, { colorScheme: 'dark', viewport: { width: 390, height: 700 } });
    await browser.screenshot(page, 'reset-password');
    const field = page.getByLabel('New password');
    expect(await field.getAttribute('autocomplete')).toBe('new-password');
    await page.keyboard.press('Tab');
    await page.keyboard.type('password123');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await browser.screenshot(page, 'reset-password-rejected');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    const submission = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button').click();
    await page.getByText('Your password has been changed').waitFor();
    const { origin, referer } = await (await submission).allHeaders();
    expect([origin, referer]).toEqual([instance.baseUrl, `${instance.baseUrl}/`]);
    await browser.screenshot(page, 'reset-password-done');
    expect((await instance.login(email, NEW_PASSWORD)).status).toBe(200);
    // The browser console may contain only the 422 for the rejected password.
    expect(browser.consoleMessages.filter((line) => !line.includes('422'))).toEqual([]);
    await page.context().close();
  });

  it('renews an expired invitation link and accepts the invitation', async () => {
    const email = uniqueEmail();
    await instance.requestWithSecretKey('POST', '/api/v1/customers', { email, sendInvite: true });
    const path = `/accept-invite?token=${await instance.getMailToken(email, 'accept-invite')}`;
    await instance.sql(`UPDATE one_time_tokens SET expires_at = now() - interval '1 s' WHERE email = $1`, [
      email,
    ]);
    await instance.sql('DELETE FROM mails WHERE recipient = $1', [email]);
    const page = await open(path);
    await page.getByText('This link has expired').waitFor();
    await page.getByRole('button', { name: 'Send a new link' }).click();
    await page.getByText('Check your inbox').waitFor();
    await page.goto(
      `${instance.baseUrl}/accept-invite?token=${await instance.getMailToken(email, 'accept-invite')}`,
    );
    await browser.screenshot(page, 'accept-invite');
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button').click();
    await page.getByText('Your account is ready').waitFor();
    expect((await instance.login(email, NEW_PASSWORD)).body.customer.emailVerified).toBe(true);
    await page.goto(`${instance.baseUrl}/accept-invite?token=${'x'.repeat(43)}`);
    await page.getByText('This link is not valid').waitFor();
    await page.context().close();
  });

  it('sends a form once if JavaScript is enabled, and disables its button', async () => {
    const email = uniqueEmail();
    await instance.register(email);
    await instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email });
    const path = `/reset-password?token=${await instance.getMailToken(email, 'reset-password')}`;
    const page = await open(path, { javaScriptEnabled: true });
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    let submissions = 0;
    await page.route('**/reset-password', async (route) => {
      submissions += 1;
      await released;
      await route.continue();
    });
    // Playwright cannot read from a page during a navigation, so the page reports the change itself.
    await page.exposeFunction('reportDisabled', release);
    await page.evaluate(`
      const button = document.querySelector('button');
      new MutationObserver(() => button.disabled && reportDisabled()).observe(button, { attributes: true });`);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button').dblclick({ noWaitAfter: true });
    await page.getByText('You can now sign in').waitFor();
    expect(submissions).toBe(1);
    expect(browser.consoleMessages).toEqual([]);
    await page.context().close();
  });
});
