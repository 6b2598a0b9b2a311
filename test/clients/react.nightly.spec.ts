import type { Locator, Page } from 'playwright-core';
import { expectAccessible } from '../support/accessibility.js';
import { describeBrowser, type TestBrowser } from '../support/browser.js';
import { backdateProofs } from '../support/customer-factors.js';
import type { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { ReactFixture } from '../support/react-fixture.js';
import type { ReactPage } from '../support/react-page.js';
import { changeSettings, type SocialProject } from '../support/social-sign-in.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

describeBrowser('@gatehouse/react: errors and variants', () => {
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
      '/settings': { signedIn: 'AccountSettings' },
      '/links': {
        signedIn: 'CustomerButton',
        props: { settingsUrl: '/', items: [{ label: 'Orders', href: '/orders' }] },
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
  const section = (name: string): Locator => page.getByRole('region', { name });
  const dialog = (name: string): Locator => page.getByRole('dialog', { name, exact: true });
  const click = (scope: Page | Locator, name: string): Promise<void> =>
    scope.getByRole('button', { name, exact: true }).click();
  const fill = (scope: Page | Locator, label: string, value: string): Promise<void> =>
    scope.getByLabel(label, { exact: true }).fill(value);
  const waitForText = (text: string): Promise<void> =>
    page.locator('[role=alert], [role=status]').filter({ hasText: text }).first().waitFor();
  const alert = (text: string) => page.getByRole('alert').filter({ hasText: text }).first().waitFor();
  const fillCredentials = async (email: string, password = PASSWORD): Promise<void> => {
    await fill(page, 'Email address', email);
    await fill(page, 'Password', password);
  };
  const waitForSession = (email: string) => page.getByText(`Signed in as ${email}`).waitFor();
  const signUp = async (email: string): Promise<void> => {
    await open('/sign-up');
    await fillCredentials(email);
    await click(page, 'Create account');
  };
  /** Opens a page as a new customer with the password PASSWORD. */
  const signUpAt = async (path: string): Promise<void> => {
    const email = uniqueEmail();
    await open(path);
    await page.evaluate(`client.signUp(${JSON.stringify({ email, password: PASSWORD })})`);
    await waitForSession(email);
  };

  const checkStep = (step: string): Promise<void> =>
    expectAccessible(browser, page, `react-${step}`, { width: 800, height: 800 });

  it("loads the customer's profile, or explains why loading failed", async () => {
    await page.route('**/api/v1/me', (route) => route.abort());
    await signUp(uniqueEmail());
    await page.getByText('Name: network_error').waitFor();
    await page.unroute('**/api/v1/me');
    await click(page, 'Reload');
    await page.getByText('Name: unknown').waitFor();
    await page.evaluate(`client.customer.update({ firstName: 'Ada' })`);
    await click(page, 'Reload');
    await page.getByText('Name: Ada').waitFor();
    await click(page, 'Sign out');
    await fillCredentials(uniqueEmail());
    await click(page, 'Create account');
    await page.getByText('Name: unknown').waitFor();
  });

  it("shows the provider that the organization requires, and the provider's errors", async () => {
    provider.isDenied = true;
    await open();
    await click(page, 'Continue with Work');
    await alert('Sign-in with the provider was canceled.');
    provider.isDenied = false;
    await page.route('**/auth/login', (route) =>
      route.fulfill({ status: 403, json: { code: 'sso_required', provider: 'work' } }),
    );
    await fillCredentials(uniqueEmail());
    await click(page, 'Sign in');
    await alert('Your organization requires its own sign-in for this email address.');
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await click(page, 'Continue with Work');
    await waitForSession(provider.user.email!);
  });

  it('displays the wait time after too many attempts, and offers a retry when offline', async () => {
    await page.route('**/auth/options', (route) => route.abort());
    await open();
    await alert('There is no connection. Check your network and try again.');
    await page.unroute('**/auth/options');
    await click(page, 'Try again');
    await page.route('**/auth/login', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '700', 'Access-Control-Expose-Headers': 'Retry-After' },
        json: { code: 'too_many_attempts' },
      }),
    );
    await fillCredentials(uniqueEmail());
    await click(page, 'Sign in');
    await alert('Too many failed attempts. Try again in 12 minutes.');
    await checkStep('too-many-attempts');
  });

  it('reauthenticates a customer whose only sign-in method is a provider', async () => {
    await page.goto(`${site.origin}/settings`);
    const target = JSON.stringify({ provider: 'work', redirectUrl: `${site.origin}/settings` });
    await page.evaluate(`client.signIn.social(${target})`);
    const email = provider.user.email!;
    await page.getByText(`Signed in as ${email}`).waitFor();
    const [customer] = await instance.sql<{ id: string }>('SELECT id FROM customers WHERE email = $1', [
      email,
    ]);
    await backdateProofs(instance, customer!);
    await click(section('Connected accounts'), 'Disconnect: Work');
    await click(dialog('Disconnect Work?'), 'Disconnect');
    await click(dialog('Confirm that it is you'), 'Continue with Work');
    await waitForText('Your identity is confirmed. Repeat the change now.');
    await useSettings({ signIn: { password: true, emailCode: false, passkey: true } });
    await click(section('Connected accounts'), 'Disconnect: Work');
    await click(dialog('Disconnect Work?'), 'Disconnect');
    await waitForText('This is your last sign-in method.');
  });

  it('offers a retry when the settings cannot be loaded', async () => {
    await page.route('**/api/v1/me/factors', (route) => route.abort());
    await signUpAt('/settings');
    const factors = section('Two-step verification');
    await factors.getByText('There is no connection.').waitFor();
    await page.unroute('**/api/v1/me/factors');
    await click(factors, 'Try again');
    await factors.getByText('No authenticator app yet').waitFor();
  });

  it('links to the pages of the application', async () => {
    await signUpAt('/links');
    await page.getByRole('button', { name: 'Account menu' }).click();
    const links = await page
      .getByRole('menuitem')
      .evaluateAll((all) => all.map((each: any) => [each.textContent, each.getAttribute('href')]));
    expect(links).toEqual([
      ['Orders', '/orders'],
      ['Account settings', '/'],
      ['Sign out', null],
    ]);
  });
});
