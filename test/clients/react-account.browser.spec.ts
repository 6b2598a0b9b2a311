import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from '../support/accessibility.js';
import { describeBrowser, type TestBrowser } from '../support/browser.js';
import { backdateProofs, resetTotpSteps } from '../support/customer-factors.js';
import { NEW_PASSWORD } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import type { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { insertSessions } from '../support/insert-sessions.js';
import { ReactFixture } from '../support/react-fixture.js';
import type { ReactPage } from '../support/react-page.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

describeBrowser('the account UI of @gatehouse/react', () => {
  let fixture: ReactFixture;
  let instance: TestInstance;
  let browser: TestBrowser;
  let provider: OpenIdProvider;
  let site: ReactPage;
  let page: Page;

  beforeAll(async () => {
    fixture = await ReactFixture.start(
      {
        '/': { signedIn: 'AccountSettings' },
        '/menu': { signedIn: 'CustomerButton', props: { align: 'start' } },
        '/konto': { signedIn: 'AccountSettings', localization: 'de' },
      },
      { mfa: 'optional', signIn: { password: true, emailCode: true, passkey: true } },
    );
    ({ instance, browser, provider, site } = fixture);
  });
  afterAll(async () => fixture?.stop());
  beforeEach(async () => (page = await fixture.openPage()));
  afterEach(async () => {
    fixture.expectNoProblems();
    await fixture.resetPage();
  });

  /** Opens a page as a new customer with the password PASSWORD. */
  async function signUp(path = '/'): Promise<{ id: string; email: string }> {
    const email = uniqueEmail();
    await page.goto(site.origin + path);
    const fields = JSON.stringify({ email, password: PASSWORD });
    const { customer } = await page.evaluate<any>(`client.signUp(${fields})`);
    await page.getByText(`Signed in as ${email}`).waitFor();
    return { id: customer.id as string, email };
  }

  const section = (name: string): Locator => page.getByRole('region', { name });
  const row = (name: string, text: string): Locator =>
    section(name).getByRole('listitem').filter({ hasText: text });
  const dialog = (name: string): Locator => page.getByRole('dialog', { name, exact: true });
  const click = (scope: Locator, name: string): Promise<void> =>
    scope.getByRole('button', { name, exact: true }).click();
  const fill = (scope: Locator, label: string, value: string): Promise<void> =>
    scope.getByLabel(label, { exact: true }).fill(value);
  const waitForText = (text: string): Promise<void> =>
    page.locator('[role=alert], [role=status]').filter({ hasText: text }).first().waitFor();
  const focused = (): Promise<string> =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

  const checkStep = (step: string): Promise<void> =>
    expectAccessible(browser, page, `account-${step}`, { width: 1000, height: 2000 });

  it('changes the name and email address, and sets a password, which ends the other sessions', async () => {
    const { id, email } = await signUp();
    const newEmail = uniqueEmail();
    const [otherSession] = await insertSessions(instance, id, 1);
    await page.reload();
    const profile = section('Profile');
    await fill(profile, 'First name', 'Grace');
    await fill(profile, 'Last name', 'Hopper');
    await click(profile, 'Save');
    await waitForText('Saved');
    expect(await page.evaluate('client.customer.get()')).toMatchObject({
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    await row('Sessions', 'Unknown device').waitFor();
    await checkStep('settings');

    await row('Profile', email).getByText('Not verified').waitFor();
    await click(profile, 'Change email address');
    const change = dialog('Change email address');
    await fill(change, 'New email address', email);
    await click(change, 'Continue');
    await change.getByText('This is your current email address.').waitFor();
    await fill(change, 'New email address', newEmail);
    await click(change, 'Continue');
    const confirmDialog = dialog('Confirm that it is you');
    await fill(confirmDialog, 'Password', 'a wrong password');
    await click(confirmDialog, 'Continue');
    await confirmDialog.getByText('The password is not correct.').waitFor();
    await checkStep('proof');
    await fill(confirmDialog, 'Password', PASSWORD);
    await click(confirmDialog, 'Continue');
    await waitForText(`Open the links that we have sent to ${newEmail}`);
    expect(await instance.listMailKinds(newEmail)).toEqual(['change-email-new']);

    await click(section('Password'), 'Set a new password');
    const password = dialog('Set a new password');
    await fill(password, 'New password', NEW_PASSWORD);
    await click(password, 'Save');
    await click(confirmDialog, 'Cancel');
    await waitForText('Confirm that it is you, then try again.');
    expect(await password.getByLabel('New password', { exact: true }).inputValue()).toBe(NEW_PASSWORD);
    await click(password, 'Save');
    await fill(confirmDialog, 'Password', PASSWORD);
    await page.keyboard.press('Enter');
    await waitForText('The new password is set.');
    expect(await focused()).toBe('Set a new password');
    await row('Sessions', 'Unknown device').waitFor({ state: 'detached' });
    expect(
      await instance.sql('SELECT revoked_at IS NULL AS active FROM sessions WHERE id = $1', [otherSession]),
    ).toEqual([{ active: false }]);
  });

  it('adds and removes an authenticator with recovery codes, after reauthentication', async () => {
    const customer = await signUp();
    await backdateProofs(instance, customer);
    const factors = section('Two-step verification');
    await factors.getByText('No authenticator app yet').waitFor();
    await click(factors, 'Add an authenticator app');
    const confirmDialog = dialog('Confirm that it is you');
    await fill(confirmDialog, 'Password', PASSWORD);
    await click(confirmDialog, 'Continue');
    const add = dialog('Add an authenticator app');
    await add.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const secret = (await add.locator('code').innerText()).replaceAll(' ', '');
    await checkStep('authenticator');
    await fill(add, 'Authenticator code', '000000');
    await click(add, 'Confirm');
    await waitForText('The code is not correct or has expired.');
    await fill(add, 'Authenticator code', totpCode(secret));
    await click(add, 'Confirm');
    const saved = dialog('Save your recovery codes');
    await saved.waitFor();
    const codes = await saved.locator('li code').allInnerTexts();
    expect(codes).toHaveLength(10);
    const downloading = page.waitForEvent('download');
    await saved.getByRole('link', { name: 'Download codes' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('recovery-codes.txt');
    await checkStep('recovery-codes');
    await page.keyboard.press('Escape');
    await click(saved, 'I have saved the codes');
    await row('Two-step verification', '10 left').waitFor();

    await backdateProofs(instance, customer);
    await resetTotpSteps(instance, customer);
    await click(factors, 'Create new codes');
    await click(dialog('Create new codes'), 'Create new codes');
    await fill(confirmDialog, 'Authenticator code', '000000');
    await click(confirmDialog, 'Continue');
    await confirmDialog.getByText('The code is not correct or has expired.').waitFor();
    await checkStep('proof-code');
    await click(confirmDialog, 'Use a recovery code');
    await fill(confirmDialog, 'Recovery code', codes[0]!);
    await click(confirmDialog, 'Continue');
    await saved.waitFor();
    expect(await saved.locator('li code').allInnerTexts()).not.toContain(codes[0]);
    await click(saved, 'I have saved the codes');

    await backdateProofs(instance, customer);
    await click(factors, 'Remove: Authenticator app');
    await click(dialog('Remove Authenticator app?'), 'Remove');
    await fill(confirmDialog, 'Authenticator code', totpCode(secret));
    await click(confirmDialog, 'Continue');
    await factors.getByText('No authenticator app yet').waitFor();
    expect(await focused()).toContain('Two-step verification');
  });

  it('adds, renames and removes a passkey', async () => {
    await addVirtualAuthenticator(page);
    await signUp();
    const passkeys = section('Passkeys');
    await click(passkeys, 'Add a passkey');
    await click(dialog('Save your recovery codes'), 'I have saved the codes');
    await passkeys.getByRole('button', { name: /^Rename/ }).click();
    const rename = dialog('Rename');
    await fill(rename, 'Name', 'Laptop');
    await click(rename, 'Save');
    // The proof of identity from the sign-up does not include the passkey, so the customer has to verify it.
    await click(dialog('Confirm that it is you'), 'Use a passkey');
    await row('Passkeys', 'Laptop').waitFor();
    expect(await focused()).toBe('Rename: Laptop');
    await checkStep('passkeys');
    await click(passkeys, 'Remove: Laptop');
    await click(dialog('Remove Laptop?'), 'Remove');
    await passkeys.getByText('No passkeys yet').waitFor();
    // The virtual authenticator ends with its page.
    await page.close();
  });

  it('links and unlinks an account with a provider', async () => {
    await signUp();
    const identities = section('Connected accounts');
    await click(identities, 'Connect Work');
    await waitForText('The account is connected.');
    await row('Connected accounts', `Work (${provider.user.email})`).waitFor();
    await click(identities, 'Disconnect: Work');
    await click(dialog('Disconnect Work?'), 'Disconnect');
    await identities.getByRole('button', { name: 'Connect Work' }).waitFor();

    provider.isDenied = true;
    await click(identities, 'Connect Work');
    await waitForText('Sign-in with the provider was canceled.');
    provider.isDenied = false;
  });

  it('lists sessions page by page, and ends one session or all others', async () => {
    const { id } = await signUp();
    await insertSessions(instance, id, 7);
    await page.reload();
    const sessions = section('Sessions');
    const rows = sessions.getByRole('listitem');
    await rows.nth(4).waitFor();
    expect(await rows.count()).toBe(5);
    await click(sessions, 'Show more');
    await rows.nth(7).waitFor();
    expect(await rows.filter({ hasText: 'This device' }).count()).toBe(1);
    await checkStep('sessions');
    await sessions.getByRole('button', { name: 'Sign out: Unknown device' }).first().click();
    await click(dialog('Sign out on Unknown device?'), 'Sign out');
    await rows.nth(7).waitFor({ state: 'detached' });
    await click(sessions, 'Sign out on all other devices');
    await click(dialog('Sign out on all other devices'), 'Sign out');
    await rows.nth(1).waitFor({ state: 'detached' });
    const active = `SELECT count(*)::int AS count FROM sessions WHERE customer_id = $1 AND revoked_at IS NULL`;
    expect(await instance.sql(active, [id])).toEqual([{ count: 1 }]);
  });

  it('deletes the account after the address and password are entered, on a page in German', async () => {
    const { id, email } = await signUp('/konto');
    await section('Sitzungen').getByText('Dieses Gerät').waitFor();
    await checkStep('german');
    await click(section('Konto löschen'), 'Konto löschen');
    const confirm = dialog('Konto löschen');
    const label = `Geben Sie zur Bestätigung ${email} ein`;
    await fill(confirm, label, 'nein');
    await click(confirm, 'Konto löschen');
    await confirm.getByText('Prüfen Sie dieses Feld.').waitFor();
    await checkStep('delete');
    await fill(confirm, label, email.toUpperCase());
    await click(confirm, 'Konto löschen');
    const confirmDialog = dialog('Bestätigen Sie, dass Sie es sind');
    await fill(confirmDialog, 'Passwort', PASSWORD);
    await click(confirmDialog, 'Weiter');
    await page.getByText('Signed in as').waitFor({ state: 'detached' });
    expect(await instance.sql('SELECT id FROM customers WHERE id = $1', [id])).toEqual([]);
  });

  it('opens a menu that supports the keyboard, and shows the settings in a dialog', async () => {
    const { email } = await signUp('/menu');
    const button = page.getByRole('button', { name: 'Account menu' });
    await button.waitFor();
    const initials = (): Promise<string | null> => button.locator('span').getAttribute('data-initials');
    expect(await initials()).toBe(email[0]!.toUpperCase());
    await button.press('ArrowUp');
    expect(await focused()).toBe('Sign out');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Account settings');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Sign out');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await checkStep('menu');
    await page.keyboard.press('Escape');
    expect([await focused(), await button.getAttribute('aria-expanded')]).toEqual(['Account menu', 'false']);
    await button.click();
    await page.getByRole('heading', { name: 'Shop' }).click();
    expect(await page.getByRole('menu').count()).toBe(0);

    await button.press('Enter');
    await page.keyboard.press('Enter');
    const settings = dialog('Account settings');
    await fill(settings, 'First name', 'Grace');
    await checkStep('settings-dialog');
    await click(settings.getByRole('region', { name: 'Profile' }), 'Save');
    await waitForText('Saved');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Account menu');
    await eventually('the initials of the new name', async () => (await initials()) === 'G');
    await button.click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Signed in as').waitFor({ state: 'detached' });
  });
});
