import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { DiscordStandIn } from '../support/identity-providers/discord-stand-in.js';
import { createGitHubUser, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { UserAgent } from '../support/identity-providers/user-agent.js';
import {
  addProvider,
  requestAsPage,
  beginInSession,
  beginOAuth,
  changeProvider,
  changeSettings,
  createSocialProject,
  exchange,
  openSocialSession,
  outcomeOf,
  REDIRECT_URL,
  signInAt,
  completeFlow,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { bearerHeader, PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { resetTotpSteps } from '../support/customer-factors.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let project: SocialProject;
/** A real OpenID Provider. `standIn` is a provider whose responses a test can change. */
let openId: OpenIdProvider;
let standIn: StandInProvider;
/** The stand-in as Google, which is trusted for Workspace addresses. `gitlab` is the stand-in too, and is never trusted. */
let google: AddedProvider;
let gitlab: AddedProvider;
beforeAll(async () => {
  [instance, openId, standIn] = await Promise.all([
    TestInstance.startShared({ workers: 0 }),
    OpenIdProvider.start(),
    StandInProvider.start(),
  ]);
  project = await createSocialProject(instance);
  const { issuer } = standIn;
  google = await addProvider(instance, project, standIn, { type: 'google', issuer, requireNonce: true });
  gitlab = await addProvider(instance, project, standIn, { type: 'gitlab', issuer });
});
afterEach(() => standIn?.reset());
afterAll(() => Promise.all([instance?.stop(), openId?.stop(), standIn?.stop()]));

const register = (email: string): Promise<TestResponse> =>
  requestAsPage(instance, project, 'register', { email, password: PASSWORD });
const login = (email: string): Promise<TestResponse> =>
  requestAsPage(instance, project, 'login', { email, password: PASSWORD });
const getCustomer = async (id: string): Promise<Record<string, any>> =>
  expectStatus(200, await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`)).body;
/** Signs in with an ID token from Google, as an app does. @param claims the claims that differ from the account's */
async function signInNatively(claims: object): Promise<string> {
  const path = `/api/v1/projects/${project.id}/identity-providers/${google.id}`;
  const { clientId: aud } = (await instance.requestWithSecretKey('GET', path)).body;
  // The jti makes tokens from the same second different, because each token is accepted only once.
  const idToken = await standIn.issueIdToken({ aud, nonce: 'n', jti: randomUUID(), ...claims });
  return outcomeOf(
    await requestAsPage(instance, project, `oauth/${google.slug}/token`, { idToken, nonce: 'n' }),
  );
}

const listMyIdentities = async (accessToken: string): Promise<Record<string, any>[]> =>
  expectStatus(200, await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me/identities')).body
    .data;

/** Registers a customer in the project. @param options `isVerified` if the address is verified */
async function registerHere({ isVerified = true } = {}) {
  const email = uniqueEmail();
  const { customer, tokens } = expectStatus(201, await register(email)).body;
  if (isVerified)
    await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [customer.id]);
  return { id: customer.id as string, email, accessToken: tokens.accessToken as string };
}

describe('a sign-in with an identity provider', () => {
  it('FE-01: signs up and in with a real OpenID Provider, with PKCE, state, nonce and profile', async () => {
    const provider = await addProvider(instance, project, openId, { type: 'oidc', issuer: openId.issuer });
    for (const claimsIn of ['id_token', 'userinfo'] as const) {
      openId.claimsIn = claimsIn;
      const { email } = (openId.user = createProviderUser({ name: undefined, family_name: 'Lovelace' }));
      const flow = await beginOAuth(instance, project, provider.slug, { state: 'a b&c' });
      const sent = new URL(flow.url).searchParams;
      expect(sent.get('code_challenge_method')).toBe('S256');
      expect([sent.get('code_challenge'), sent.get('state'), sent.get('nonce')]).not.toContain(null);
      const { code, state, ...others } = await completeFlow(flow);
      expect({ state, others }).toEqual({ state: 'a b&c', others: {} });
      const { body } = expectStatus(200, await exchange(instance, project, flow, code));
      expect(body.customer).toMatchObject({
        email,
        firstName: 'Ada',
        lastName: 'Lovelace',
        emailVerified: false,
      });
      expect(decodeJwt(body.tokens.accessToken)['amr']).toEqual(['fed']);
      const { id } = body.customer;
      expect(await getCustomer(id)).toMatchObject({ imageUrl: 'https://images.example.com/ada.png' });

      expect(await openSocialSession(instance, project, provider.slug)).toMatchObject({ id, email });
      const [identity, ...more] = await listMyIdentities(body.tokens.accessToken);
      expect(more).toEqual([]);
      expect(identity).toMatchObject({
        provider: provider.slug,
        type: 'oidc',
        subject: openId.user.sub,
        email,
      });
      const types = (await instance.events(id)).map(({ type }) => type as string);
      expect(types).toEqual([
        ...['customer.created', 'identity.linked', 'verification.requested', 'session.created'],
        ...['login.succeeded', 'session.created'],
      ]);
      const [login] = await instance.events(id, 'login.succeeded');
      expect(login!['data']).toMatchObject({ methods: ['fed'], provider: provider.slug });
      expect(await instance.listMailKinds(email!)).toEqual(['verify-email']);
    }
  });

  it('uses a name and an image that only the userinfo endpoint returns', async () => {
    standIn.user = createProviderUser();
    const absent = { name: undefined, given_name: undefined, family_name: undefined, picture: undefined };
    standIn.idTokenClaims = absent;
    const { id } = await openSocialSession(instance, project, google.slug);
    expect(await getCustomer(id)).toMatchObject({
      ...{ firstName: 'Ada', lastName: 'Byron', imageUrl: 'https://images.example.com/ada.png' },
      email: standIn.user.email,
    });
  });

  it('works with GitHub, uses the primary email, and reports errors that GitHub sends as 200', async () => {
    const github = await GitHubStandIn.start();
    try {
      const provider = await addProvider(instance, project, github, { type: 'github', issuer: github.url });
      const [primary, other] = [uniqueEmail(), uniqueEmail()];
      const emails = [
        { email: other, primary: false, verified: true, visibility: null },
        { email: primary, primary: true, verified: true, visibility: 'private' as const },
      ];
      github.user = createGitHubUser({ email: other, emails });
      const { id, email } = await openSocialSession(instance, project, provider.slug);
      expect(email).toBe(primary);
      // The server is not github.com, so its email addresses are not trusted.
      expect(await getCustomer(id)).toMatchObject({
        firstName: 'Ada',
        lastName: 'Byron',
        emailVerified: false,
      });

      await changeProvider(instance, project, provider, { clientSecret: 'not-the-secret' });
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('sign_in_failed');
    } finally {
      await github.stop();
    }
  });

  it('works with Apple: a posted response, a signed client secret, and a name that is sent once', async () => {
    const apple = await AppleStandIn.start();
    try {
      const provider = await addProvider(instance, project, apple, { type: 'apple', issuer: apple.issuer });
      apple.user = createProviderUser();
      const { id, email } = await openSocialSession(instance, project, provider.slug);
      expect(await getCustomer(id)).toMatchObject({
        ...{ email, firstName: 'Ada', lastName: 'Byron', emailVerified: true },
      });
      expect(await openSocialSession(instance, project, provider.slug)).toMatchObject({ id });
      expect(await getCustomer(id)).toMatchObject({ firstName: 'Ada' });
    } finally {
      await apple.stop();
    }
  });

  it('works with Discord, whose email addresses are not trusted', async () => {
    const discord = await DiscordStandIn.start();
    try {
      const provider = await addProvider(instance, project, discord, {
        type: 'discord',
        issuer: discord.url,
      });
      const { id } = await openSocialSession(instance, project, provider.slug);
      expect(await getCustomer(id)).toMatchObject({ emailVerified: false });
    } finally {
      await discord.stop();
    }
  });

  it('appears in the sign-in options while the provider is enabled', async () => {
    const other = await createSocialProject(instance);
    const added = await addProvider(instance, other, standIn, {
      type: 'gitlab',
      issuer: standIn.issuer,
      name: 'Our GitLab',
    });
    const headers = { 'x-publishable-key': other.publishableKey };
    const options = async () =>
      (await instance.request('GET', '/api/v1/auth/options', { headers })).body.providers;
    expect(await options()).toEqual([{ slug: added.slug, name: 'Our GitLab', type: 'gitlab' }]);
    const flow = await beginOAuth(instance, other, added.slug);
    await changeProvider(instance, other, added, { enabled: false });
    expect(await options()).toEqual([]);
    expect((await completeFlow(flow))['error']).toBe('sign_in_failed');
    const body = { redirectUrl: REDIRECT_URL, codeChallenge: 'x'.repeat(43) };
    for (const slug of [added.slug, google.slug, 'unknown'])
      expect((await requestAsPage(instance, other, `oauth/${slug}`, body)).body.code).toBe(
        'provider_not_found',
      );
  });

  it('requires a second factor if the project requires one', async () => {
    standIn.user = createProviderUser({ hd: 'example.com' });
    const before = await openSocialSession(instance, project, google.slug);
    await changeSettings(instance, project, { mfa: 'required' });
    try {
      const result = await signInAt(instance, project, google.slug);
      expect(outcomeOf(result)).toBe('enroll_factor');
      expect(outcomeOf(await signInAt(instance, project, gitlab.slug))).toBe('account_exists');
    } finally {
      await changeSettings(instance, project, { mfa: 'off' });
    }
    expect(await openSocialSession(instance, project, google.slug)).toMatchObject({ id: before.id });
  });
});

describe('FE-03: account linking', () => {
  const trusted = { hd: 'example.com', email_verified: true };
  const kinds = { trusted: () => google, untrusted: () => gitlab };

  it.each([
    ['trusted', 'verified', 'session', 'linked'],
    ['trusted', 'unverified', 'session', 'claimed'],
    ['untrusted', 'verified', 'account_exists', 'unchanged'],
    ['untrusted', 'unverified', 'account_exists', 'unchanged'],
    ['trusted', 'disabled', 'customer_disabled', 'unchanged'],
    ['untrusted', 'disabled', 'customer_disabled', 'unchanged'],
  ] as const)(
    'handles a %s email of a customer who is %s: outcome %s, account %s',
    async (trust, state, outcome, effect) => {
      const { id, email, accessToken } = await registerHere({ isVerified: state !== 'unverified' });
      if (state === 'disabled')
        await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
      standIn.user = createProviderUser({ ...trusted, email: email.toUpperCase(), given_name: 'Grace' });
      const result = await signInAt(instance, project, kinds[trust]().slug);
      expect(outcomeOf(result)).toBe(outcome);
      const isLinked = effect !== 'unchanged';
      expect(await instance.sql('SELECT FROM identities WHERE customer_id = $1', [id])).toHaveLength(
        isLinked ? 1 : 0,
      );
      if (!isLinked) return;
      expect('body' in result && result.body.customer.id).toBe(id);
      const customer = await getCustomer(id);
      expect(customer).toMatchObject({ emailVerified: true, firstName: 'Grace' });
      const isClaimed = effect === 'claimed';
      // If the address was unverified, the person who registered it loses all access.
      expect((await login(email)).status).toBe(isClaimed ? 401 : 200);
      const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
      expect(me.status).toBe(isClaimed ? 401 : 200);
      expect(await instance.listMailKinds(email)).toContain('identity-linked');
      const types = (await instance.events(id)).map(({ type }) => type as string);
      expect(types.filter((type) => type === 'identity.linked' || type === 'customer.updated')).toHaveLength(
        2,
      );
    },
  );

  it.each([
    ['trusted', true, 'session', true],
    ['untrusted', true, 'session', false],
    ['trusted', false, 'sign_up_not_allowed', null],
    ['untrusted', false, 'sign_up_not_allowed', null],
  ] as const)(
    'handles a %s email that no customer has (allowSignUp: %s): outcome %s',
    async (trust, allowed, outcome, verified) => {
      const { email } = (standIn.user = createProviderUser(trusted));
      const provider = kinds[trust]();
      if (!allowed) await changeProvider(instance, project, provider, { allowSignUp: false });
      const result = await signInAt(instance, project, provider.slug);
      if (!allowed) await changeProvider(instance, project, provider, { allowSignUp: true });
      expect(outcomeOf(result)).toBe(outcome);
      const customers = await instance.sql('SELECT email_verified FROM customers WHERE email = $1', [email]);
      expect(customers).toEqual(verified === null ? [] : [{ email_verified: verified }]);
    },
  );

  it('requires an email from new customers only, and identifies linked ones by subject alone', async () => {
    for (const email of [undefined, 'not an address', ''] as const) {
      standIn.user = createProviderUser({ ...trusted, email });
      expect(outcomeOf(await signInAt(instance, project, google.slug))).toBe('email_required');
    }
    const person = (standIn.user = createProviderUser(trusted));
    const { id } = await openSocialSession(instance, project, google.slug);
    const stranger = await registerHere();
    for (const email of [undefined, uniqueEmail(), stranger.email]) {
      standIn.user = { ...person, email };
      expect(await openSocialSession(instance, project, google.slug)).toMatchObject({ id });
    }
    expect(await getCustomer(id)).toMatchObject({ email: person.email });
  });

  it('claims a linked account if its unverified email has become trusted since', async () => {
    const person = (standIn.user = createProviderUser({ email_verified: false }));
    const { id, tokens } = await openSocialSession(instance, project, google.slug);
    const asCustomer = (method: string, path: string, body?: object) =>
      instance.requestWithAccessToken(tokens.accessToken, method, `/api/v1/me${path}`, body);
    await asCustomer('POST', '/password', { newPassword: PASSWORD });
    expect((await login(person.email!)).status).toBe(200);
    standIn.user = { ...person, ...trusted };
    expect(await openSocialSession(instance, project, google.slug)).toMatchObject({ id });
    expect(await getCustomer(id)).toMatchObject({ emailVerified: true });
    expect((await login(person.email!)).status).toBe(401);
    expect((await asCustomer('GET', '')).status).toBe(401);
    expect(await instance.sql('SELECT subject FROM identities WHERE customer_id = $1', [id])).toEqual([
      { subject: person.sub },
    ]);
  });

  it('creates a customer who cannot sign in until the address is verified, if that is required', async () => {
    const { email } = (standIn.user = createProviderUser());
    await changeSettings(instance, project, { requireVerifiedEmail: true });
    try {
      expect(outcomeOf(await signInAt(instance, project, gitlab.slug))).toBe('unverified');
      expect(outcomeOf(await signInAt(instance, project, gitlab.slug))).toBe('email_not_verified');
      const token = await instance.getVerificationToken(email!);
      expectStatus(200, await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } }));
      expect(outcomeOf(await signInAt(instance, project, gitlab.slug))).toBe('session');
    } finally {
      await changeSettings(instance, project, { requireVerifiedEmail: false });
    }
  });

  it('creates only one customer in 10 parallel first sign-ins with the same account', async () => {
    standIn.user = createProviderUser(trusted);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => signInAt(instance, project, google.slug)),
    );
    expect(new Set(results.map(outcomeOf))).toEqual(new Set(['session']));
    const rows = await instance.sql('SELECT customer_id FROM identities WHERE subject = $1', [
      standIn.user.sub,
    ]);
    expect(rows).toHaveLength(1);
    expect(await instance.events(rows[0]!['customer_id'] as string, 'customer.created')).toHaveLength(1);
  });
});

describe('PW-08: a sign-in with an unverified address and enumeration protection', () => {
  const states = ['none', 'verified', 'unverified', 'disabled'] as const;
  const signIns = {
    redirect: async (claims: object) => {
      standIn.user = createProviderUser(claims);
      return outcomeOf(await signInAt(instance, project, gitlab.slug));
    },
    native: (claims: object) => {
      standIn.user = createProviderUser(claims);
      return signInNatively({ email_verified: false });
    },
  };
  const hide = (allowSignUp: boolean): Promise<void> =>
    changeSettings(instance, project, { enumerationProtection: true, signIn: { allowSignUp } });
  beforeAll(() => hide(true));
  afterAll(() =>
    changeSettings(instance, project, { enumerationProtection: false, signIn: { allowSignUp: true } }),
  );

  /** Creates a customer without sending an email, unless the state is `none`. @returns the address in any case */
  async function createOwner(state: (typeof states)[number]) {
    const email = uniqueEmail();
    if (state === 'none') return { email, id: null };
    const fields = { projectId: project.id, email, emailVerified: state !== 'unverified' };
    const { id } = expectStatus(
      201,
      await instance.requestWithSecretKey('POST', '/api/v1/customers', fields),
    ).body;
    if (state === 'disabled')
      expectStatus(200, await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`));
    return { email, id: id as string };
  }

  /** Returns the addresses of all customers linked to an account with a provider. */
  const ownersOf = async (subject: string): Promise<unknown[]> => {
    const rows = await instance.sql(
      'SELECT c.email FROM identities d JOIN customers c ON c.id = d.customer_id WHERE d.subject = $1',
      [subject],
    );
    return rows.map(({ email }) => email);
  };

  it('fails identically on each repetition, and notifies the owner of the address', async () => {
    const found: Record<string, unknown[]> = {};
    for (const allowSignUp of [true, false]) {
      await hide(allowSignUp);
      for (const [path, signIn] of Object.entries(signIns))
        for (const state of states) {
          const { email } = await createOwner(state);
          const claims = { email, sub: `${path} ${email}` };
          const outcomes = [await signIn(claims), await signIn(claims)];
          found[`${path}, ${state}${allowSignUp ? '' : ', no sign-up'}`] = [
            ...outcomes,
            ...(await instance.listMailKinds(email)),
          ];
        }
    }
    await hide(true);
    const notified = ['sign_in_failed', 'sign_in_failed', 'already-registered'];
    const created = ['sign_in_failed', 'sign_in_failed', 'verify-email'];
    expect(found).toEqual(
      Object.fromEntries(
        ['redirect', 'native'].flatMap((path) => [
          [`${path}, none`, created],
          [`${path}, none, no sign-up`, ['sign_in_failed', 'sign_in_failed']],
          ...['verified', 'unverified', 'disabled'].flatMap((state) => [
            [`${path}, ${state}`, notified],
            [`${path}, ${state}, no sign-up`, notified],
          ]),
        ]),
      ),
    );
  });

  it('reports the failure to the backend in an event, both by redirect and natively', async () => {
    for (const [path, signIn] of Object.entries(signIns)) {
      const { email, id } = await createOwner('verified');
      await signIn({ email });
      const [event] = await eventually('the event', async () => {
        const events = await instance.events(id!, 'login.failed');
        return events.length > 0 && events;
      });
      expect([path, event!['data'].reason]).toEqual([path, 'account_exists']);
    }
  });

  it('succeeds once the owner has verified the address', async () => {
    for (const [path, signIn] of Object.entries(signIns)) {
      const { email } = await createOwner('none');
      const claims = { email, sub: `${path} ${email}` };
      await signIn(claims);
      const token = await instance.getVerificationToken(email);
      expectStatus(200, await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } }));
      expect([path, await signIn(claims)]).toEqual([path, 'session']);
    }
  });

  it('fails identically if the account has a new address, and does not move its identity', async () => {
    for (const [path, signIn] of Object.entries(signIns))
      for (const state of states) {
        const [{ email: first }, { email }] = [await createOwner('none'), await createOwner(state)];
        const outcomes = [await signIn({ email: first, sub: first }), await signIn({ email, sub: first })];
        expect([path, state, ...outcomes]).toEqual([path, state, 'sign_in_failed', 'sign_in_failed']);
        expect(await instance.listMailKinds(email)).toEqual(state === 'none' ? [] : ['already-registered']);
        expect(await ownersOf(first)).toEqual([first]);
      }
  });

  it("keeps an identity that has been used to sign in, even if the customer's address changes", async () => {
    const person = (standIn.user = createProviderUser({ hd: 'example.com' }));
    const { id } = await openSocialSession(instance, project, google.slug);
    const changed = { email: uniqueEmail() };
    expectStatus(200, await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, changed));
    expect(outcomeOf(await signInAt(instance, project, google.slug))).toBe('email_not_verified');
    expect(await ownersOf(person.sub)).toEqual([changed.email]);
  });

  it('leaves the provider account free to sign in later with a different, trusted address', async () => {
    const outcomes = [];
    for (const state of ['none', 'verified'] as const) {
      const { email } = await createOwner(state);
      const sub = `moved ${email}`;
      await signIns.native({ email, sub });
      const person = (standIn.user = createProviderUser({ sub, hd: 'example.com' }));
      const { email: signedIn } = await openSocialSession(instance, project, google.slug);
      outcomes.push([signedIn, ...(await ownersOf(sub))].every((each) => each === person.email));
    }
    expect(outcomes).toEqual([true, true]);
  });
});

describe('a provider that was turned off in the meantime', () => {
  it('does not complete a challenge, a link or a reauthentication until it is on again', async () => {
    const other = await createSocialProject(instance);
    const added = await addProvider(instance, other, standIn, { type: 'gitlab', issuer: standIn.issuer });
    const spare = await addProvider(instance, other, standIn, { type: 'google', issuer: standIn.issuer });
    await changeSettings(instance, other, { mfa: 'optional' });
    standIn.user = createProviderUser({ hd: 'example.com' });
    const { id, tokens } = await openSocialSession(instance, other, spare.slug);
    const asCustomer = (path: string, body: object = {}) =>
      instance.requestWithAccessToken(tokens.accessToken, 'POST', `/api/v1/me/${path}`, body);
    const { id: factorId, secret } = expectStatus(201, await asCustomer('factors/totp')).body;
    expectStatus(200, await asCustomer(`factors/totp/${factorId}/confirm`, { code: totpCode(secret) }));
    await resetTotpSteps(instance, { id });
    const begin = await beginInSession(instance, tokens.accessToken, `identities/${added.slug}`);
    const { code } = await completeFlow(begin);
    const link = () =>
      asCustomer('identities/exchange', {
        code,
        codeVerifier: begin.codeVerifier,
        redirectUrl: begin.redirectUrl,
      });
    const signedIn = (await signInAt(instance, other, spare.slug)) as TestResponse;
    const challengeToken = signedIn.body.challenge.token as string;
    const complete = () =>
      requestAsPage(instance, other, 'challenge/totp', { challengeToken, code: totpCode(secret) });

    await changeProvider(instance, other, added, { enabled: false });
    await changeProvider(instance, other, spare, { enabled: false });
    const off = { status: 403, body: { code: 'method_not_enabled' } };
    expect(await link()).toMatchObject(off);
    expect(await complete()).toMatchObject(off);
    await changeProvider(instance, other, added, { enabled: true });
    await changeProvider(instance, other, spare, { enabled: true });
    expectStatus(201, await link());
    expect(expectStatus(200, await complete()).body.customer.id).toBe(id);
  });
});

describe('an identity of a signed-in customer', () => {
  const link = async (accessToken: string, slug: string): Promise<TestResponse> => {
    const flow = await beginInSession(instance, accessToken, `identities/${slug}`);
    const { code } = await completeFlow(flow);
    const body = { code, codeVerifier: flow.codeVerifier, redirectUrl: flow.redirectUrl };
    return instance.requestWithAccessToken(accessToken, 'POST', '/api/v1/me/identities/exchange', body);
  };

  it('FE-03: verifies the address that the provider confirms, and revokes all earlier access', async () => {
    for (const [state, claims, isClaimed] of [
      ['own address', { hd: 'example.com' }, true],
      ['own address, not verified', { email_verified: false }, false],
      ['other address', { hd: 'example.com', email: uniqueEmail() }, false],
    ] as const) {
      const { id, email, accessToken } = await registerHere({ isVerified: false });
      standIn.user = createProviderUser({ email, ...claims });
      expectStatus(201, await link(accessToken, google.slug));
      const { emailVerified } = await getCustomer(id);
      const me = await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me');
      const found = [state, emailVerified, (await login(email)).status, me.status];
      expect(found).toEqual([state, isClaimed, ...(isClaimed ? [401, 401] : [200, 200])]);
      expect(await openSocialSession(instance, project, google.slug)).toMatchObject({ id });
    }
  });

  it('links with any email, signs in the customer, and is unlinked, with events and notices', async () => {
    const { id, email, accessToken } = await registerHere();
    const { sub } = (standIn.user = createProviderUser());
    const linked = expectStatus(201, await link(accessToken, gitlab.slug)).body;
    expect(linked).toMatchObject({ provider: gitlab.slug, type: 'gitlab', subject: sub });
    expect(await listMyIdentities(accessToken)).toEqual([linked]);
    expect(await openSocialSession(instance, project, gitlab.slug)).toMatchObject({ id, email });
    expectStatus(201, await link(accessToken, gitlab.slug));

    const other = await registerHere();
    expect((await link(other.accessToken, gitlab.slug)).body.code).toBe('identity_already_linked');

    const path = `/api/v1/me/identities/${linked.id}`;
    expect((await instance.requestWithAccessToken(other.accessToken, 'DELETE', path)).status).toBe(404);
    expectStatus(204, await instance.requestWithAccessToken(accessToken, 'DELETE', path));
    expect(await listMyIdentities(accessToken)).toEqual([]);
    const types = (await instance.events(id)).map(({ type }) => type as string);
    expect(types).toEqual(expect.arrayContaining(['identity.linked', 'identity.unlinked']));
    const kinds = await instance.listMailKinds(email);
    expect(kinds).toEqual(expect.arrayContaining(['identity-linked', 'identity-unlinked']));
    const audit = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?targetId=${id}`);
    const actions = audit.body.data.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['customer.identity_unlinked', 'customer.identity_linked']);
  });

  it('MF-05: requires a verification in the last ten minutes to link and unlink', async () => {
    const { id, accessToken } = await registerHere();
    standIn.user = createProviderUser();
    const { id: identityId } = expectStatus(201, await link(accessToken, gitlab.slug)).body;
    await instance.sql(
      `UPDATE sessions SET auth_time = now() - interval '11 minutes' WHERE customer_id = $1`,
      [id],
    );
    const target = { redirectUrl: REDIRECT_URL, codeChallenge: 'x'.repeat(43) };
    const code = { code: 'x', codeVerifier: 'x', redirectUrl: REDIRECT_URL };
    for (const [method, path, body] of [
      ['POST', `identities/${google.slug}`, target],
      ['POST', 'identities/exchange', code],
      ['DELETE', `identities/${identityId}`, undefined],
    ] as const) {
      const response = await instance.requestWithAccessToken(accessToken, method, `/api/v1/me/${path}`, body);
      expect([path, response.body.code]).toEqual([path, 'reauthentication_required']);
    }
  });

  it('cannot be unlinked while it is the last sign-in method', async () => {
    standIn.user = createProviderUser({ hd: 'example.com' });
    const { tokens } = await openSocialSession(instance, project, google.slug);
    const [identity] = await listMyIdentities(tokens.accessToken);
    const path = `/api/v1/me/identities/${identity!['id']}`;
    const response = await instance.requestWithAccessToken(tokens.accessToken, 'DELETE', path);
    expect(response.body.code).toBe('last_sign_in_method');
    expect(await listMyIdentities(tokens.accessToken)).toHaveLength(1);
  });

  it('reauthenticates only after a new sign-in with the same account', async () => {
    const provider = await addProvider(instance, project, openId, { type: 'oidc', issuer: openId.issuer });
    openId.user = createProviderUser();
    const agent = new UserAgent();
    const result = await signInAt(instance, project, provider.slug, agent);
    const { customer, tokens } = 'body' in result ? result.body : {};
    await instance.sql(`UPDATE sessions SET auth_time = now() - interval '1 day' WHERE customer_id = $1`, [
      customer.id,
    ]);
    const reauthenticate = async () => {
      const flow = await beginInSession(
        instance,
        tokens.accessToken,
        `reauthenticate/oauth/${provider.slug}`,
      );
      const { code } = await completeFlow(flow, agent);
      const body = { code, codeVerifier: flow.codeVerifier, redirectUrl: flow.redirectUrl };
      return instance.requestWithAccessToken(
        tokens.accessToken,
        'POST',
        '/api/v1/me/reauthenticate/exchange',
        body,
      );
    };
    const before = openId.signInCount;
    const { body } = expectStatus(200, await reauthenticate());
    expect(openId.signInCount).toBe(before + 1);
    const { auth_time, sid } = decodeJwt(body.accessToken);
    expect(auth_time).toBeGreaterThan(decodeJwt(tokens.accessToken).iat! - 60);
    expect(sid).toBe(decodeJwt(tokens.accessToken)['sid']);

    openId.user = createProviderUser();
    expect((await reauthenticate()).body.code).toBe('invalid_code');
    const begin = await instance.requestWithAccessToken(
      ...([tokens.accessToken, 'POST', `/api/v1/me/reauthenticate/oauth/${google.slug}`] as const),
      { redirectUrl: REDIRECT_URL, codeChallenge: 'x'.repeat(43) },
    );
    expect(begin.body.code).toBe('method_not_enabled');
  });
});

describe('a native sign-in with an ID token', () => {
  const send = async (body: object, slug = google.slug): Promise<string> =>
    outcomeOf(await requestAsPage(instance, project, `oauth/${slug}/token`, body));
  const audience = async (): Promise<string> => {
    const path = `/api/v1/projects/${project.id}/identity-providers/${google.id}`;
    return (await instance.requestWithSecretKey('GET', path)).body.clientId;
  };

  it("accepts an ID token once, in canonical form, for each audience and with the app's nonce", async () => {
    standIn.user = createProviderUser({ hd: 'example.com' });
    await changeProvider(instance, project, google, { clientIds: ['ios.example', 'android.example'] });
    for (const aud of [await audience(), 'ios.example', ['android.example']]) {
      const idToken = await standIn.issueIdToken({ aud, nonce: 'n-1' });
      expect(await send({ idToken, nonce: 'n-1' })).toBe('session');
      expect(await send({ idToken, nonce: 'n-1' })).toBe('sign_in_failed');
    }
    const nonce = 'n-3';
    const idToken = await standIn.issueIdToken({ aud: 'ios.example', nonce });
    for (const outcome of ['session', 'sign_in_failed']) {
      for (const other of [`${idToken}=`, `${idToken}\n`, ` ${idToken}`, idToken.replaceAll('.', ' .')])
        expect(await send({ idToken: other, nonce })).toBe('sign_in_failed');
      expect(await send({ idToken, nonce })).toBe(outcome);
    }
    const parallel = await standIn.issueIdToken({ aud: 'ios.example', nonce: 'n-2' });
    const results = await Promise.all(
      Array.from({ length: 10 }, () => send({ idToken: parallel, nonce: 'n-2' })),
    );
    expect(results.filter((result) => result === 'session')).toHaveLength(1);
  });

  it('EX-01: rejects an ID token that was issued before access ended', async () => {
    standIn.user = createProviderUser({ hd: 'example.com' });
    const claims = { aud: await audience(), nonce: 'n-1' };
    const { id } = await openSocialSession(instance, project, google.slug);
    const earlier = await standIn.issueIdToken(claims);
    await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}/sessions`);
    expect(await send({ idToken: earlier, nonce: 'n-1' })).toBe('invalid_code');
    // The provider's clock may be a minute ahead.
    const later = await standIn.issueIdToken({ ...claims, iat: Math.floor(Date.now() / 1_000) + 30 });
    expect(await send({ idToken: later, nonce: 'n-1' })).toBe('session');
  });

  it('rejects a different audience or issuer, a wrong nonce, and old or forged ID tokens', async () => {
    standIn.user = createProviderUser({ hd: 'example.com' });
    const aud = await audience();
    const nonce = 'n-1';
    const now = Math.floor(Date.now() / 1_000);
    const tokens: [string, string, string | undefined][] = [
      ['another audience', await standIn.issueIdToken({ aud: 'someone-else', nonce }), nonce],
      [
        'another issuer',
        await standIn.issueIdToken({ aud, nonce, iss: 'https://accounts.example.com' }),
        nonce,
      ],
      ['an expired one', await standIn.issueIdToken({ aud, nonce, iat: now - 900, exp: now - 300 }), nonce],
      ['an old one', await standIn.issueIdToken({ aud, nonce, iat: now - 7_200 }), nonce],
      ['another nonce', await standIn.issueIdToken({ aud, nonce: 'n-2' }), nonce],
      ['no nonce in the token', await standIn.issueIdToken({ aud }), nonce],
      ['no nonce at all', await standIn.issueIdToken({ aud }), undefined],
      ['no nonce in the request', await standIn.issueIdToken({ aud, nonce }), undefined],
      ['no token', 'x.y.z', nonce],
    ];
    for (const signature of ['forged', 'unpublished', 'none', 'public-key'] as const) {
      standIn.signature = signature;
      tokens.push([signature, await standIn.issueIdToken({ aud, nonce }), nonce]);
    }
    standIn.signature = 'published';
    for (const [name, idToken, sent] of tokens)
      expect([name, await send({ idToken, nonce: sent })]).toEqual([name, 'sign_in_failed']);
    expect(await send({ idToken: await standIn.issueIdToken({ aud }) }, gitlab.slug)).toBe(
      'method_not_enabled',
    );
  });
});

it("FE-05: the log and the database do not contain a provider's tokens, codes or secrets", async () => {
  standIn.user = createProviderUser({ hd: 'example.com' });
  standIn.requests.length = 0;
  const { tokens } = await openSocialSession(instance, project, google.slug);
  const { form } = standIn.requestsTo('token')[0]!;
  const response = await instance.request('GET', '/api/v1/me', { headers: bearerHeader(tokens.accessToken) });
  expect(response.status).toBe(200);
  const secrets = [form['client_secret']!, form['code']!, form['code_verifier']!];
  const log = instance.api.output;
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  const rows = await instance.sql(
    `SELECT row_to_json(i)::text AS row FROM identity_providers i UNION ALL SELECT row_to_json(f)::text FROM oauth_flows f
     UNION ALL SELECT row_to_json(e)::text FROM sign_in_exchanges e UNION ALL SELECT row_to_json(d)::text FROM identities d`,
  );
  const stored = rows.map(({ row }) => row as string).join('\n');
  expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
});
