import { createHash, randomBytes } from 'node:crypto';
import { expectStatus, registerCustomer, submitToken, withSettings } from '../support/customers.js';
import { exchangeCode, requestEmailCode } from '../support/email-codes.js';
import {
  checkDomain,
  createVerifiedProvider,
  createDomainProvider,
  publishRecord,
  requestProviders,
  requireProvider,
  type DomainProvider,
} from '../support/identity-providers/provider-domains.js';
import { HostedSignIn } from '../support/hosted-sign-in.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { UserAgent } from '../support/identity-providers/user-agent.js';
import { NameServer } from '../support/name-server.js';
import {
  addFactors,
  allMethods,
  outcomeOf,
  redirectUrl,
  signInMethods,
  type Owner,
} from '../support/sign-in-methods.js';
import { insertKey, insertOrganization } from '../support/tenants.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let nameServer: NameServer;
let supportKey: string;
beforeAll(async () => {
  nameServer = await NameServer.startShared();
  instance = await TestInstance.startShared({ workerEnv: { PERIODIC_JOBS: 'off' } });
  const scopes = ['customer:impersonate', 'session:migrate'];
  supportKey = await insertKey(instance, { ...instance.credentials, type: 'secret', scopes });
});
afterAll(async () => {
  await instance?.stop();
  await nameServer?.stop();
});

let count = 0;
const emailAt = ({ domain }: Pick<DomainProvider, 'domain'>): string => `user-${(count += 1)}@${domain}`;
const newProvider = (options: Parameters<typeof createVerifiedProvider>[2] = {}): Promise<DomainProvider> =>
  createVerifiedProvider(instance, nameServer, options);
const send = (path: string, body: object): Promise<TestResponse> =>
  instance.requestWithPublishableKey('POST', `/api/v1/auth/${path}`, body);

/** Returns an error's code, and the provider in it. */
const problemOf = ({ status, body }: TestResponse): unknown => [status, body.code, body.provider];
const ssoRequired = ({ slug }: DomainProvider): unknown => [403, 'sso_required', slug];

describe('FE-06: a customer in the domain of a required provider', () => {
  it.each(['password', 'emailCode', 'emailLink', 'passkey', 'challenge'] as const)(
    'fails to complete a sign-in that began before: %s',
    (method) =>
      withSettings(instance, allMethods, async () => {
        const provider = await newProvider();
        const customer = await addFactors(instance, await registerCustomer(instance, emailAt(provider)));
        const complete = await signInMethods(instance, supportKey)[method](customer);
        await requireProvider(instance, provider);
        expect(problemOf(await complete())).toEqual(ssoRequired(provider));
        const sessions = await instance.sql('SELECT id FROM sessions WHERE customer_id = $1', [customer.id]);
        expect(sessions).toHaveLength(1);
      }),
  );

  it('fails to begin a sign-in, to register and to reset a password, even if unregistered', () =>
    withSettings(instance, allMethods, async () => {
      const provider = await newProvider();
      const { email } = await registerCustomer(instance, emailAt(provider));
      const reset = await (async () => {
        await send('forgot-password', { email });
        return instance.getMailToken(email, 'reset-password');
      })();
      await requireProvider(instance, provider);
      for (const address of [email, emailAt(provider)]) {
        const rejection = [
          await instance.login(address),
          await instance.login(address, 'a wrong password'),
          await instance.register(address),
          await requestEmailCode(instance, address),
        ];
        expect(rejection.map(problemOf)).toEqual(rejection.map(() => ssoRequired(provider)));
      }
      expect(problemOf(await submitToken(instance, 'reset-password', reset))).toEqual(ssoRequired(provider));
      const { id } = (
        await instance.requestWithSecretKey('POST', '/api/v1/customers', { email: emailAt(provider) })
      ).body;
      const invite = await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/invite`);
      expect(problemOf(invite)).toEqual(ssoRequired(provider));
      const invited = { email: emailAt(provider), sendInvite: true };
      const created = await instance.requestWithSecretKey('POST', '/api/v1/customers', invited);
      expect(problemOf(created)).toEqual(ssoRequired(provider));
      const attempts = await instance.sql('SELECT tries FROM login_attempts WHERE tries > 0');
      expect(attempts).toEqual([]);
    }));

  it('gets a link to the provider on the hosted sign-in page', () =>
    withSettings(instance, allMethods, async () => {
      const name = `Acme ${(count += 1)}`;
      const provider = await newProvider({ required: true, name });
      const page = new HostedSignIn(instance, redirectUrl);
      const email = emailAt(provider);
      const withPassword = { email, password: PASSWORD };
      const forms = { '': withPassword, '/sign-up': withPassword, '/email-code': { email } };
      for (const [path, entered] of Object.entries(forms)) {
        await page.open();
        if (path === '/sign-up') await page.go(page.link('Create an account'));
        expect(await page.submit(path, entered)).toMatchObject({
          status: 403,
          problem: expect.stringContaining('Your organization requires its own sign-in'),
        });
        expect(page.link(`Continue with ${name}`)).toContain(`/sign-in/provider/${provider.slug}?`);
      }
    }));

  it('gets the same errors if the project does not reveal who is registered', () =>
    withSettings(instance, { enumerationProtection: true }, async () => {
      const provider = await newProvider({ required: true });
      expect(problemOf(await instance.register(emailAt(provider)))).toEqual(ssoRequired(provider));
      expect(problemOf(await instance.login(emailAt(provider)))).toEqual(ssoRequired(provider));
    }));

  it('does not receive emails that lead to another method', async () => {
    const provider = await newProvider();
    const { email } = await registerCustomer(instance, emailAt(provider));
    await requireProvider(instance, provider);
    const before = await instance.listMailKinds(email);
    for (const path of ['forgot-password', 'resend-verification'])
      expectStatus(202, await send(path, { email }));
    expect(await instance.listMailKinds(email)).toEqual(before);
  });

  it("is never signed in with the project's previous system", async () => {
    // No server listens at this URL, so a request would be logged as failed.
    const legacySignIn = {
      url: 'http://127.0.0.1:9/verify',
      secret: `whsec_${randomBytes(32).toString('base64')}`,
    };
    await withSettings(instance, { legacySignIn }, async () => {
      const provider = await newProvider({ required: true });
      expect(problemOf(await instance.login(emailAt(provider)))).toEqual(ssoRequired(provider));
    });
    expect(instance.api.log.filter(({ message }) => message === 'legacy sign-in failed')).toEqual([]);
  });

  it('gets a session from a support sign-in token', async () => {
    const provider = await newProvider();
    const customer = await registerCustomer(instance, emailAt(provider));
    await requireProvider(instance, provider);
    const complete = await signInMethods(instance, supportKey).signInToken(customer as Owner);
    expect(outcomeOf(await complete())).toBe('session');
  });

  it('fails to move a session from another system', async () => {
    const provider = await newProvider();
    const customer = await registerCustomer(instance, emailAt(provider));
    const complete = await signInMethods(instance, supportKey).migrationToken(customer as Owner);
    await requireProvider(instance, provider);
    expect(problemOf(await complete())).toEqual(ssoRequired(provider));
  });

  it('cannot move their email into or out of the domain, but a secret key can', async () => {
    const provider = await newProvider();
    const inside = await registerCustomer(instance, emailAt(provider));
    const outside = await registerCustomer(instance);
    const change = ({ tokens }: typeof inside, email: string) =>
      instance.requestWithAccessToken(tokens.accessToken, 'POST', '/api/v1/me/email', {
        email,
        password: PASSWORD,
      });
    const newEmail = emailAt(provider);
    expectStatus(202, await change(outside, newEmail));
    const links = [
      await instance.getMailToken(outside.email, 'change-email-current'),
      await instance.getMailToken(newEmail, 'change-email-new'),
    ];
    await requireProvider(instance, provider);
    expect(problemOf(await change(outside, emailAt(provider)))).toEqual(ssoRequired(provider));
    expect(problemOf(await change(inside, uniqueEmail()))).toEqual(ssoRequired(provider));
    expectStatus(200, await submitToken(instance, 'confirm-email-change', links[0]!));
    const confirmed = await submitToken(instance, 'confirm-email-change', links[1]!);
    expect(problemOf(confirmed)).toEqual(ssoRequired(provider));
    for (const [{ id }, email] of [
      [inside, uniqueEmail()],
      [outside, emailAt(provider)],
    ] as const)
      expectStatus(200, await instance.requestWithSecretKey('PATCH', `/api/v1/customers/${id}`, { email }));
  });

  it('fails to use a stored password in the session', async () => {
    const provider = await newProvider();
    const { id, tokens } = await registerCustomer(instance, emailAt(provider));
    await instance.sql('UPDATE sessions SET provider_id = $1 WHERE customer_id = $2', [provider.id, id]);
    await requireProvider(instance, provider);
    const request = (path: string, body: object) =>
      instance.requestWithAccessToken(tokens.accessToken, 'POST', `/api/v1/me/${path}`, body);
    for (const [path, body] of [
      ['password', { currentPassword: PASSWORD, newPassword: 'quite another phrase' }],
      ['reauthenticate', { method: 'password', password: PASSWORD }],
      ['reauthenticate/options', { method: 'email_code' }],
      ['delete', { currentPassword: PASSWORD }],
    ] as const)
      expect([path, problemOf(await request(path, body))]).toEqual([path, ssoRequired(provider)]);
    expectStatus(204, await request('delete', {}));
  });
});

describe('FE-06: a sign-in with a provider in its own domain', () => {
  let standIn: StandInProvider;
  beforeAll(async () => (standIn = await StandInProvider.start()));
  afterEach(() => standIn?.reset());
  afterAll(() => standIn?.stop());

  /** Creates a provider with a client at the stand-in. */
  async function connect(
    create: (fields: { issuer: string }) => Promise<DomainProvider>,
  ): Promise<DomainProvider> {
    const provider = await create({ issuer: standIn.issuer });
    const path = `/${provider.id}`;
    const { callbackUrl } = (await requestProviders(instance, 'GET', path)).body;
    const { clientId, clientSecret } = standIn.addClient({ redirectUri: callbackUrl });
    expectStatus(200, await requestProviders(instance, 'PATCH', path, { clientId, clientSecret }));
    return provider;
  }

  /**
   * Signs in at the stand-in with an address. @returns the redirect parameters, and functions that complete the
   * sign-in
   */
  async function signIn({ slug }: DomainProvider, email: string) {
    const codeVerifier = randomBytes(32).toString('base64url');
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    standIn.user = createProviderUser({ email, sub: email });
    const begun = await send(`oauth/${slug}`, { redirectUrl, codeChallenge });
    const { url } = expectStatus(200, begun).body;
    const { parameters } = await new UserAgent().follow(url, { until: redirectUrl });
    const complete = () => exchangeCode(instance, { code: parameters['code']!, codeVerifier, redirectUrl });
    return { parameters, complete };
  }

  it('succeeds with the required provider, and fails with a different one', () =>
    withSettings(instance, allMethods, async () => {
      const provider = await connect((fields) => newProvider(fields));
      const other = await connect((fields) => createDomainProvider(instance, fields));
      const emails = [emailAt(provider), emailAt(provider)];
      const begun = await signIn(other, emails[0]!);
      await requireProvider(instance, provider);
      expect(problemOf(await begun.complete())).toEqual(ssoRequired(provider));
      expect((await signIn(other, emails[1]!)).parameters).toEqual({ error: 'sign_in_failed' });
      const found = await instance.sql('SELECT id FROM customers WHERE email = ANY ($1)', [emails]);
      expect(found).toEqual([]);

      const { body } = expectStatus(200, await (await signIn(provider, emails[0]!)).complete());
      expect(body.customer).toMatchObject({ email: emails[0], emailVerified: true });
      await instance.runJob('RequiredDomainEnforcer');
      const { accessToken } = body.tokens;
      expectStatus(200, await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me'));
    }));

  it('allows a member with an unverified address to request the verification email again', () =>
    withSettings(instance, { ...allMethods, requireVerifiedEmail: true }, async () => {
      const provider = await connect((fields) =>
        newProvider({ ...fields, trustEmail: false, required: true }),
      );
      const [member, other] = [emailAt(provider), emailAt(provider)];
      // The customers are created without a registration email. After such an email, the next one would be sent only
      // after a minute.
      for (const email of [member, other])
        expectStatus(201, await instance.requestWithSecretKey('POST', '/api/v1/customers', { email }));
      await instance.sql(
        `INSERT INTO identities (id, project_id, provider_id, customer_id, subject)
         SELECT gen_random_uuid(), project_id, $1, id, email FROM customers WHERE email = $2`,
        [provider.id, member],
      );
      const rejection = { status: 403, body: { code: 'email_not_verified' } };
      expect(await (await signIn(provider, member)).complete()).toMatchObject(rejection);
      for (const email of [member, other]) expectStatus(202, await send('resend-verification', { email }));
      expect(await instance.listMailKinds(other)).toEqual([]);
      const token = await instance.getVerificationToken(member);
      expectStatus(200, await instance.request('POST', '/api/v1/auth/verify-email', { body: { token } }));
      const { body } = await (await signIn(provider, member)).complete();
      expect(body.customer).toMatchObject({ email: member, emailVerified: true });
    }));

  it('FE-03: verifies the address in a reauthentication too, and revokes all earlier access', async () => {
    const provider = await connect((fields) => newProvider({ ...fields, trustEmail: false }));
    const email = emailAt(provider);
    await withSettings(instance, allMethods, async () => {
      const { body } = expectStatus(200, await (await signIn(provider, email)).complete());
      expect(body.customer.emailVerified).toBe(false);
      const request = (path: string, fields: object) =>
        instance.requestWithAccessToken(body.tokens.accessToken, 'POST', `/api/v1/me/${path}`, fields);
      expectStatus(204, await request('password', { newPassword: PASSWORD }));
      expectStatus(200, await requestProviders(instance, 'PATCH', `/${provider.id}`, { trustEmail: true }));
      const codeVerifier = randomBytes(32).toString('base64url');
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      standIn.idTokenClaims = { auth_time: Math.floor(Date.now() / 1_000) };
      const begun = await request(`reauthenticate/oauth/${provider.slug}`, { redirectUrl, codeChallenge });
      const { parameters } = await new UserAgent().follow(expectStatus(200, begun).body.url, {
        until: redirectUrl,
      });
      const code = { code: parameters['code'], codeVerifier, redirectUrl };
      const ended = await request('reauthenticate/exchange', code);
      expect([ended.status, ended.body.code]).toEqual([401, 'invalid_access_token']);
      expect((await instance.login(email)).status).toBe(401);
      const again = expectStatus(200, await (await signIn(provider, email)).complete()).body;
      expect(again.customer).toMatchObject({ id: body.customer.id, emailVerified: true });
    });
  });

  it('does not claim the address when the member links a second provider, so sign-in still works', () =>
    withSettings(instance, allMethods, async () => {
      const provider = await connect((fields) =>
        newProvider({ ...fields, trustEmail: false, required: true }),
      );
      const google = await connect((fields) =>
        createDomainProvider(instance, { ...fields, type: 'google', trustEmail: undefined }),
      );
      const email = emailAt(provider);
      const { body } = expectStatus(200, await (await signIn(provider, email)).complete());
      const { accessToken } = body.tokens;
      const codeVerifier = randomBytes(32).toString('base64url');
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const request = (path: string, fields: object) =>
        instance.requestWithAccessToken(accessToken, 'POST', `/api/v1/me/identities${path}`, fields);
      standIn.user = createProviderUser({ email, hd: provider.domain });
      const begun = expectStatus(200, await request(`/${google.slug}`, { redirectUrl, codeChallenge }));
      const { parameters } = await new UserAgent().follow(begun.body.url, { until: redirectUrl });
      const code = { code: parameters['code'], codeVerifier, redirectUrl };
      expectStatus(201, await request('/exchange', code));
      const again = expectStatus(200, await (await signIn(provider, email)).complete()).body;
      expect(again.customer).toMatchObject({ id: body.customer.id, emailVerified: false });
    }));

  it('links an identity that the customer cannot remove, even if other methods are on', () =>
    withSettings(instance, allMethods, async () => {
      const provider = await connect((fields) =>
        newProvider({ ...fields, trustEmail: false, required: true }),
      );
      const { body } = expectStatus(200, await (await signIn(provider, emailAt(provider))).complete());
      const request = (method: string, path = '') =>
        instance.requestWithAccessToken(body.tokens.accessToken, method, `/api/v1/me/identities${path}`);
      await instance.sql(`UPDATE customers SET password_hash = 'x' WHERE id = $1`, [body.customer.id]);
      const [{ id }] = (await request('GET')).body.data;
      const rejection = { status: 409, body: { code: 'last_sign_in_method' } };
      expect(await request('DELETE', `/${id}`)).toMatchObject(rejection);
      // Once the provider is no longer required, codes and passwords are accepted again.
      expectStatus(200, await requestProviders(instance, 'PATCH', `/${provider.id}`, { required: false }));
      expectStatus(204, await request('DELETE', `/${id}`));
    }));
});

describe('a required provider whose email addresses are not trusted', () => {
  it('returns warnings, including one for a project that requires verified addresses', async () => {
    const provider = await createDomainProvider(instance, { trustEmail: false });
    const request = async (method: string, fields?: object) => {
      const response = await requestProviders(instance, method, `/${provider.id}`, fields);
      return expectStatus(200, response).body.warnings.map(({ code }: { code: string }) => code);
    };
    const [existing, added] = ['existing_customers_excluded', 'new_customers_unverified'];
    expect(await request('GET')).toEqual([]);
    expect(await request('PATCH', { required: true })).toEqual([existing]);
    await withSettings(instance, { requireVerifiedEmail: true }, async () => {
      expect(await request('GET')).toEqual([existing, added]);
      expect(await request('PATCH', { name: 'Acme' })).toEqual([existing, added]);
    });
    expect(await request('PATCH', { trustEmail: true })).toEqual([]);
  });
});

describe('a domain that requires no provider', () => {
  const canSignIn = async (email: string): Promise<void> => {
    await registerCustomer(instance, email);
    expectStatus(200, await instance.login(email));
    expectStatus(202, await requestEmailCode(instance, email));
  };

  it.each<[string, () => Promise<DomainProvider>]>([
    ['if it is not verified', () => createDomainProvider(instance, { required: true })],
    ['if its provider is not required', () => newProvider()],
    ['if its provider is disabled', () => newProvider({ required: true, enabled: false })],
    [
      'if the provider belongs to a different project',
      async () =>
        createVerifiedProvider(instance, nameServer, { required: true }, await insertOrganization(instance)),
    ],
    [
      'if only its parent domain requires one',
      async () => {
        const provider = await newProvider({ required: true });
        return { ...provider, domain: `eu.${provider.domain}` };
      },
    ],
  ])('allows sign-ins %s', (_, create) =>
    withSettings(instance, allMethods, async () => canSignIn(emailAt(await create()))),
  );
});

describe('a session in a domain that becomes required', () => {
  it('ends unless the provider or support opened it', async () => {
    const provider = await newProvider();
    await instance.runJob('RequiredDomainEnforcer');
    const open = async (email: string) => {
      const { id } = await registerCustomer(instance, email);
      return { id, tokens: (await instance.login(email)).body.tokens };
    };
    const customer = await open(emailAt(provider));
    const outsider = await open(uniqueEmail());
    const opened = await open(emailAt(provider));
    await instance.sql('UPDATE sessions SET provider_id = $1 WHERE customer_id = $2', [
      provider.id,
      opened.id,
    ]);
    const supported = await open(emailAt(provider));
    await instance.sql(`UPDATE sessions SET amr = '{support}' WHERE customer_id = $1`, [supported.id]);
    await requireProvider(instance, provider);
    await instance.runJob('RequiredDomainEnforcer');
    const statuses = [];
    for (const { tokens } of [customer, outsider, opened, supported])
      statuses.push((await instance.requestWithAccessToken(tokens.accessToken, 'GET', '/api/v1/me')).status);
    expect(statuses).toEqual([401, 200, 200, 200]);
    const events = await instance.events(customer.id, 'session.revoked');
    expect(events.map(({ data }) => data.reason)).toEqual(['sso_required', 'sso_required']);
    const [row] = await instance.sql(
      'SELECT sessions_checked_to FROM identity_provider_domains WHERE provider_id = $1',
      [provider.id],
    );
    expect(row).toEqual({ sessions_checked_to: null });
  });
});

describe('a session in a domain of a required provider', () => {
  interface Trigger {
    name: string;
    create: () => Promise<DomainProvider>;
    change: (provider: DomainProvider) => Promise<unknown>;
  }
  const triggers: Trigger[] = [
    {
      name: 'the domain is verified',
      create: () => createDomainProvider(instance, { required: true }),
      change: (provider) => {
        publishRecord(nameServer, provider);
        return checkDomain(instance, provider);
      },
    },
    {
      name: 'the provider is enabled',
      create: () => newProvider({ required: true, enabled: false }),
      change: ({ id }) => requestProviders(instance, 'PATCH', `/${id}`, { enabled: true }),
    },
    {
      name: 'the domain is looked up again',
      create: () => newProvider(),
      change: async ({ id }) => {
        await instance.runJob('RequiredDomainEnforcer');
        // The update skips the check of sessions. Customers created during a check have such unchecked sessions.
        await instance.sql('UPDATE identity_providers SET required = true WHERE id = $1', [id]);
        await instance.sql(
          `UPDATE identity_provider_domains SET checked_at = now() - interval '2 days' WHERE provider_id = $1`,
          [id],
        );
        await instance.runJob('domains');
      },
    },
  ];

  it.each(triggers)('ends when $name', async ({ create, change }) => {
    const provider = await create();
    const { accessToken } = (await registerCustomer(instance, emailAt(provider))).tokens;
    await change(provider);
    await instance.runJob('RequiredDomainEnforcer');
    expect((await instance.requestWithAccessToken(accessToken, 'GET', '/api/v1/me')).status).toBe(401);
  });
});

describe('POST /api/v1/auth/options', () => {
  it('returns the provider of a verified domain, required or not, even without a customer', async () => {
    const [provider, required, disabled] = [
      await newProvider(),
      await newProvider({ required: true }),
      await newProvider({ enabled: false }),
    ];
    const unverified = await createDomainProvider(instance);
    const emails = [provider, required, disabled, unverified].map((each) => emailAt(each).toUpperCase());
    const found = [];
    for (const email of [...emails, uniqueEmail()])
      found.push((await send('options', { email })).body.provider);
    expect(found).toEqual([provider.slug, required.slug, null, null, null]);
  });
});
