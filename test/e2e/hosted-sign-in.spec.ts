import { decodeJwt } from 'jose';
import { registerWithTotp, resetTotpSteps } from '../support/customer-factors.js';
import { expectStatus, NEW_PASSWORD, registerCustomer, withSettings } from '../support/customers.js';
import { exchangeCode, readEmailCode, toFullWidth } from '../support/email-codes.js';
import { HostedSignIn, readFormActions, readForms } from '../support/hosted-sign-in.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { respondWithJson } from '../support/identity-providers/responses.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { navigate, UserAgent, type Navigation, type Page } from '../support/identity-providers/user-agent.js';
import {
  addProvider,
  changeProvider,
  changeSettings,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

const REDIRECT_URL = 'https://app.example.com/signed-in?from=page';
/** The project's settings at the beginning of each test. */
const SETTINGS = {
  redirectUrls: [REDIRECT_URL, 'https://*.preview.example.com/signed-in'],
  signIn: { emailCode: true },
  mfa: 'optional',
};

let instance: TestInstance;
beforeAll(async () => (instance = await TestInstance.startShared({ workers: 0 })));
beforeEach(() =>
  instance.requestWithSecretKey('PATCH', `/api/v1/projects/${instance.credentials.projectId}`, {
    settings: SETTINGS,
  }),
);
afterAll(async () => instance?.stop());

/** Opens the page in a browser without JavaScript. */
async function openPage(more: Record<string, string | undefined> = {}): Promise<HostedSignIn> {
  const page = new HostedSignIn(instance, REDIRECT_URL);
  await page.open(more);
  return page;
}

const amrOf = (accessToken: string): unknown => decodeJwt(accessToken)['amr'];

describe('the hosted sign-in page', () => {
  it('FE-02: signs in with a password, and returns a code that requires the right verifier', async () => {
    const { email, id } = await registerCustomer(instance);
    const page = await openPage();
    expect(page.screen).toMatchObject({ status: 200, title: 'Sign in' });
    expect(page.screen.headers.get('set-cookie')).toBeNull();
    await page.submit('', { email, password: PASSWORD });
    expect(page.screen).toMatchObject({ status: 303 });
    const code = page.returnedCode();
    const planted = { code, codeVerifier: 'x'.repeat(43), redirectUrl: REDIRECT_URL };
    expect(await exchangeCode(instance, planted)).toMatchObject({
      status: 400,
      body: { code: 'invalid_code' },
    });
    const { status, body } = await page.exchange();
    expect([status, body.customer.id, amrOf(body.tokens.accessToken)]).toEqual([200, id, ['pwd']]);
  });

  it('keeps the email address after a wrong password, and describes the problem', async () => {
    const { email } = await registerCustomer(instance);
    const page = await openPage();
    await page.submit('', { email, password: 'a wrong password' });
    expect(page.screen).toMatchObject({
      status: 401,
      problem: 'The email address or the password is not correct.',
    });
    expect(page.screen.html).toContain(`value="${email}"`);
    expect(page.screen.html).not.toContain('a wrong password');
    expect(page.screen.html).toMatch(/name="password"[^>]*aria-describedby="problem" aria-invalid="true"/);
    await page.submit('', { email: 'no address', password: PASSWORD });
    expect(page.screen).toMatchObject({ status: 400, problem: 'Enter a valid email address.' });
    await page.submit('', { email, password: '' });
    expect(page.screen).toMatchObject({ status: 400, problem: 'Enter your password.' });
    await page.submit('', { email, password: PASSWORD });
    expect((await page.exchange()).status).toBe(200);
  });

  it('shows the wait after too many wrong passwords, for known and unknown addresses', async () => {
    for (const email of [(await registerCustomer(instance)).email, uniqueEmail()]) {
      const page = await openPage();
      for (let attempt = 0; attempt <= 10; attempt += 1)
        await page.submit('', { email, password: `wrong password ${attempt}` });
      expect(page.screen).toMatchObject({
        status: 429,
        problem: expect.stringMatching(/Try again in 15 minutes/),
      });
      expect(Number(page.screen.headers.get('retry-after'))).toBeGreaterThan(800);
    }
  });

  it('creates an account', async () => {
    const email = uniqueEmail();
    const page = await openPage({ screen: 'sign_up' });
    expect(page.screen.title).toBe('Create your account');
    await page.submit('/sign-up', { email, password: 'password123' });
    expect(page.screen).toMatchObject({ status: 422, problem: expect.stringContaining('too common') });
    await page.submit('/sign-up', { email, password: PASSWORD });
    expect((await page.exchange()).body.customer).toMatchObject({ email, emailVerified: false });
    await page.open({ screen: 'sign_up' });
    await page.submit('/sign-up', { email, password: PASSWORD });
    expect(page.screen).toMatchObject({
      status: 409,
      problem: expect.stringContaining('already an account'),
    });
  });

  it('shows where the link was sent if a sign-up needs verification, and can resend it', async () => {
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      const email = uniqueEmail();
      const page = await openPage({ screen: 'sign_up' });
      await page.submit('/sign-up', { email, password: PASSWORD });
      expect(page.screen).toMatchObject({ status: 200, title: 'Confirm your email address' });
      expect(page.screen.html).toContain(email);
      await page.submit('/verification', {});
      expect(page.screen).toMatchObject({ status: 200, title: 'Confirm your email address' });
      await page.open();
      await page.submit('', { email, password: PASSWORD });
      expect(page.screen).toMatchObject({ status: 403, title: 'Confirm your email address' });
    });
  });

  it('does not reveal at sign-up whether an address is registered', async () => {
    await withSettings(instance, { enumerationProtection: true }, async () => {
      const known = uniqueEmail();
      await instance.register(known);
      const htmls: string[] = [];
      for (const email of [known, uniqueEmail()]) {
        const page = await openPage({ screen: 'sign_up', state: 'same', code_challenge: 'x'.repeat(43) });
        await page.submit('/sign-up', { email, password: PASSWORD });
        expect(page.screen).toMatchObject({ status: 200, title: 'Confirm your email address' });
        const escaped = encodeURIComponent(email);
        htmls.push(page.screen.html.replaceAll(email, '').replaceAll(escaped, ''));
      }
      expect(htmls[0]).toBe(htmls[1]);
    });
  });

  it('signs in with an email code, and reports a wrong one', async () => {
    const email = uniqueEmail();
    const page = await openPage({ ui_locales: 'de' });
    await page.submit('/email-code', { email });
    expect(page.screen).toMatchObject({ status: 200, title: 'Code eingeben' });
    const code = await readEmailCode(instance, email);
    const wrong = code === '000000' ? '000001' : '000000';
    await page.submit('/email-code/verify', { code: wrong });
    expect(page.screen).toMatchObject({ status: 400, problem: expect.stringContaining('nicht richtig') });
    await page.submit('/email-code/verify', { code: toFullWidth(` ${code.slice(0, 3)} ${code.slice(3)}`) });
    const { body } = await page.exchange();
    expect(body.customer).toMatchObject({ email, emailVerified: true });
    const [mail] = await instance.listMails(email, 'email-code');
    expect(mail!['text']).toContain('anzumelden');
    const [customer] = await instance.sql('SELECT locale FROM customers WHERE email = $1', [email]);
    expect(customer).toEqual({ locale: 'de' });
  });

  it('MF-01: requires the second factor: an authenticator code or a recovery code', async () => {
    const customer = await registerWithTotp(instance);
    const { email, secret } = customer;
    const page = await openPage();
    await page.submit('', { email, password: PASSWORD });
    expect(page.screen).toMatchObject({ status: 200, title: 'Confirm that it is you', location: null });
    for (const code of ['000000', 'é00000']) await page.submit('/challenge', { code });
    expect(page.screen).toMatchObject({ status: 400, problem: 'The code is not correct or has expired.' });
    await resetTotpSteps(instance, customer);
    await page.submit('/challenge', { code: totpCode(secret) });
    expect(amrOf((await page.exchange()).body.tokens.accessToken)).toEqual(['pwd', 'otp', 'mfa']);
    await page.open();
    await page.submit('', { email, password: PASSWORD });
    await page.submit('/challenge', { recovery: customer.recoveryCodes[0]! });
    expect(amrOf((await page.exchange()).body.tokens.accessToken)).toEqual(['pwd', 'otp', 'mfa']);
  });

  it('restarts when a challenge has ended', async () => {
    const customer = await registerWithTotp(instance);
    const page = await openPage();
    await page.submit('', { email: customer.email, password: PASSWORD });
    await instance.sql('DELETE FROM challenges WHERE customer_id = $1', [customer.id]);
    await page.submit('/challenge', { code: totpCode(customer.secret) });
    expect(page.screen).toMatchObject({
      title: 'Sign in',
      problem: expect.stringContaining('took too long'),
    });
  });

  it('adds a required authenticator, and continues even minutes after showing the recovery codes', async () => {
    const { email, id } = await registerCustomer(instance);
    await withSettings(instance, { mfa: 'required' }, async () => {
      const page = await openPage();
      await page.submit('', { email, password: PASSWORD });
      expect(page.screen.title).toBe('Protect your account');
      const readSecret = () => /<code>([A-Z2-7 ]+)<\/code>/.exec(page.screen.html)![1]!.replaceAll(' ', '');
      const secret = readSecret();
      await page.submit('/challenge', { code: '000000' });
      expect(page.screen).toMatchObject({ status: 400, title: 'Protect your account' });
      expect(readSecret()).toBe(secret);
      await page.submit('/challenge', { code: totpCode(secret) });
      expect(page.screen).toMatchObject({ status: 200, title: 'Save your recovery codes' });
      expect(page.screen.html.match(/<li><code>/g)).toHaveLength(10);
      await instance.sql(
        `UPDATE sign_in_flows SET requested_at = requested_at - interval '5 min', proven_at = proven_at - interval '5 min',
           expires_at = expires_at - interval '5 min' WHERE customer_id = $1`,
        [id],
      );
      const [flow] = await instance.sql('SELECT proven_at FROM sign_in_flows WHERE customer_id = $1', [id]);
      await page.submit('/continue', {});
      const { customer, tokens } = (await page.exchange()).body;
      expect(customer.id).toBe(id);
      const verifiedAt = (flow!['proven_at'] as Date).getTime();
      expect(decodeJwt(tokens.accessToken)['auth_time']).toBe(Math.floor(verifiedAt / 1_000));
      // Both times are earlier than the exchange, because no factor was verified then.
      expect(
        await instance.sql(
          'SELECT FROM sessions WHERE customer_id = $1 AND auth_time = $2 AND factor_time = $2',
          [id, flow!['proven_at']],
        ),
      ).toHaveLength(1);
    });
  });

  it('sends a password reset link, and responds the same for known and unknown addresses', async () => {
    const { email } = await registerCustomer(instance);
    for (const address of [email, uniqueEmail()]) {
      const page = await openPage();
      await page.go(page.link('Forgot password?'));
      expect(page.screen.title).toBe('Reset your password');
      await page.submit('/forgot-password', { email: address });
      expect(page.screen).toMatchObject({ status: 200, title: 'Check your inbox' });
    }
    const token = await instance.getMailToken(email, 'reset-password');
    const body = new URLSearchParams({ token, password: NEW_PASSWORD });
    const response = await fetch(`${instance.baseUrl}/reset-password`, { method: 'POST', body });
    expect(await response.text()).toContain(REDIRECT_URL);
  });

  it('offers only what the project allows, and rejects the rest', async () => {
    const { email } = await registerCustomer(instance);
    const page = await openPage();
    const all = page.screen.html;
    for (const text of ['Forgot password?', 'Email me a code', 'Create an account'])
      expect(all).toContain(text);
    // This server's PUBLIC_URL is an IP address, for which browsers do not support passkeys.
    expect(all).not.toContain('data-passkey');
    await withSettings(instance, { signIn: { emailCode: false, allowSignUp: false } }, async () => {
      const limited = await openPage({ screen: 'sign_up' });
      expect(limited.screen.title).toBe('Sign in');
      for (const text of ['Email me a code', 'Create an account'])
        expect(limited.screen.html).not.toContain(text);
      await page.submit('/email-code', { email });
      expect(page.screen).toMatchObject({ status: 403, problem: 'This sign-in method is not available.' });
    });
    await withSettings(instance, { signIn: { password: false, emailCode: true } }, async () => {
      const codes = await openPage();
      expect(codes.screen.html).not.toContain('type="password"');
      await page.open();
      await page.submit('/email-code', { email });
      expect(page.screen.title).toBe('Enter the code');
    });
  });

  it('shows why a provider has redirected without a code', async () => {
    const page = await openPage({ provider_error: 'email_required' });
    expect(page.screen).toMatchObject({
      status: 400,
      problem: expect.stringContaining('confirm it with a code'),
    });
    expect(page.screen.html).not.toContain('type="password"');
    await page.submit('/email-code', { email: uniqueEmail() });
    expect(page.screen.title).toBe('Enter the code');
    await page.open({ provider_error: 'account_exists' });
    expect(page.screen.problem).toContain('already an account');
    await page.open({ provider_error: '<script>' });
    expect(page.screen).toMatchObject({ status: 200, problem: null });
    await page.open({ provider_code: 'unknown' });
    expect(page.screen).toMatchObject({ status: 400, problem: 'This sign-in has ended. Sign in again.' });
  });

  it('BW-02: rejects a provider slug with a NUL, and a QR code with too much data', async () => {
    const { email } = await registerCustomer(instance);
    await withSettings(instance, { mfa: 'required' }, async () => {
      const page = await openPage();
      await page.submit('', { email, password: PASSWORD });
      const uri = `otpauth://totp/a?secret=AAAA&a=${'a'.repeat(2_400)}`;
      await page.submit('/challenge', { code: '000000', uri });
      expect(page.screen.status).toBe(400);
      await page.go(page.url().replace('/sign-in?', '/sign-in/provider/%00?'));
      expect(page.screen.status).toBe(404);
      const target = { redirectUrl: REDIRECT_URL, codeChallenge: 'a'.repeat(43) };
      expect(
        await instance.requestWithPublishableKey('POST', '/api/v1/auth/oauth/%00', target),
      ).toMatchObject({ status: 404, body: { code: 'provider_not_found' } });
    });
  });

  describe('the hosted page after a sign-in with a provider', () => {
    let server: StandInProvider;
    let provider: AddedProvider;
    let project: SocialProject;
    beforeAll(async () => {
      server = await StandInProvider.start();
      const { projectId: id, publishableKey } = instance.credentials;
      project = { id, publishableKey };
      provider = await addProvider(instance, project, server, { type: 'oidc', issuer: server.issuer });
    });
    afterEach(() => server.reset());
    afterAll(async () => {
      await changeProvider(instance, project, provider, { enabled: false });
      await server.stop();
    });

    const startOf = (page: HostedSignIn, more = {}, { slug } = provider): string =>
      page.url(more).replace('/sign-in?', `/sign-in/provider/${slug}?`);
    const ended = 'This sign-in has ended';

    /** Submits a page's first form. @returns the resulting page, and its URL */
    async function submit(browser: UserAgent, from: Page, form: Record<string, string>) {
      const target = new URL(readFormActions(from.text)[0]!, from.url);
      const page = await browser.send(navigate('POST', target, form), from.url);
      const { location } = page.headers;
      return { page, next: location === undefined ? null : new URL(location, from.url) };
    }

    it('links the account by emailed code, in the same browser, if the provider shares no address', async () => {
      // A code can verify the address even if the project does not offer codes for sign-in.
      await changeSettings(instance, project, { ...SETTINGS, signIn: { emailCode: false } });
      server.user = createProviderUser({ email: undefined });
      const { email, id: customerId } = await registerCustomer(instance);
      const page = new HostedSignIn(instance, REDIRECT_URL);
      const agent = new UserAgent();
      const emailForm = await agent.open(startOf(page));
      expect(emailForm.text).toContain('The provider has not shared an email address. Enter yours');
      expect((await submit(new UserAgent(), emailForm, { email })).page.text).toContain(ended);
      const sent = await agent.open((await submit(agent, emailForm, { email })).next!);
      const entered = { code: await readEmailCode(instance, email) };
      expect((await submit(new UserAgent(), sent, entered)).page.text).toContain(ended);
      const { next } = await submit(agent, sent, entered);
      const code = next!.searchParams.get('code')!;
      const exchange = { code, codeVerifier: page.codeVerifier, redirectUrl: REDIRECT_URL };
      const { customer, tokens } = expectStatus(200, await exchangeCode(instance, exchange)).body;
      expect([customer.id, amrOf(tokens.accessToken)]).toEqual([customerId, ['fed', 'email']]);
      expect(await instance.listMailKinds(email)).toContain('identity-linked');
      // From now on, the provider suffices.
      const again = await agent.follow(startOf(page), { until: REDIRECT_URL });
      expect(again.parameters['code']).toEqual(expect.any(String));
    });

    it('keeps the account after a mistyped address, and links it to the new customer', async () => {
      await changeSettings(instance, project, { ...SETTINGS, signIn: { emailCode: false } });
      server.user = createProviderUser({ email: undefined, given_name: 'Grace' });
      const email = uniqueEmail();
      const page = new HostedSignIn(instance, REDIRECT_URL);
      const agent = new UserAgent();
      const mistyped = (await submit(agent, await agent.open(startOf(page)), { email: 'no address' })).page;
      expect(mistyped.text).toContain('Enter a valid email address.');
      expect(mistyped.text).not.toContain('type="password"');
      const sent = await agent.open((await submit(agent, mistyped, { email })).next!);
      const { next } = await submit(agent, sent, { code: await readEmailCode(instance, email) });
      const exchange = { codeVerifier: page.codeVerifier, redirectUrl: REDIRECT_URL };
      const code = next!.searchParams.get('code')!;
      const { customer, tokens } = expectStatus(
        200,
        await exchangeCode(instance, { ...exchange, code }),
      ).body;
      expect(customer).toMatchObject({ email, emailVerified: true, firstName: 'Grace' });
      expect(amrOf(tokens.accessToken)).toEqual(['fed', 'email']);
      const again = await agent.follow(startOf(page), { until: REDIRECT_URL });
      expect(again.parameters['code']).toEqual(expect.any(String));
    });

    it('lets the customer enter a different address if the first one is unverified', async () => {
      await changeSettings(instance, project, { ...SETTINGS, requireVerifiedEmail: true });
      try {
        const { email } = (server.user = createProviderUser());
        const agent = new UserAgent();
        const start = startOf(new HostedSignIn(instance, REDIRECT_URL));
        expect((await agent.open(start)).text).toContain(email);
        const page = await agent.open(start);
        expect(page).toMatchObject({
          status: 403,
          text: expect.stringContaining('Confirm your email address'),
        });
        const again = readForms(page.text).find(({ fields }) => fields['email'] === email)!;
        const target = new URL(again.action, page.url);
        expect((await agent.send(navigate('POST', target, again.fields), page.url)).status).toBe(303);
      } finally {
        await changeSettings(instance, project, { requireVerifiedEmail: false });
      }
    });

    it('MF-05: links the account only after the customer has verified the second factor', async () => {
      const { sub } = (server.user = createProviderUser({ email: undefined }));
      const customer = await registerWithTotp(instance);
      const { email, id: customerId, secret } = customer;
      await resetTotpSteps(instance, customer);
      // If the address were unverified, the code would remove the factor, because the factor could belong to a person
      // who does not own the address.
      await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [customerId]);
      const listOwners = () => instance.sql('SELECT customer_id FROM identities WHERE subject = $1', [sub]);
      const agent = new UserAgent();
      const emailForm = await agent.open(startOf(new HostedSignIn(instance, REDIRECT_URL)));
      const sent = await agent.open((await submit(agent, emailForm, { email })).next!);
      const { page } = await submit(agent, sent, { code: await readEmailCode(instance, email) });
      expect(page.text).toContain('Confirm that it is you');
      expect(await listOwners()).toEqual([]);
      const { fields } = readForms(page.text)[0]!;
      const { next } = await submit(agent, page, { ...fields, code: totpCode(secret) });
      expect(next!.searchParams.get('code')).toEqual(expect.any(String));
      expect(await listOwners()).toEqual([{ customer_id: customerId }]);
    });

    it('offers only providers that can prove a new sign-in if the application requires one', async () => {
      server.user = createProviderUser();
      const seconds = () => Math.floor(Date.now() / 1_000);
      // Gatehouse must ignore this auth_time, because only an ID token is signed.
      server.overrides = { userinfo: respondWithJson({ sub: server.user.sub, auth_time: seconds() }) };
      const fields = { type: 'google', issuer: server.issuer };
      const google = await addProvider(instance, project, server, { ...fields, name: 'Work' });
      expect((await openPage()).screen.html).not.toContain('cannot confirm one');
      const given = [{ prompt: 'login' }, { max_age: '60' }];
      for (const more of given) {
        const page = await openPage(more);
        expect(page.screen.html).toContain(`/sign-in/provider/${provider.slug}?`);
        expect(page.screen.html).not.toContain(`/sign-in/provider/${google.slug}?`);
        expect(page.screen.html).toContain('These providers cannot confirm one: Work.');
        await page.go(startOf(page, more, google));
        expect(page.screen).toMatchObject({ status: 403, problem: 'This sign-in method is not available.' });
        // The browser has removed prompt and max_age from the provider's URL. The provider still has an old session.
        for (const [age, parameter] of [
          [3_600, 'provider_error'],
          [undefined, 'provider_error'],
          [0, 'flow'],
        ] as const) {
          server.idTokenClaims = { auth_time: age === undefined ? undefined : seconds() - age };
          const start = startOf(new HostedSignIn(instance, REDIRECT_URL), more);
          const until = (url: URL) => url.pathname === '/sign-in';
          const { parameters } = await new UserAgent().follow(start, { until });
          expect([age, Object.keys(parameters)]).toEqual([age, expect.arrayContaining([parameter])]);
        }
      }
      await changeProvider(instance, project, google, { enabled: false });
    });

    it('hides Microsoft after an ID token without auth_time, until a token contains it', async () => {
      const fields = { type: 'microsoft', issuer: server.issuer, name: 'Contoso' };
      const microsoft = await addProvider(instance, project, server, fields);
      server.user = createProviderUser();
      const more = { prompt: 'login' };
      const path = `/sign-in/provider/${microsoft.slug}?`;
      const isOffered = async (): Promise<boolean> => (await openPage(more)).screen.html.includes(path);
      const signIn = (given = {}): Promise<Navigation> => {
        const start = startOf(new HostedSignIn(instance, REDIRECT_URL), given, microsoft);
        return new UserAgent().follow(start, { until: ({ pathname }) => pathname === '/sign-in' });
      };
      const withClaim = {};
      const withoutClaim = { auth_time: undefined };

      server.idTokenClaims = withoutClaim;
      expect(await isOffered()).toBe(true);
      // The first customer who signs in with Microsoft is shown the reason.
      const { status, text } = await new UserAgent().open(await signIn(more));
      expect([status, text]).toEqual([400, expect.stringContaining('confirm one: Contoso.')]);
      expect(await isOffered()).toBe(false);
      expect((await openPage()).screen.html).toContain(path);

      await changeProvider(instance, project, microsoft, { name: 'Contoso Ltd' });
      expect(await isOffered()).toBe(true);
      expect((await signIn()).parameters).toHaveProperty('flow');
      expect(await isOffered()).toBe(false);
      server.idTokenClaims = withClaim;
      await signIn();
      expect(await isOffered()).toBe(true);
      // Once a token has contained the claim, later tokens without it do not hide the provider.
      server.idTokenClaims = withoutClaim;
      await signIn();
      expect(await isOffered()).toBe(true);
      await changeProvider(instance, project, microsoft, { enabled: false });
    });
  });

  it('FE-01: shows an error page for an invalid query, and redirects only to allowed URLs', async () => {
    const cases: [more: Record<string, string | undefined>, problem: string][] = [
      [{ client_id: undefined }, 'client_id is missing'],
      [{ client_id: 'x' }, 'client_id must be the id of a project'],
      [{ client_id: '00000000-0000-4000-8000-000000000000' }, 'client_id must be the id of a project'],
      [{ redirect_url: undefined }, 'redirect_url is missing'],
      ...[
        'https://evil.example/',
        'https://app.example.com/other',
        'https://app.example.com.evil.example/signed-in?from=page',
        'https://a.b.preview.example.com/signed-in',
        'https://*.preview.example.com/signed-in',
        'javascript:alert(1)',
        '//evil.example',
      ].map((redirect_url): [Record<string, string>, string] => [
        { redirect_url },
        'redirect_url must be one of',
      ]),
      [{ code_challenge: undefined }, 'code_challenge is missing'],
      [{ code_challenge: 'short' }, 'code_challenge must be a SHA-256 hash'],
      [{ code_challenge_method: 'plain' }, 'code_challenge_method must be S256'],
      [{ prompt: 'none' }, 'prompt must be one of login'],
      [{ max_age: '-1' }, 'max_age must be a number'],
      [{ screen: 'other' }, 'screen must be one of'],
      [{ state: 'x'.repeat(513) }, 'state must be at most'],
    ];
    for (const [more, problem] of cases) {
      const page = new HostedSignIn(instance, REDIRECT_URL);
      const { status, html, location, title, headers } = await page.open(more);
      expect([more, status, location, title]).toEqual([more, 400, null, 'This page cannot be opened']);
      expect(html).toContain(problem);
      expect(headers.get('content-security-policy')).toMatch(/form-action 'self';/);
      const valid = await openPage();
      const path = `/sign-in${new URL(page.url(more)).search}`;
      valid.screen.html = valid.screen.html.replace(
        /action="[^"]*"/,
        `action="${path.replaceAll('&', '&#38;')}"`,
      );
      await valid.submit('', { email: uniqueEmail(), password: PASSWORD });
      expect([more, valid.screen.status, valid.screen.location]).toEqual([more, 400, null]);
    }
    const preview = new HostedSignIn(instance, 'https://pr-7.preview.example.com/signed-in');
    await preview.open({ code_challenge_method: 'S256' });
    expect(preview.screen.status).toBe(200);
    const repeated = await preview.go(`${preview.url()}&redirect_url=https%3A%2F%2Fevil.example`);
    expect([repeated.status, repeated.location]).toEqual([400, null]);
  });

  it('rejects forms that a page on a different site submits', async () => {
    const { email } = await registerCustomer(instance);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const page = await openPage();
      await page.submit('', { email, password: PASSWORD }, { 'sec-fetch-site': site });
      expect([site, page.screen.status, page.screen.location]).toEqual([site, 403, null]);
    }
    const page = await openPage();
    await page.submit('', { email, password: PASSWORD }, { 'sec-fetch-site': 'same-origin' });
    expect((await page.exchange()).status).toBe(200);
  });

  it('HD-01: allows its own script, and form submissions to the application', async () => {
    const { headers, html } = (await openPage()).screen;
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("form-action 'self' https://app.example.com;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(html).not.toMatch(/<script(?! defer src="\/sign-in\/page.js"><)| on[a-z]+=| style=/);
    const script = await fetch(`${instance.baseUrl}/sign-in/page.js`);
    expect(script.headers.get('content-type')).toContain('text/javascript');
  });

  it('prefers ui_locales to the languages of the browser, and suggests login_hint', async () => {
    const page = new HostedSignIn(instance, REDIRECT_URL, { 'accept-language': 'en' });
    await page.open({ ui_locales: 'xx de-AT', login_hint: 'Ada@Example.com' });
    expect(page.screen.title).toBe('Anmelden');
    expect(page.screen.headers.get('content-language')).toBe('de');
    expect(page.screen.html).toContain('value="ada@example.com"');
    await page.open({ ui_locales: 'not a tag!', login_hint: '"><script>' });
    expect(page.screen).toMatchObject({ status: 200, title: 'Sign in' });
    expect(page.screen.html).not.toContain('"><script>');
  });
});
