import decodeQR from 'qr/decode.js';
import type { Page } from 'playwright-core';
import { expectNoSeriousViolations } from '../support/accessibility.js';
import { describeConsole, waitForHeading, readBrowserStorage, submitForm } from '../support/console-tests.js';
import { isNightly } from '../support/is-nightly.js';
import { insertOperator } from '../support/operator-client.js';
import { UNTRUSTED_HOST } from '../support/shared-browser.mjs';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

/** Reads the QR code on the page after drawing each module 4 pixels wide. */
async function readQrCode(page: Page): Promise<string> {
  const svg = page.getByRole('img', { name: /QR/ });
  const size = Number((await svg.getAttribute('viewBox'))!.split(' ')[2]) * 4;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [, x, y] of (await svg.locator('path').getAttribute('d'))!.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let i = 0; i < 16; i++) {
      const at = ((Number(y) * 4 + (i >> 2)) * size + Number(x) * 4 + (i & 3)) * 4;
      data.fill(0, at, at + 3);
    }
  }
  return decodeQR({ width: size, height: size, data });
}

describeConsole('CO-01: the console sign-in', { allowClientErrors: true }, (test) => {
  it('accepts a password, enrolls an authenticator, shows recovery codes and opens the page', async () => {
    const page = await test.show('/events?type=customer.created', null);
    await waitForHeading(page, 'Sign in');
    await expectNoSeriousViolations(page);
    const fields = await page
      .locator('input')
      .evaluateAll((all) => all.map((input: { autocomplete?: string }) => input.autocomplete));
    expect(fields).toEqual(['username', 'current-password']);
    const { email, password } = test.instance.credentials.operator;
    await submitForm(page, { username: email, password });

    await waitForHeading(page, 'Set up two-factor authentication');
    await expectNoSeriousViolations(page);
    const secret = (await page.locator('code').textContent())!.replace(/\s/g, '');
    const uri = new URL(await readQrCode(page));
    expect([uri.protocol, uri.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    await submitForm(page, { code: '000000' });
    await page.getByText('This code is incorrect').waitFor();
    await submitForm(page, { code: totpCode(secret) });

    await waitForHeading(page, 'Save your recovery codes');
    await expectNoSeriousViolations(page);
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).locator('li').allTextContents();
    expect(codes).toHaveLength(10);
    const continueButton = page.getByRole('button', { name: 'Continue' });
    expect(await continueButton.isDisabled()).toBe(true);
    await page.getByLabel('I have saved these codes').check();
    await continueButton.click();
    await waitForHeading(page, 'Events');
    expect(page.url()).toBe(`${test.instance.baseUrl}/console/events?type=customer.created`);

    await page.getByRole('button', { name: /Account menu/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await waitForHeading(page, 'Sign in');
    expect(await page.context().cookies()).toEqual([]);
    await submitForm(page, { username: email, password });
    await waitForHeading(page, 'Two-factor authentication');
    await expectNoSeriousViolations(page);
    expect(await page.locator('input').getAttribute('autocomplete')).toBe('one-time-code');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await submitForm(page, { code: codes[0]! });
    await waitForHeading(page, 'Overview');
    expect(await readBrowserStorage(page)).not.toMatch(new RegExp([secret, password, ...codes].join('|')));
  });

  it('keeps the input when the session ends, and hides the page until the operator signs in', async () => {
    const client = await insertOperator(test.instance);
    const endSession = () =>
      test.instance.sql('DELETE FROM operator_sessions WHERE operator_id = $1', [client.operator.id]);
    const page = await test.show('/organizations', client);
    await page.getByRole('button', { name: 'Create organization' }).click();
    const form = page.getByRole('dialog', { name: 'Create organization' });
    const name = `Typed ${uniqueEmail().slice(0, 8)}`;
    await form.getByLabel('Name').fill(name);
    await endSession();
    // A background request may have detected the end of the session, in which case the dialog covers the page.
    await form.getByRole('button', { name: 'Create' }).dispatchEvent('click');

    const cover = page.getByRole('dialog', { name: 'Session ended' });
    await cover.getByText('Your session has ended').waitFor();
    await expectNoSeriousViolations(page);
    const coveredPoints = await page.evaluate<boolean[]>(`[[5, 5], [0.5, 0.5], [0.95, 0.95]].map(([x, y]) => {
      const at = document.elementFromPoint(x < 1 ? x * innerWidth : x, y < 1 ? y * innerHeight : y);
      return at.closest('dialog') !== null;
    })`);
    expect(coveredPoints).toEqual([true, true, true]);
    await page.keyboard.press('Escape');
    expect(await cover.getByLabel('Email').inputValue()).toBe(client.operator.email);
    expect(await cover.getByLabel('Email').getAttribute('readonly')).not.toBeNull();
    await page.keyboard.type(test.instance.credentials.operator.password);
    await page.keyboard.press('Enter');
    await cover.getByLabel('Authenticator code').fill(totpCode(client.secret));
    await page.keyboard.press('Enter');
    await cover.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${test.instance.baseUrl}/console/organizations?create=1`);
    expect(await form.getByLabel('Name').inputValue()).toBe(name);
    await form.getByRole('button', { name: 'Create' }).click();
    await waitForHeading(page, name);

    // Another operator must not see what the first one has typed.
    const other = await insertOperator(test.instance, 'viewer');
    await endSession();
    await page.getByRole('link', { name: 'Customers' }).dispatchEvent('click');
    await cover.waitFor();
    await page.context().addCookies([other.browserCookie()]);
    await page.evaluate(
      `window.isFirstDocument = true; document.dispatchEvent(new Event('visibilitychange'))`,
    );
    await page.getByRole('button', { name: `Account menu: ${other.operator.email}` }).waitFor();
    expect(await page.evaluate('window.isFirstDocument')).toBeUndefined();
  });

  it('warns two minutes before the session ends, and extends it up to its maximum age', async () => {
    const client = await insertOperator(test.instance);
    const page = await test.show('about:blank', client);
    const warning = page.getByRole('alert').filter({ hasText: 'You will be signed out in' });
    /** Changes the session and loads the console without activity, because activity would extend the session. */
    const loadWithSession = async (change: string): Promise<void> => {
      await test.instance.sql(`UPDATE operator_sessions SET ${change} WHERE operator_id = $1`, [
        client.operator.id,
      ]);
      await page.route('**/operator/v1/**', (route) =>
        route.continue({ headers: { ...route.request().headers(), 'x-gatehouse-console': 'resting' } }),
      );
      await page.goto(`${test.instance.baseUrl}/console/account`);
      await warning.waitFor();
    };
    await loadWithSession(`last_seen_at = now() - interval '28 minutes 30 seconds'`);
    await expectNoSeriousViolations(page);
    await page.unrouteAll();
    await warning.getByRole('button', { name: 'Stay signed in' }).click();
    await warning.waitFor({ state: 'detached' });
    await loadWithSession(`ends_at = now() + interval '110 seconds'`);
    await warning.getByText('A session ends 12 hours after the sign-in').waitFor();
    expect(await warning.getByRole('button').count()).toBe(0);
    await page.unrouteAll();
  });

  it('ignores a ?to= with a different origin', async () => {
    const targets = ['//evil.example', 'javascript:alert(1)', '/\\evil.example', 'https://evil.example'];
    for (const to of isNightly ? targets : targets.slice(0, 2)) {
      const page = await test.show(`/sign-in?to=${encodeURIComponent(to)}`);
      await waitForHeading(page, 'Overview');
      expect({ to, url: page.url() }).toEqual({ to, url: `${test.instance.baseUrl}/console` });
    }
  });

  it('requires https on any other host, and shows no password field over plain http there', async () => {
    const { port } = new URL(test.instance.baseUrl);
    const page = await test.show(`http://${UNTRUSTED_HOST}:${port}/console/`, null);
    await page.getByText('HTTPS required').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    await expectNoSeriousViolations(page);
  });

  it('accepts an invitation and removes its token from the URL immediately', async () => {
    const invited = await test.admin.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    const page = await test.show(invited.body.invitationUrl as string, null);
    await waitForHeading(page, 'Welcome to Gatehouse');
    expect(page.url()).toBe(`${test.instance.baseUrl}/console/invitation`);
    await expectNoSeriousViolations(page);
    expect(await page.locator('input[name=new-password]').getAttribute('autocomplete')).toBe('new-password');
    await submitForm(page, { name: 'Ada', 'new-password': 'short' });
    await page.getByText('Use at least 12 characters').waitFor();
    await submitForm(page, { 'new-password': 'an unusual long phrase' });
    await waitForHeading(page, 'Set up two-factor authentication');
    await page.goto(`${invited.body.invitationUrl as string}`);
    await submitForm(page, { 'new-password': 'an unusual long phrase' });
    await page.getByText('This link is invalid').waitFor();
  });
});
