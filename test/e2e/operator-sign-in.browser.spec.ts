import type { Page as BrowserPage } from 'playwright-core';
import { describeBrowser, TestBrowser } from '../support/browser.js';
import { submitForm, waitForHeading } from '../support/console-tests.js';
import { eventually } from '../support/eventually.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser, type ProviderUser } from '../support/identity-providers/provider-user.js';
import { UserAgent, type Page } from '../support/identity-providers/user-agent.js';
import {
  CONSOLE_HEADER,
  insertOperator,
  OPERATOR_COOKIE,
  OperatorClient,
} from '../support/operator-client.js';
import { runGatehouse } from '../support/run-gatehouse.js';
import { freePort } from '../support/server-process.mjs';
import { SoftwareAuthenticator, type Deviations } from '../support/software-authenticator.js';
import { TestInstance } from '../support/test-instance.js';
import { addVirtualAuthenticator } from '../support/virtual-authenticator.js';
import { uniqueEmail } from '../support/unique-email.js';

const REFRESH = /<meta http-equiv="refresh" content="0; url=([^"]*)">/;

/** Returns a provider account with an installation-wide admin's claims. */
const createOperator = (claims: Partial<ProviderUser> = {}): ProviderUser =>
  createProviderUser({ groups: ['gatehouse-admins'], orgs: '*', ...claims });

/** Passkeys require a host name instead of an IP address. */
describe('the operator sign-in at a host name', () => {
  let provider: OpenIdProvider;
  let instance: TestInstance;
  let admin: OperatorClient;
  let startedBrowser: TestBrowser | undefined;
  const getBrowser = async (): Promise<TestBrowser> => (startedBrowser ??= await TestBrowser.startShared());
  let sharedPage: BrowserPage | undefined;
  /** Opens a screen without a session, on the page that all tests share. */
  const show = async (path: string): Promise<BrowserPage> => {
    sharedPage ??= await (await getBrowser()).open('about:blank', { reducedMotion: 'reduce' });
    await sharedPage.context().clearCookies();
    await sharedPage.goto(`${instance.baseUrl}/console${path}`);
    return sharedPage;
  };

  beforeAll(async () => {
    const port = String(await freePort());
    // The browser must send cookies as in production, so this site must differ from the provider's site.
    const publicUrl = `http://localhost:${port}`;
    provider = await OpenIdProvider.start({ extraClaims: ['orgs'] });
    const redirectUri = `${publicUrl}/operator/v1/oidc/callback`;
    const { clientId, clientSecret } = provider.addClient({ redirectUri });
    instance = await TestInstance.start({
      workers: 0,
      env: {
        PORT: port,
        PUBLIC_URL: publicUrl,
        RATE_LIMITS: 'off',
        OPERATOR_OIDC_ISSUER: provider.issuer,
        OPERATOR_OIDC_CLIENT_ID: clientId,
        OPERATOR_OIDC_CLIENT_SECRET: clientSecret,
        OPERATOR_OIDC_ROLES: 'admin=gatehouse-admins,viewer=staff',
        OPERATOR_OIDC_ORGANIZATIONS_CLAIM: 'orgs',
        OPERATOR_OIDC_LABEL: 'Nordwind ID',
      },
    });
    admin = await insertOperator(instance);
  });
  afterAll(async () => {
    await startedBrowser?.close();
    await instance?.stop();
    await provider?.stop();
  });
  beforeEach(() => {
    provider.isDenied = false;
    provider.claimsIn = 'id_token';
  });

  /** Begins a flow in a browser, and returns the provider's URL. */
  async function begin(
    agent: UserAgent,
    client = new OperatorClient(instance),
    path = '/session/oidc',
  ): Promise<string> {
    const body = path === '/session/oidc' ? { to: '/events?q=1', isSeparateWindow: false } : undefined;
    const response = await client.request('POST', path, body);
    expect(response.status).toBe(200);
    agent.cookies.store(new URL(instance.baseUrl), response.headers.getSetCookie());
    return response.body.url as string;
  }

  /** Signs in with a provider account. Returns the last page, and the operator if there is a session. */
  async function signIn(person: ProviderUser, agent = new UserAgent()) {
    provider.user = person;
    const page = await agent.open(await begin(agent));
    const client = new OperatorClient(instance);
    client.cookie = agent.cookies.get('localhost', OPERATOR_COOKIE) ?? null;
    const session = (await client.request('GET', '/session')).body;
    client.operator = session.operator;
    return { page, client, session, agent };
  }

  const toPlainText = ({ text }: Page): string =>
    text.replace(/<style>.*<\/style>/s, '').replace(/<[^>]+>/g, ' ');

  const latestAction = async (id: string): Promise<unknown> =>
    (await admin.request('GET', `/audit-log?targetId=${id}`)).body.data.map(
      ({ action, details }: { action: string; details: object }) => ({ action, details }),
    );

  it('creates an operator with the role of the claim, and opens the requested screen', async () => {
    const person = createOperator({ groups: ['others', 'staff', 'gatehouse-admins'] });
    const { page, session, client } = await signIn(person);
    expect(page.status).toBe(200);
    expect(REFRESH.exec(page.text)?.[1]).toBe('/console/events?q=1');
    expect(String(page.headers['set-cookie'])).toMatch(
      new RegExp(`${OPERATOR_COOKIE}=[^;]{43}; Path=/; HttpOnly; Secure; SameSite=Strict`),
    );
    expect(session).toMatchObject({
      state: 'signed_in',
      method: 'oidc',
      hasSecondFactor: true,
      isReauthenticated: false,
      operator: { email: person.email, name: 'Ada Byron', role: 'admin', organizationIds: null },
      singleSignOn: { label: 'Nordwind ID' },
    });
    const { id } = client.operator;
    expect(await latestAction(id)).toEqual([
      { action: 'operator.signed_in', details: { method: 'oidc' } },
      { action: 'operator.created', details: { role: 'admin', method: 'oidc' } },
    ]);
    const { body } = await admin.request('GET', `/operators?q=${person.email}`);
    expect(body.data).toMatchObject([{ id, status: 'active', singleSignOn: true, secondFactor: false }]);
  });

  it('sets role and organizations at every sign-in, even from the userinfo endpoint', async () => {
    const [organization] = await instance.sql('SELECT id, slug FROM organizations ORDER BY id LIMIT 1');
    const person = createOperator();
    const { client } = await signIn(person);
    provider.claimsIn = 'userinfo';
    const changed = { ...person, groups: ['staff'], orgs: [organization!['slug'], 'unknown'] };
    const { session, agent } = await signIn(changed);
    expect(session.operator).toMatchObject({
      id: client.operator.id,
      role: 'viewer',
      organizationIds: [organization!['id']],
    });
    expect(await latestAction(client.operator.id)).toMatchObject([
      { action: 'operator.signed_in' },
      { action: 'operator.updated', details: { by: 'oidc', from: 'admin', to: 'viewer' } },
      { action: 'operator.signed_in' },
      { action: 'operator.created' },
    ]);
    // The previous session gets the new role immediately.
    expect((await client.request('GET', '/operators')).status).toBe(403);
    expect(agent.cookies.get('localhost', '__Host-gatehouse_oidc')).toBeUndefined();
  });

  it('links an operator with the same verified email address, and voids an invitation', async () => {
    const email = uniqueEmail();
    const { body } = await admin.request('POST', '/operators', { email, role: 'viewer' });
    const token = new URL(body.invitationUrl as string).hash.slice('#token='.length);
    const rejected = await signIn(createOperator({ email, email_verified: false }));
    expect(toPlainText(rejected.page)).toContain('An operator with your email address exists');
    expect(rejected.session.state).toBe('signed_out');

    const person = createOperator({ email });
    const { session } = await signIn(person);
    expect(session.operator).toMatchObject({ id: body.id, role: 'admin' });
    expect(await latestAction(body.id as string)).toMatchObject([
      { action: 'operator.signed_in' },
      { action: 'operator.updated' },
      { action: 'operator.single_sign_on_linked' },
      { action: 'operator.invited' },
    ]);
    const accepted = { token, password: 'an unusual long phrase' };
    expect((await admin.request('POST', '/invitations/accept', accepted)).status).toBe(400);
    const other = await signIn(createOperator({ email }));
    expect(toPlainText(other.page)).toContain('An operator with your email address exists');

    await new OperatorClient(instance).request('POST', '/session', { email, password: 'a wrong password' });
    await signIn(person);
    // The sign-in has not verified the password, so its failed attempts stay counted.
    expect(
      await instance.sql('SELECT FROM operator_login_attempts WHERE email_hash = sha256($1)', [
        Buffer.from(email),
      ]),
    ).toHaveLength(1);
  });

  it.each([
    [{ groups: ['others'] }, 'has no role in Gatehouse'],
    [{ groups: undefined }, 'has no role in Gatehouse'],
    [{ orgs: undefined }, 'has no organization in Gatehouse'],
    [{ orgs: ['unknown'] }, 'has no organization in Gatehouse'],
    [{ email: undefined }, 'did not share your email address'],
  ])('rejects an account with the claims %j', async (claims, text) => {
    const { page, session } = await signIn(createOperator(claims));
    expect([page.status, session.state]).toEqual([403, 'signed_out']);
    expect(toPlainText(page)).toContain(text);
    expect(String(page.headers['set-cookie'])).not.toContain(OPERATOR_COOKIE);
  });

  it('rejects a disabled operator, and a canceled sign-in', async () => {
    const person = createOperator();
    const { client } = await signIn(person);
    await admin.request('POST', `/operators/${client.operator.id}/disable`);
    expect(toPlainText((await signIn(person)).page)).toContain('Your account is disabled');
    provider.isDenied = true;
    expect(toPlainText((await signIn(createOperator())).page)).toContain('was canceled');
  });

  it('does not demote the last admin who has a password', async () => {
    const email = uniqueEmail();
    await instance.sql(`UPDATE operators SET email = $1 WHERE id = $2`, [email, admin.operator.id]);
    await instance.sql(`UPDATE operators SET disabled_at = now() WHERE id <> $1`, [admin.operator.id]);
    try {
      const { page } = await signIn(createOperator({ email, groups: ['staff'] }));
      expect(toPlainText(page)).toContain('You are the last admin with a password');
      const { body } = await admin.request('GET', '/session');
      expect(body.operator).toMatchObject({ role: 'admin' });
    } finally {
      await instance.sql('UPDATE operators SET disabled_at = NULL');
    }
  });

  it('accepts a response only once, with its state, in the browser that began the sign-in', async () => {
    provider.user = createOperator();
    const agent = new UserAgent();
    const target = `${instance.baseUrl}/operator/v1/oidc/callback`;
    const { url } = await agent.follow(await begin(agent), { until: target });
    const stolen = await new UserAgent().open(url);
    expect(stolen.status).toBe(400);
    const forged = new URL(url);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await agent.open(forged)).status).toBe(400);
    const copy = agent.cookies.get('localhost', '__Host-gatehouse_oidc')!;
    const openWith = async (value: string): Promise<Page> => {
      const holder = new UserAgent();
      holder.cookies.store(url, [`__Host-gatehouse_oidc=${value}; Path=/`]);
      return holder.open(url);
    };
    for (const other of [copy.replace(/^./, 'x'), `${copy}.x`, `${copy}=`])
      expect((await openWith(other)).status).toBe(400);
    const openWithCopy = (): Promise<Page> => openWith(copy);
    const parallel = await Promise.all(Array.from({ length: 5 }, openWithCopy));
    const pages = [...parallel, await openWithCopy(), await agent.open(url)];
    expect(pages.map(({ status }) => status).sort()).toEqual([200, ...Array(6).fill(400)]);
    for (const page of pages)
      expect(toPlainText(page)).toContain(page.status === 200 ? 'You are signed in' : 'was already used');
    const { email } = provider.user;
    const sessions = `SELECT FROM operator_sessions s JOIN operators o ON o.id = s.operator_id WHERE o.email = $1`;
    expect(await instance.sql(sessions, [email])).toHaveLength(1);
  });

  it('rejects a response after the sign-in has expired, and accepts a new sign-in', async () => {
    provider.user = createOperator();
    const agent = new UserAgent();
    const start = await begin(agent);
    await instance.sql('UPDATE operator_flows SET expires_at = now()');
    expect((await agent.open(start)).status).toBe(400);
    expect((await agent.open(await begin(agent))).status).toBe(200);
  });

  it('accepts only console paths, and only requests from the console', async () => {
    for (const to of ['https://evil.example', 'events', '', '/\n'])
      expect(
        await new OperatorClient(instance).request('POST', '/session/oidc', { to, isSeparateWindow: false }),
      ).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const response = await instance.request('POST', '/operator/v1/session/oidc', {
      body: { to: '/', isSeparateWindow: false },
      headers: { ...CONSOLE_HEADER, 'sec-fetch-site': 'cross-site' },
    });
    expect(response.body.code).toBe('cross_site_request');
  });

  it('reauthenticates with the provider, and only with the same account', async () => {
    const person = createOperator();
    const { client, agent } = await signIn(person);
    const { cookie } = client;
    const act = () => client.request('POST', '/operators', { email: uniqueEmail(), role: 'viewer' });
    expect(await act()).toMatchObject({
      status: 403,
      body: { code: 'reauthentication_required', methods: ['oidc'] },
    });
    expect(await client.request('POST', '/session/reauthenticate', { code: '000000' })).toMatchObject({
      status: 409,
    });
    // The holder of a stolen cookie must not be able to enroll an authenticator and reauthenticate with it.
    expect((await client.request('POST', '/session/enrollment')).status).toBe(401);

    const count = provider.signInCount;
    provider.user = createOperator();
    const other = await agent.open(await begin(agent, client, '/session/oidc/reauthenticate'));
    expect(toPlainText(other)).toContain('as another person');
    expect(await act()).toMatchObject({ status: 403 });

    provider.user = { ...person, groups: ['others'] };
    const withoutRole = await agent.open(await begin(agent, client, '/session/oidc/reauthenticate'));
    expect(toPlainText(withoutRole)).toContain('has no role in Gatehouse');
    expect(await act()).toMatchObject({ status: 403 });

    provider.user = person;
    const page = await agent.open(await begin(agent, client, '/session/oidc/reauthenticate'));
    expect(toPlainText(page)).toContain('Your identity is confirmed');
    expect(provider.signInCount).toBe(count + 3);
    client.cookie = agent.cookies.get('localhost', OPERATOR_COOKIE)!;
    expect(client.cookie).not.toBe(cookie);
    expect((await client.request('GET', '/session')).body.isReauthenticated).toBe(true);
    expect((await act()).status).toBe(201);
    expect((await client.request('POST', '/session/passkeys/options')).status).toBe(409);
    client.cookie = cookie;
    expect((await act()).status).toBe(401);
    expect(await admin.request('POST', '/session/oidc/reauthenticate')).toMatchObject({ status: 409 });
  });

  it('reports a provider that does not respond', async () => {
    await provider.stop();
    try {
      const agent = new UserAgent();
      const response = await new OperatorClient(instance).request('POST', '/session/oidc', {
        to: '/',
        isSeparateWindow: false,
      });
      // This request succeeds because the discovery document is cached.
      expect(response.status).toBe(200);
      agent.cookies.store(new URL(instance.baseUrl), response.headers.getSetCookie());
      const { state } = Object.fromEntries(new URL(response.body.url as string).searchParams);
      const page = await agent.open(
        `${instance.baseUrl}/operator/v1/oidc/callback?state=${state}&code=x&iss=${provider.issuer}`,
      );
      expect([page.status, toPlainText(page)]).toEqual([503, expect.stringContaining('does not respond')]);
    } finally {
      await provider.listen();
    }
  });

  it('ends sessions from a previous provider, and links operators to accounts at the new one', async () => {
    const issuer = 'https://previous.example';
    const person = createOperator();
    const { client } = await signIn(person);
    expect((await client.request('GET', '/session')).body.state).toBe('signed_in');
    await instance.sql('UPDATE operators SET oidc_issuer = $1 WHERE id = $2', [issuer, client.operator.id]);
    expect((await client.request('GET', '/session')).body.state).toBe('signed_out');
    expect(await client.request('GET', '/projects')).toMatchObject({ status: 401 });
    const { session } = await signIn(person);
    expect(session.operator.id).toBe(client.operator.id);
    // The old cookie must not be accepted again with the account at the new provider.
    expect((await client.request('GET', '/session')).body.state).toBe('signed_out');
    expect(await latestAction(client.operator.id)).toMatchObject([
      { action: 'operator.signed_in' },
      { action: 'operator.single_sign_on_linked', details: { replaced: true } },
      { action: 'operator.signed_in' },
      { action: 'operator.created' },
    ]);
  });

  describe('a passkey', () => {
    const post = (client: OperatorClient, path: string, body?: object) =>
      client.request('POST', `/session${path}`, body);
    const origin = (): { origin: string } => ({ origin: instance.baseUrl });

    /** Requests options and creates a passkey with them. */
    async function create(client: OperatorClient, path: string, authenticator: SoftwareAuthenticator) {
      const { options } = (await post(client, `${path}/options`)).body;
      return post(client, path, { name: 'Laptop', response: authenticator.create(options, origin()) });
    }
    async function use(
      client: OperatorClient,
      path: string,
      authenticator: SoftwareAuthenticator,
      deviations: Deviations = {},
    ) {
      const { options } = (await post(client, `${path}/options`)).body;
      return post(client, path, { response: authenticator.get(options, { ...origin(), ...deviations }) });
    }

    /** Returns an operator without a second factor who has entered the password. */
    async function enterPassword(client?: OperatorClient): Promise<OperatorClient> {
      const { operator } = client ?? (await insertOperator(instance, 'viewer'));
      if (!client) await instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [operator.id]);
      const next = new OperatorClient(instance);
      const { password } = instance.credentials.operator;
      await post(next, '', { email: operator.email, password });
      next.operator = operator;
      return next;
    }

    it('enrolls at the first sign-in, and signs in at later ones', async () => {
      const authenticator = new SoftwareAuthenticator();
      const client = await enterPassword();
      const enrolled = await create(client, '/enrollment/passkey', authenticator);
      expect(enrolled.body).toMatchObject({
        session: { state: 'signed_in', factors: ['passkey'], hasSecondFactor: true },
        recoveryCodes: expect.arrayContaining([expect.any(String)]),
      });
      expect(await latestAction(client.operator.id)).toMatchObject([
        { action: 'operator.signed_in', details: { secondFactor: 'passkey' } },
        { action: 'operator.passkey_added' },
      ]);

      const again = await enterPassword(client);
      expect((await post(again, '/enrollment/passkey/options')).status).toBe(401);
      const stranger = new SoftwareAuthenticator();
      expect((await use(again, '/second-factor/passkey', stranger, { userHandle: null })).body.code).toBe(
        'passkey_not_accepted',
      );
      const { options } = (await post(again, '/second-factor/passkey/options')).body;
      const body = { response: authenticator.get(options, origin()) };
      const elsewhere = { response: authenticator.get(options, { origin: 'http://localhost:1' }) };
      expect((await post(again, '/second-factor/passkey', elsewhere)).status).toBe(401);
      // The rejected request has used up the challenge.
      expect((await post(again, '/second-factor/passkey', body)).status).toBe(401);
      expect((await use(again, '/second-factor/passkey', authenticator)).body.state).toBe('signed_in');

      const failures = `/audit-log?targetId=${client.operator.id}&action=operator.code_failed`;
      await eventually('the audit log entries', async () => {
        const { body: entries } = await admin.request('GET', failures);
        return entries.data.length === 3;
      });

      const recovered = await enterPassword(client);
      const code = enrolled.body.recoveryCodes[0] as string;
      expect((await post(recovered, '/second-factor', { code })).body.state).toBe('signed_in');
    });

    it('stops working after ten failures of passkeys, passwords and codes together', async () => {
      const authenticator = new SoftwareAuthenticator();
      const client = await enterPassword();
      const enrolled = await create(client, '/enrollment/passkey', authenticator);
      // Removes the client IP from which the operator has signed in. It would have ten attempts of its own.
      const { id, email } = client.operator;
      await instance.sql('DELETE FROM operator_addresses WHERE operator_id = $1', [id]);
      const again = await enterPassword(client);
      const codes: unknown[] = [];
      for (let index = 0; index < 10; index += 1) {
        const { body } = await use(again, '/second-factor/passkey', new SoftwareAuthenticator(), {
          userHandle: null,
        });
        codes.push(body.code);
      }
      expect(codes).toEqual([...Array(9).fill('passkey_not_accepted'), 'too_many_attempts']);
      const locked = { status: 429, body: { code: 'too_many_attempts', limit: 'failed-operator-login' } };
      expect(await use(again, '/second-factor/passkey', authenticator)).toMatchObject(locked);
      const code = enrolled.body.recoveryCodes[0] as string;
      expect(await post(again, '/second-factor', { code })).toMatchObject(locked);
      expect(await use(client, '/reauthenticate/passkey', authenticator)).toMatchObject(locked);
      const failures = `/audit-log?targetId=${id}&action=operator.code_failed`;
      await eventually('an entry for each failure', async () => {
        const { body } = await admin.request('GET', failures);
        return body.data.length === 9;
      });

      const countOf = `operator_login_attempts WHERE email_hash = sha256($1)`;
      const values = [Buffer.from(email)];
      await instance.sql(`DELETE FROM ${countOf}`, values);
      await use(client, '/reauthenticate/passkey', new SoftwareAuthenticator(), { userHandle: null });
      expect((await use(client, '/reauthenticate/passkey', authenticator)).status).toBe(200);
      // A reauthentication does not clear earlier failures.
      expect(await instance.sql(`SELECT tries FROM ${countOf}`, values)).toEqual([{ tries: 1 }]);
    });

    it('confirms sensitive actions, requires reauthentication for changes, and can be reset', async () => {
      const authenticator = new SoftwareAuthenticator();
      const client = await enterPassword();
      await create(client, '/enrollment/passkey', authenticator);
      const second = new SoftwareAuthenticator();
      expect((await post(client, '/passkeys/options')).body.code).toBe('reauthentication_required');
      expect((await use(client, '/reauthenticate/passkey', authenticator)).body.isReauthenticated).toBe(true);
      const other = await enterPassword(client);
      await use(other, '/second-factor/passkey', authenticator);
      const { body } = await create(client, '/passkeys', second);
      expect((await other.request('GET', '/session')).body.state).toBe('signed_out');
      const listed = (await client.request('GET', '/session/passkeys')).body.data;
      expect(listed).toMatchObject([{ id: body.id, name: 'Laptop', lastUsedAt: null }, { name: 'Laptop' }]);
      const remove = (id: string) => client.request('DELETE', `/session/passkeys/${id}`);
      const rename = (id: string, as = client) =>
        as.request('PATCH', `/session/passkeys/${id}`, { name: 'Phone' });
      expect((await rename(body.id as string)).body.code).toBe('reauthentication_required');
      // Each change requires a separate confirmation.
      expect((await remove(listed[1].id as string)).body.code).toBe('reauthentication_required');
      await use(client, '/reauthenticate/passkey', authenticator);
      expect((await rename(body.id as string, admin)).status).toBe(404);
      expect(await rename(body.id as string)).toMatchObject({ status: 200, body: { name: 'Phone' } });
      expect((await remove(listed[1].id as string)).status).toBe(204);
      expect((await post(client, '/passkeys/options')).body.code).toBe('reauthentication_required');
      await use(client, '/reauthenticate/passkey', second);
      expect(await remove(body.id as string)).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(await latestAction(client.operator.id)).toMatchObject([
        { action: 'operator.reauthenticated' },
        { action: 'operator.passkey_removed' },
        { action: 'operator.passkey_renamed', details: { passkeyId: body.id } },
        { action: 'operator.reauthenticated' },
        { action: 'operator.passkey_added' },
        { action: 'operator.signed_in' },
        { action: 'operator.reauthenticated', details: { secondFactor: 'passkey' } },
        { action: 'operator.signed_in' },
        { action: 'operator.passkey_added' },
      ]);

      await admin.request('POST', `/operators/${client.operator.id}/reset-second-factor`);
      const reset = await enterPassword(client);
      expect((await reset.request('GET', '/session')).body).toMatchObject({
        state: 'enrollment',
        factors: [],
      });
      expect((await post(reset, '/second-factor/passkey/options')).status).toBe(401);
    });
  });

  describeBrowser('in the console', () => {
    let browser: TestBrowser;
    beforeAll(async () => (browser = await getBrowser()));

    const confirm = async (page: BrowserPage): Promise<void> => {
      const [window] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click(),
      ]);
      await window.getByRole('heading', { name: 'Your identity is confirmed' }).waitFor();
      await window.close();
    };

    it('signs in, keeps a form whose action requires a new sign-in, and signs out', async () => {
      provider.user = createOperator();
      const page = await show('/operators');
      await waitForHeading(page, 'Sign in');
      await browser.screenshot(page, 'single-sign-on');
      await page.getByRole('button', { name: 'Sign in with Nordwind ID' }).click();
      await waitForHeading(page, 'Operators');
      await page.getByRole('button', { name: 'Invite operator' }).click();
      const email = uniqueEmail();
      await page.getByRole('dialog').getByLabel('Email').fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Invite operator' }).click();
      await page.getByText('sign in again with your identity provider').waitFor();
      await browser.screenshot(page, 'single-sign-on-reauthentication');
      await confirm(page);
      await page.getByText('Invitation link').first().waitFor();
      await page.goto(`${instance.baseUrl}/console/account`);
      await waitForHeading(page, 'Account');
      await page.getByText('Single sign-on').waitFor();
      expect(await page.getByRole('region', { name: 'Password' }).count()).toBe(0);
      await page.getByRole('button', { name: /Account menu/ }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await waitForHeading(page, 'Sign in');
    });

    it('enrolls a passkey, and signs in with it', async () => {
      const { operator } = await insertOperator(instance);
      await instance.sql('UPDATE operators SET totp_secret = NULL WHERE id = $1', [operator.id]);
      const page = await show('/account');
      await addVirtualAuthenticator(page);
      const credentials = { username: operator.email, password: instance.credentials.operator.password };
      await submitForm(page, credentials);
      await waitForHeading(page, 'Set up two-factor authentication');
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await browser.screenshot(page, 'passkey-enrollment');
      await submitForm(page, { passkey: 'Test key' });
      await waitForHeading(page, 'Save your recovery codes');
      await page.getByLabel('I have saved these codes').check();
      await page.getByRole('button', { name: 'Continue' }).click();
      await waitForHeading(page, 'Account');
      await page.getByRole('region', { name: 'Passkeys' }).getByText('Test key').waitFor();
      await browser.screenshot(page, 'passkeys');
      await page.getByRole('region', { name: 'Passkeys' }).getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByLabel('Name of the passkey').fill('Security key');
      await page.getByRole('button', { name: 'Rename passkey' }).click();
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('region', { name: 'Passkeys' }).getByText('Security key').waitFor();
      await page.getByRole('button', { name: /Account menu/ }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await waitForHeading(page, 'Sign in');
      await submitForm(page, credentials);
      await waitForHeading(page, 'Two-factor authentication');
      await browser.screenshot(page, 'passkey-sign-in');
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await waitForHeading(page, 'Overview');
    });
  });

  /** These tests run last, because they restart the API with an additional setting. */
  describe('required single sign-on', () => {
    const settings = { OPERATOR_OIDC_ONLY: 'on' };
    const rejection = { status: 403, body: { code: 'single_sign_on_required' } };
    const tokenOf = (link: string): string => new URL(link).hash.slice('#token='.length);
    let invitation: string;
    beforeAll(async () => {
      const invited = await admin.request('POST', '/operators', { email: uniqueEmail(), role: 'admin' });
      invitation = tokenOf(invited.body.invitationUrl as string);
      await instance.api.stop('SIGTERM');
      instance.startApi(settings);
      await instance.waitUntilReady();
    });

    it('rejects passwords and invitations, and accepts the provider', async () => {
      const { email } = admin.operator;
      const { password } = instance.credentials.operator;
      const newPassword = 'an unusual long phrase';
      const requests: [string, object?][] = [
        ['/session', { email, password }],
        ['/session/password', { currentPassword: password, newPassword }],
        ['/invitations/accept', { token: invitation, password: newPassword }],
        ['/operators', { email: uniqueEmail(), role: 'viewer' }],
        [`/operators/${(await insertOperator(instance)).operator.id}/invite-again`],
      ];
      for (const [path, body] of requests)
        expect([path, await admin.request('POST', path, body)]).toEqual([
          path,
          expect.objectContaining({ ...rejection, body: expect.objectContaining(rejection.body) }),
        ]);
      const { session } = await signIn(createOperator());
      expect(session).toMatchObject({ state: 'signed_in', singleSignOn: { isRequired: true } });
    });

    it('opens one session with a link from the command operator-link, even without the provider', async () => {
      const { email, id } = (await signIn(createOperator())).client.operator;
      await provider.stop();
      try {
        const output = await runGatehouse(instance, ['operator-link', email], settings);
        expect(output).toContain('Single sign-on is required (OPERATOR_OIDC_ONLY=on)');
        const token = tokenOf(/^http\S+$/m.exec(output)![0]);
        const password = 'an unusual long phrase';
        const client = new OperatorClient(instance);
        const accept = (given: string) =>
          client.request('POST', '/invitations/accept', { token: given, password });
        expect(await accept(`command.${invitation}`)).toMatchObject({ status: 400 });
        expect(await accept(token)).toMatchObject({ status: 200, body: { state: 'enrollment' } });
        await client.enroll();
        expect((await client.request('GET', '/session')).body).toMatchObject({
          state: 'signed_in',
          method: 'password',
          operator: { id, role: 'admin' },
        });
        expect((await client.request('GET', '/operators')).status).toBe(200);
        expect(await accept(token)).toMatchObject({ status: 400 });
        expect(await client.request('POST', '/session', { email, password })).toMatchObject(rejection);
      } finally {
        await provider.listen();
      }
    });

    describeBrowser('in the console', () => {
      it('offers only the sign-in with the provider, and no invitations', async () => {
        provider.user = createOperator();
        const page = await show('/operators');
        await waitForHeading(page, 'Sign in');
        const button = page.getByRole('button', { name: 'Sign in with Nordwind ID' });
        await button.waitFor();
        expect(await page.locator('input').count()).toBe(0);
        await button.click();
        await waitForHeading(page, 'Operators');
        await page
          .getByRole('button', { name: /^Actions for/ })
          .first()
          .waitFor();
        expect(await page.getByRole('button', { name: 'Invite operator' }).count()).toBe(0);
      });
    });
  });
});
