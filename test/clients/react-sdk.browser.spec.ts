import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/accessibility.js';
import { describeBrowser, type TestBrowser } from '../support/browser.js';
import { resetTotpSteps } from '../support/customer-factors.js';
import { readEmailCode } from '../support/email-codes.js';
import { nightlyIt } from '../support/is-nightly.js';
import type { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { ReactFixture } from '../support/react-fixture.js';
import type { ReactPage } from '../support/react-page.js';
import { changeSettings, type SocialProject } from '../support/social-sign-in.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

describeBrowser('the sign-in UI of @gatehouse/react', () => {
  let fixture: ReactFixture;
  let instance: TestInstance;
  let browser: TestBrowser;
  let provider: OpenIdProvider;
  let site: ReactPage;
  let project: SocialProject;
  let page: Page;

  beforeAll(async () => {
    fixture = await ReactFixture.start({
      '/': { signedOut: 'SignIn' },
      '/sign-up': { signedOut: 'SignUp', props: { signInUrl: '/' } },
      '/anmelden': { signedOut: 'SignIn', localization: 'de' },
      '/styled': {
        signedOut: 'SignIn',
        appearance: { theme: 'dark', variables: { colorPrimary: '#ffd400', colorOnPrimary: '#000000' } },
      },
    });
    ({ instance, browser, provider, site, project } = fixture);
  });
  afterAll(async () => fixture?.stop());
  beforeEach(async () => {
    await useSettings({});
    page = await fixture.openPage();
  });
  afterEach(async () => {
    fixture.expectNoProblems();
    await fixture.resetPage();
  });

  const useSettings = (changes: object): Promise<void> =>
    changeSettings(instance, project, {
      signIn: { password: true, emailCode: true, passkey: true, allowSignUp: true },
      mfa: 'optional',
      requireVerifiedEmail: false,
      ...changes,
    });

  const open = (path = '/') => page.goto(site.origin + path);
  const heading = (name: string) => page.getByRole('heading', { name, level: 2 }).waitFor();
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).first().waitFor();
  const focused = (): Promise<string> =>
    page.evaluate('document.activeElement.getAttribute("name") ?? document.activeElement.textContent');
  const fill = async (label: string, value: string): Promise<void> =>
    page.getByLabel(label, { exact: true }).fill(value);
  const fillCredentials = async (email: string, password = PASSWORD): Promise<void> => {
    await fill('Email address', email);
    await fill('Password', password);
  };
  const waitForSession = (email: string) => page.getByText(`Signed in as ${email}`).waitFor();
  const signUp = async (email: string): Promise<void> => {
    await open('/sign-up');
    await fillCredentials(email);
    await click('Create account');
  };

  const checkStep = (step: string): Promise<void> =>
    expectAccessible(browser, page, `react-${step}`, { width: 800, height: 800 });

  it('signs up and in with a password, and preserves the input after an error', async () => {
    const email = uniqueEmail();
    await open('/sign-up');
    await heading('Create account');
    await checkStep('sign-up');
    await click('Create account');
    await alert('Fill in this field.');
    expect(await focused()).toBe('email');
    await fillCredentials('no address');
    await click('Create account');
    await alert('Enter a valid email address.');
    await fillCredentials(email, 'password');
    await click('Create account');
    await alert('This password is too common. Choose another one.');
    await checkStep('weak-password');
    expect(await focused()).toBe('password');
    await click('Show password');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
    await fill('Password', PASSWORD);
    await click('Create account');
    await waitForSession(email);
    expect(await page.evaluate('window.completed')).toEqual([email]);

    await click('Sign out');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await fillCredentials(email, 'wrong');
    await checkStep('sign-in');
    await click('Sign in');
    await alert('The email address or the password is not correct.');
    expect(await page.getByLabel('Email address').inputValue()).toBe(email);
    await fill('Password', PASSWORD);
    await page.keyboard.press('Enter');
    await waitForSession(email);
    await page.reload();
    await waitForSession(email);
  });

  it('signs in with an emailed code, even in a project without passwords', async () => {
    const email = uniqueEmail();
    await open();
    await click('Email me a code');
    await alert('Fill in this field.');
    await fill('Email address', email);
    await click('Email me a code');
    await heading('Enter the code');
    expect(await focused()).toBe('Enter the code');
    await checkStep('email-code');
    await fill('Code', '000000');
    await click('Continue');
    await alert('The code is not correct or has expired.');
    await click('Send a new code');
    await page.getByRole('status').filter({ hasText: 'The message has been sent.' }).waitFor();
    await fill('Code', await readEmailCode(instance, email, 1));
    await click('Continue');
    await waitForSession(email);

    await useSettings({ signIn: { password: false, emailCode: true, passkey: true, allowSignUp: true } });
    await click('Sign out');
    await heading('Sign in');
    await page.getByLabel('Email address').waitFor();
    expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
  });

  it('signs in with an identity provider, a required second factor and recovery codes', async () => {
    await useSettings({ mfa: 'required' });
    const email = provider.user.email!;
    await open();
    await click('Continue with Work');
    await heading('Protect your account');
    expect(page.url()).toBe(`${site.origin}/`);
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await checkStep('enroll');
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await fill('Authenticator code', totpCode(secret));
    await click('Confirm');
    await heading('Save your recovery codes');
    await checkStep('recovery-codes');
    const codes = await page.locator('li code').allInnerTexts();
    expect(codes).toHaveLength(10);
    expect(await page.evaluate('window.completed')).toEqual([]);
    await click('I have saved the codes');
    await waitForSession(email);
    expect(await page.evaluate('window.completed')).toEqual([email]);

    const [{ id }] = (await instance.sql('SELECT id FROM customers WHERE email = $1', [email])) as [
      { id: string },
    ];
    await resetTotpSteps(instance, { id });
    await click('Sign out');
    await click('Continue with Work');
    await heading('Confirm that it is you');
    await checkStep('second-factor');
    await fill('Authenticator code', '000000');
    await click('Continue');
    await alert('The code is not correct or has expired.');
    await fill('Authenticator code', totpCode(secret));
    await click('Continue');
    await waitForSession(email);

    await click('Sign out');
    await click('Continue with Work');
    await click('Use a recovery code');
    await checkStep('recovery-code');
    await fill('Recovery code', codes[0]!);
    await click('Continue');
    await waitForSession(email);
  });

  it('adds a passkey as the required second factor, and signs in with it', async () => {
    await addVirtualAuthenticator(page);
    await useSettings({ mfa: 'required' });
    const email = uniqueEmail();
    await signUp(email);
    await click('Add a passkey instead');
    await click('I have saved the codes');
    await waitForSession(email);
    await click('Sign out');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await click('Sign in with a passkey');
    await waitForSession(email);
    await click('Sign out');
    await fillCredentials(email);
    await click('Sign in');
    await click('Use a passkey');
    await waitForSession(email);
    // The virtual authenticator ends with its page.
    await page.close();
  });

  it('shows the inbox screen for an unverified address and a forgotten password', async () => {
    await useSettings({ requireVerifiedEmail: true });
    const email = uniqueEmail();
    await signUp(email);
    await heading('Confirm your email address');
    await page.getByText(`We have sent a message to ${email}.`).waitFor();
    await click('Send the message again');
    await page.getByRole('status').filter({ hasText: 'The message has been sent.' }).waitFor();
    await checkStep('verify-email');
    await click('Back to sign-in');
    await fill('Password', PASSWORD);
    await click('Sign in');
    await heading('Confirm your email address');
    await click('Back to sign-in');

    await click('Forgot password?');
    await heading('Reset your password');
    await checkStep('forgot-password');
    expect(await page.getByLabel('Email address').inputValue()).toBe(email);
    await click('Send link');
    await heading('Check your inbox');
    await checkStep('reset-sent');
    expect(await instance.listMailKinds(email)).toEqual(
      expect.arrayContaining(['verify-email', 'reset-password']),
    );
  });

  nightlyIt('uses the language and the appearance from GatehouseProvider', async () => {
    await open('/anmelden');
    await heading('Anmelden');
    await fill('E-Mail-Adresse', uniqueEmail());
    await fill('Passwort', 'falsch');
    await click('Anmelden');
    await alert('Die E-Mail-Adresse oder das Passwort ist nicht richtig.');
    expect(await page.locator('.gh-root').getAttribute('lang')).toBe('de');
    await checkStep('german');

    await open('/styled');
    await heading('Sign in');
    const button = page.getByRole('button', { name: 'Sign in', exact: true });
    const color = await button.evaluate((element) =>
      (globalThis as any).getComputedStyle(element).getPropertyValue('background-color'),
    );
    expect(color).toBe('rgb(255, 212, 0)');
    await checkStep('styled');
  });
});
