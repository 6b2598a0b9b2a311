import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/accessibility.js';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { codeBlocks } from '../support/code-blocks.js';
import { registerWithTotp } from '../support/customer-factors.js';
import { registerCustomer, withSettings } from '../support/customers.js';
import { DocumentSite } from '../support/document-site.js';
import { exchangeCode } from '../support/email-codes.js';
import { HostedSignIn } from '../support/hosted-sign-in.js';
import { addLinkingProviders, createLinkingUser, LINKING_TABLE } from '../support/linking-table.js';
import { addProvider } from '../support/social-sign-in.js';
import { isNightly, nightlyIt } from '../support/is-nightly.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { freePort } from '../support/server-process.mjs';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';

describeBrowser('the hosted sign-in page in a browser', () => {
  let instance: TestInstance;
  let browser: TestBrowser;
  let provider: OpenIdProvider;
  /** Serves the module in docs/hosted-sign-in.md. */
  let application: DocumentSite;
  let redirectUrl: string;
  beforeAll(async () => {
    // Browsers do not support passkeys for IP addresses.
    const port = String(await freePort());
    const env = { PORT: port, PUBLIC_URL: `http://localhost:${port}`, RATE_LIMITS: 'off' };
    [instance, browser, provider] = await Promise.all([
      TestInstance.start({ workers: 0, env }),
      TestBrowser.startShared(),
      OpenIdProvider.start(),
    ]);
    const { projectId, publishableKey } = instance.credentials;
    const fields = { type: 'oidc', issuer: provider.issuer, slug: 'work', name: 'Work account' };
    await addProvider(instance, { id: projectId, publishableKey }, provider, fields);
    const script = (await codeBlocks('docs/hosted-sign-in.md'))
      .get('hosted-sign-in.js')!
      .replace('http://127.0.0.1:3000', instance.baseUrl)
      .replace("projectId: '…'", `projectId: '${projectId}'`)
      .replace('pk_…', publishableKey);
    application = await DocumentSite.start(() => ({
      blocks: new Map([['hosted-sign-in.js', script]]),
      connectTo: [instance.baseUrl],
      body: '<p>Shop',
    }));
    redirectUrl = `${application.origin}/signed-in`;
  });
  beforeEach(async () => {
    browser.consoleMessages.length = 0;
    await applySettings();
  });
  afterAll(async () => {
    await browser?.close();
    await provider?.stop();
    await instance?.stop();
    application?.stop();
  });

  const applySettings = (): Promise<TestResponse> =>
    instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
      settings: { redirectUrls: [redirectUrl], signIn: { emailCode: true, passkey: true }, mfa: 'optional' },
    });

  const newSignIn = () => new HostedSignIn(instance, redirectUrl);

  /** Waits until the browser has returned to the application, and exchanges the code. */
  async function exchange(page: Page, { state, codeVerifier }: HostedSignIn): Promise<TestResponse> {
    await page.waitForURL(`${redirectUrl}?**`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe(state);
    return exchangeCode(instance, { code: searchParams.get('code')!, codeVerifier, redirectUrl });
  }

  const amrOf = ({ body }: TestResponse): unknown => decodeJwt(body.tokens.accessToken as string)['amr'];

  it('signs in with a password, by keyboard and without JavaScript', async () => {
    const { email, id } = await registerCustomer(instance);
    const signIn = newSignIn();
    const page = await browser.open(signIn.url(), { javaScriptEnabled: false });
    await page.getByLabel('Email address').fill(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    expect((await exchange(page, signIn)).body.customer.id).toBe(id);
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('button', { name: 'passkey' }).count()).toBe(0);
    await page.context().close();
  });

  it('signs in with the module in docs/hosted-sign-in.md', async () => {
    const { email, id } = await registerCustomer(instance);
    const page = await browser.open(new URL('/', redirectUrl).href);
    const run = (call: string) =>
      page.evaluate<any>(`import('/hosted-sign-in.js').then(async (hosted) => ${call})`);
    expect(await run('hosted.completeSignIn()')).toBe(false);
    await run(`void hosted.openSignIn({ loginHint: '${email}' })`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${redirectUrl}?**`);
    expect(await run('hosted.completeSignIn()')).toBe(true);
    expect((await run('hosted.gatehouse.customer.get()')).id).toBe(id);
    expect(page.url()).toBe(redirectUrl);
    await page.context().close();
  });

  it('signs in with a code, even if the customer reloads the page before entering it', async () => {
    const email = uniqueEmail();
    const signIn = newSignIn();
    const page = await browser.open(signIn.url());
    await page.getByLabel('Email address').fill(email);
    await page.getByRole('button', { name: 'Email me a code' }).click();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    await page.reload();
    const [mail] = await instance.listMails(email, 'email-code');
    await page.getByLabel('Code').fill(/^\d+$/m.exec(mail!['text'] as string)![0]);
    // The second click must not use the code again.
    await page.getByRole('button', { name: 'Continue' }).dblclick();
    expect((await exchange(page, signIn)).body.customer).toMatchObject({ email, emailVerified: true });
    await page.context().close();
  });

  it('adds a passkey as the required second factor, and then signs in with it', async () => {
    const { email, id } = await registerCustomer(instance);
    const page = await browser.open('about:blank');
    await addVirtualAuthenticator(page);
    await withSettings(instance, { mfa: 'required' }, async () => {
      const signIn = newSignIn();
      await page.goto(signIn.url());
      await fillCredentials(page, email);
      await page.getByRole('button', { name: 'Add a passkey instead' }).click();
      await page.getByRole('button', { name: 'I have saved the codes' }).click();
      expect(amrOf(await exchange(page, signIn))).toEqual(expect.arrayContaining(['pwd', 'mfa']));
    });
    await applySettings();
    const withPassword = newSignIn();
    await page.goto(withPassword.url());
    await fillCredentials(page, email);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    expect(amrOf(await exchange(page, withPassword))).toEqual(expect.arrayContaining(['pwd', 'mfa']));
    const alone = newSignIn();
    await page.goto(alone.url());
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    expect((await exchange(page, alone)).body.customer.id).toBe(id);
    expect(browser.consoleMessages).toEqual([]);
    await page.context().close();
  });

  it('signs in with a provider, and returns to the page if the customer denies access', async () => {
    provider.user = createProviderUser();
    const signIn = newSignIn();
    const page = await browser.open(signIn.url());
    provider.isDenied = true;
    await page.getByRole('link', { name: 'Continue with Work account' }).click();
    await page.getByText('Sign-in with the provider was canceled.').waitFor();
    provider.isDenied = false;
    await page.getByRole('link', { name: 'Continue with Work account' }).click();
    const response = await exchange(page, signIn);
    expect(response.body.customer.email).toBe(provider.user.email);
    expect(amrOf(response)).toEqual(['fed']);
    await page.context().close();
  });

  nightlyIt('FE-03: links an account or reports the reason, for every outcome in the table', async () => {
    const { projectId: id, publishableKey } = instance.credentials;
    const project = { id, publishableKey };
    const google = await StandInProvider.start();
    try {
      await addLinkingProviders(instance, project, google);
      const outcomes: string[] = [];
      const page = await browser.open('about:blank');
      for (const [slug, customer] of LINKING_TABLE) {
        google.user = await createLinkingUser(instance, project, customer);
        const signIn = newSignIn();
        await page.goto(signIn.url());
        await page.getByRole('link', { name: `Continue with ${slug}`, exact: true }).click();
        await page.waitForURL(
          (url) => url.href.startsWith(redirectUrl) || url.searchParams.has('provider_error'),
        );
        const error = new URL(page.url()).searchParams.get('provider_error');
        if (error) await page.getByRole('alert').waitFor();
        else expect((await exchange(page, signIn)).body.customer.email).toBe(google.user.email);
        outcomes.push(error ?? 'session');
      }
      await page.context().close();
      expect(outcomes).toEqual(LINKING_TABLE.map(([, , outcome]) => outcome));
    } finally {
      const providers = `/api/v1/projects/${id}/identity-providers`;
      for (const { id: added, slug } of (await instance.requestWithSecretKey('GET', providers)).body.data)
        if (slug !== 'work') await instance.requestWithSecretKey('DELETE', `${providers}/${added}`);
      await google.stop();
    }
  });

  it('passes prompt, max_age and login_hint on to a provider', async () => {
    const given = { prompt: 'login', max_age: '60', login_hint: uniqueEmail() };
    const url = newSignIn().url(given).replace('/sign-in?', '/sign-in/provider/work?');
    const response = await fetch(url, { redirect: 'manual' });
    expect(response.status).toBe(303);
    const { searchParams } = new URL(response.headers.get('location')!);
    // The provider's response must prove that it required a new sign-in.
    expect(Object.fromEntries(searchParams)).toMatchObject({ ...given, max_age: '0' });
  });

  it('renders every screen without accessibility violations, narrow and dark', async () => {
    const { email, secret } = await registerWithTotp(instance);
    const page = await browser.open('about:blank');
    const problems: string[] = [];
    const displays = [['dark', 390] as const, ...(isNightly ? [['light', 1280] as const] : [])];
    const check = async (name: string, heading: string): Promise<void> => {
      await page.getByRole('heading', { name: heading }).waitFor();
      for (const [colorScheme, width] of displays) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await browser.screenshot(page, `hosted-${name}-${colorScheme}-${width}`);
        // The color scheme and the width affect no other rule.
        const found = await findViolations(
          page,
          colorScheme === 'light' ? { rules: ['color-contrast', 'target-size'] } : {},
        );
        problems.push(...found.map((violation) => `${name} ${colorScheme}: ${violation}`));
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) problems.push(`${name} ${width}: wider than the screen by ${overflow}`);
      }
    };
    const open = (more: Record<string, string> = {}) => page.goto(newSignIn().url(more));
    await open();
    await check('sign-in', 'Sign in');
    await page.getByLabel('Email address').fill(uniqueEmail());
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'not correct' }).waitFor();
    await check('wrong-password', 'Sign in');
    await open({ screen: 'sign_up' });
    await check('sign-up', 'Create your account');
    await open({ screen: 'forgot_password' });
    await check('forgot-password', 'Reset your password');
    await open({ screen: 'email_code', login_hint: email });
    await check('email-code', 'Enter the code');
    await open({ screen: 'check_inbox', login_hint: email });
    await check('check-inbox', 'Confirm your email address');
    await open({ redirect_url: 'https://evil.example' });
    await check('invalid', 'This page cannot be opened');
    await open();
    await fillCredentials(page, email);
    await page.getByText('Use a recovery code').click();
    await check('second-factor', 'Confirm that it is you');
    await page.getByLabel('Authenticator code').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Continue' }).first().click();
    await page.waitForURL(`${redirectUrl}?**`);
    await withSettings(instance, { mfa: 'required' }, async () => {
      await open({ ui_locales: 'de' });
      await fillCredentials(page, (await registerWithoutFactor()).email, [
        'E-Mail-Adresse',
        'Passwort',
        'Anmelden',
      ]);
      await check('enrollment', 'Schützen Sie Ihr Konto');
      const key = (await page.locator('code').textContent())!.replaceAll(' ', '');
      await page.getByLabel('Code der Authenticator-App').fill(totpCode(key));
      await page.getByRole('button', { name: 'Bestätigen' }).click();
      await check('recovery-codes', 'Speichern Sie Ihre Wiederherstellungscodes');
    });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  /** Registers a customer in a project that requires a second factor. */
  async function registerWithoutFactor(): Promise<{ email: string }> {
    const email = uniqueEmail();
    await instance.register(email);
    return { email };
  }

  async function fillCredentials(
    page: Page,
    email: string,
    [address, password, button] = ['Email address', 'Password', 'Sign in'],
  ): Promise<void> {
    await page.getByLabel(address).fill(email);
    await page.getByLabel(password, { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: button, exact: true }).click();
  }
});
