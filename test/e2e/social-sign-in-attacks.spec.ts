import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { neverRespond } from '../support/stripe-stub.js';
import {
  respondWithContent,
  respondWithJson,
  respondWithRedirect,
  respondWithoutEnd,
} from '../support/identity-providers/responses.js';
import { navigate, UserAgent, type Navigation } from '../support/identity-providers/user-agent.js';
import { checkCases } from '../support/check-cases.js';
import { eventually } from '../support/eventually.js';
import { expectStatus } from '../support/customers.js';
import {
  addProvider,
  requestAsPage,
  beginInSession,
  beginOAuth,
  changeSettings,
  createSocialProject,
  exchange,
  openSocialSession,
  outcomeOf,
  REDIRECT_URL,
  signInAt,
  completeFlow,
  followToCallback,
  type AddedProvider,
  type SocialProject,
} from '../support/social-sign-in.js';
import { HostedSignIn } from '../support/hosted-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

let instance: TestInstance;
let project: SocialProject;
/** Two servers, for mix-up attacks. */
let honest: StandInProvider;
let evil: StandInProvider;
let google: AddedProvider;
let other: AddedProvider;
beforeAll(async () => {
  [instance, honest, evil] = await Promise.all([
    TestInstance.startShared({ workers: 0 }),
    StandInProvider.start(),
    StandInProvider.start(),
  ]);
  project = await createSocialProject(instance);
  google = await addProvider(instance, project, honest, { type: 'google', issuer: honest.issuer });
  other = await addProvider(instance, project, evil, { type: 'oidc', issuer: evil.issuer });
});
beforeEach(() => {
  honest.user = createProviderUser({ hd: 'example.com' });
  evil.user = createProviderUser();
});
afterEach(() => {
  honest?.reset();
  evil?.reset();
});
afterAll(() => Promise.all([instance?.stop(), honest?.stop(), evil?.stop()]));

const send = (navigation: Navigation) => new UserAgent().send(navigation);

/** Sends a callback and expects a Gatehouse page without a redirect: the sign-in has ended. */
async function expectEnded(navigation: Navigation): Promise<void> {
  const page = await send(navigation);
  expect([page.status, page.headers.location]).toEqual([400, undefined]);
  expect(page.text).toContain('This sign-in has ended');
}

/** Returns a callback with these parameters changed. */
function withParameters({ url }: Navigation, changes: Record<string, string | undefined>): Navigation {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  return navigate('GET', changed);
}

it('a HEAD request neither uses up a state or a flow nor begins one', async () => {
  const head = async (url: string | URL) => {
    const { status, headers } = await fetch(url, { method: 'HEAD', redirect: 'manual' });
    return [status, headers.get('location'), headers.get('set-cookie')];
  };
  const flow = await beginOAuth(instance, project, google.slug);
  const callback = await followToCallback(flow, google);
  expect(await head(callback.url)).toEqual([200, null, null]);
  const { headers } = await send(callback);
  expect(new URL(headers.location!).searchParams.get('code')).toEqual(expect.any(String));

  const page = new HostedSignIn(instance, REDIRECT_URL);
  const begin = page.url({ client_id: project.id }).replace('/sign-in?', `/sign-in/provider/${google.slug}?`);
  const countFlows = async () => (await instance.sql('SELECT 1 FROM oauth_flows')).length;
  const before = await countFlows();
  expect(await head(begin)).toEqual([200, null, null]);
  expect(await countFlows()).toBe(before);
  const { url } = await new UserAgent().follow(begin, { until: (at) => at.searchParams.has('flow') });
  expect((await head(url))[0]).toBe(200);
  const continued = await new UserAgent().follow(url, { until: REDIRECT_URL });
  expect(continued.parameters['code']).toEqual(expect.any(String));
  expect((await head(`${instance.baseUrl}/operator/v1/oidc/callback?state=x`))[0]).toBe(200);
});

/** Adds a provider with its own server. */
async function withProvider(
  fields: { type: string; [field: string]: unknown },
  work: (provider: AddedProvider, server: StandInProvider) => Promise<void>,
): Promise<void> {
  const server = await StandInProvider.start();
  try {
    const provider = await addProvider(instance, project, server, { issuer: server.issuer, ...fields });
    await work(provider, server);
  } finally {
    await server.stop();
  }
}

describe('FE-01: a state', () => {
  it('works once, from its own provider, for ten minutes', async () => {
    const begin = async () => followToCallback(await beginOAuth(instance, project, google.slug), google);
    const callback = await begin();
    await expectEnded(withParameters(callback, { state: undefined }));
    await expectEnded(withParameters(callback, { state: 'x'.repeat(43) }));
    await expectEnded(withParameters(callback, { state: (await begin()).parameters['state'] + 'x' }));
    const elsewhere = new URL(callback.url.href.replace(google.id, other.id));
    await expectEnded(navigate('GET', elsewhere));
    const repeated = new URL(callback.url);
    repeated.searchParams.append('state', 'another');
    await expectEnded(navigate('GET', repeated));

    expect((await send(callback)).status).toBe(303);
    await expectEnded(callback);

    const late = await begin();
    await instance.sql(`UPDATE oauth_flows SET expires_at = now() - interval '1 millisecond'`);
    await expectEnded(late);
  });

  it('gives a code to only one of 20 parallel callbacks', async () => {
    const callback = await followToCallback(await beginOAuth(instance, project, google.slug), google);
    const pages = await Promise.all(Array.from({ length: 20 }, () => send(callback)));
    expect(pages.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(19).fill(400)]);
  });

  it("fails if it is swapped with another flow's, because the nonce and the verifier differ", async () => {
    const [flow, otherFlow] = [
      await beginOAuth(instance, project, google.slug),
      await beginOAuth(instance, project, google.slug),
    ];
    const [first, second] = [await followToCallback(flow, google), await followToCallback(otherFlow, google)];
    const swapped = withParameters(first, { state: second.parameters['state'] });
    expect((await completeFlow({ url: swapped.url.href, redirectUrl: REDIRECT_URL }))['error']).toBe(
      'sign_in_failed',
    );
  });
});

describe('FE-01: the response of a provider', () => {
  const violations: [string, (server: StandInProvider) => unknown][] = [
    ['without a nonce', (server) => (server.idTokenClaims = { nonce: undefined })],
    ['with a different nonce', (server) => (server.idTokenClaims = { nonce: 'another' })],
    ['from a different issuer', (server) => (server.idTokenClaims = { iss: 'https://accounts.example.com' })],
    ['for a different client', (server) => (server.idTokenClaims = { aud: 'another' })],
    ['that has expired', (server) => (server.idTokenClaims = { exp: 1 })],
    ['without a subject', (server) => (server.idTokenClaims = { sub: undefined })],
    ['with an empty subject', (server) => (server.idTokenClaims = { sub: '' })],
    ['with a forged signature', (server) => (server.signature = 'forged')],
    ['signed by an unknown key', (server) => (server.signature = 'unpublished')],
    ['without a signature', (server) => (server.signature = 'none')],
    ['signed with the client secret', (server) => (server.signature = 'client-secret')],
    ['signed with the public key as a secret', (server) => (server.signature = 'public-key')],
    ['without an ID token', (server) => (server.tokenResponse = { id_token: undefined })],
    [
      'with a different iss parameter',
      (server) => (server.authorizationResponse = { iss: 'https://accounts.example.com' }),
    ],
    ['without the announced iss parameter', (server) => (server.authorizationResponse = { iss: undefined })],
    [
      'with a protocol error',
      (server) => (server.authorizationResponse = { code: undefined, error: 'invalid_scope' }),
    ],
    ['without a code', (server) => (server.authorizationResponse = { code: undefined })],
    [
      'that is not JSON',
      (server) => server.overrideNext('token', respondWithContent('text/html', '<p>hello')),
    ],
    [
      'with an error',
      (server) => server.overrideNext('token', respondWithJson({ error: 'invalid_grant' }, 400)),
    ],
  ];

  it('fails if it violates the protocol', async () => {
    await withProvider({ type: 'google' }, async (provider, server) => {
      server.user = createProviderUser({ hd: 'example.com' });
      await checkCases(
        violations.map(([name, violate]) => [name, violate] as const),
        async (violate) => {
          server.reset();
          violate(server);
          expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('sign_in_failed');
        },
        1,
      );
      server.reset();
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('session');
      const key = (
        await instance.sql('SELECT count(*)::int AS count FROM identities WHERE provider_id = $1', [
          provider.id,
        ])
      )[0];
      expect(key!['count']).toBe(1);
    });
  });

  it('sets no name with the parameter user, which only Apple sends', async () => {
    const flow = await beginOAuth(instance, project, google.slug);
    const callback = await followToCallback(flow, google);
    const user = JSON.stringify({ name: { firstName: 'Eve', lastName: 'Admin' } });
    const { url } = withParameters(callback, { user });
    const { code } = await completeFlow({ url: url.href, redirectUrl: REDIRECT_URL });
    const { customer } = expectStatus(200, await exchange(instance, project, flow, code)).body;
    expect([customer.firstName, customer.lastName]).toEqual(['Ada', 'Byron']);
  });

  it('ends in access_denied if the customer denies it, and in provider_unavailable at an outage', async () => {
    honest.isDenied = true;
    expect(outcomeOf(await signInAt(instance, project, google.slug))).toBe('access_denied');
    honest.reset();
    for (const violate of [
      () => honest.overrideNext('token', respondWithJson({ error: 'unavailable' }, 503)),
      () => (honest.authorizationResponse = { code: undefined, error: 'temporarily_unavailable' }),
    ]) {
      violate();
      expect(outcomeOf(await signInAt(instance, project, google.slug))).toBe('provider_unavailable');
      honest.reset();
    }
  });

  it('FE-03: does not link an account based on an untrusted claim of verification', async () => {
    const verifyDomain = async (id: string) =>
      instance.sql(
        `INSERT INTO identity_provider_domains (provider_id, project_id, domain, token, verified_at)
         VALUES ($1, $2, 'example.com', 'token', now())`,
        [id, project.id],
      );
    const register = async () => {
      const email = `${uniqueEmail().split('@')[0]}@example.com`;
      const { customer } = expectStatus(
        201,
        await requestAsPage(instance, project, 'register', { email, password: PASSWORD }),
      ).body;
      await instance.sql('UPDATE customers SET email_verified = true WHERE id = $1', [customer.id]);
      return email;
    };
    const cases: [string, { type: string; trustEmail?: boolean }, Record<string, unknown>, string][] = [
      [
        'a string instead of true',
        { type: 'google' },
        { email_verified: 'true', hd: 'x.example' },
        'account_exists',
      ],
      ['a Google account of another address', { type: 'google' }, { email_verified: true }, 'account_exists'],
      [
        'an unverified Workspace address',
        { type: 'google' },
        { email_verified: false, hd: 'x.example' },
        'account_exists',
      ],
      ['GitLab', { type: 'gitlab' }, { email_verified: true }, 'account_exists'],
      ['OpenID Connect without trust', { type: 'oidc' }, { email_verified: true }, 'account_exists'],
      [
        '"false" in a trusted domain',
        { type: 'oidc', trustEmail: true },
        { email_verified: 'false' },
        'account_exists',
      ],
      [
        'false in a trusted domain',
        { type: 'oidc', trustEmail: true },
        { email_verified: false },
        'account_exists',
      ],
      ['a trusted domain', { type: 'oidc', trustEmail: true }, { email_verified: true }, 'session'],
    ];
    for (const [name, fields, claims, outcome] of cases)
      await withProvider(fields, async (provider, server) => {
        if (fields.type === 'oidc') await verifyDomain(provider.id);
        server.user = createProviderUser({ email: await register(), ...claims });
        expect([name, outcomeOf(await signInAt(instance, project, provider.slug))]).toEqual([name, outcome]);
        await instance.sql('DELETE FROM identity_provider_domains WHERE provider_id = $1', [provider.id]);
      });
  });

  it('FE-03: identifies a customer by provider and subject, so two issuers are two customers', async () => {
    evil.user = createProviderUser({ sub: honest.user.sub });
    const [customer, otherCustomer] = [
      await openSocialSession(instance, project, google.slug),
      await openSocialSession(instance, project, other.slug),
    ];
    expect(customer.id).not.toBe(otherCustomer.id);
  });

  it('is accepted only from the tenants that a Microsoft provider lists', async () => {
    const tenant = '6f1a7f2e-52cb-4a3c-9b0e-0f6f2b8f3a11';
    await withProvider({ type: 'microsoft', tenants: [tenant] }, async (provider, server) => {
      for (const [tid, outcome] of [
        [tenant, 'session'],
        ['9188040d-6c67-4c5b-b112-36a304b66dad', 'sign_in_failed'],
        [undefined, 'sign_in_failed'],
      ]) {
        server.user = createProviderUser({ tid });
        expect([tid, outcomeOf(await signInAt(instance, project, provider.slug))]).toEqual([tid, outcome]);
      }
    });
  });
});

describe('FE-02: a code', () => {
  it("fails with the victim's verifier if an attacker plants the code in the victim's browser", async () => {
    const attacker = await beginOAuth(instance, project, google.slug);
    const { code } = await completeFlow(attacker);
    const victim = await beginOAuth(instance, project, google.slug);
    expect((await exchange(instance, project, victim, code)).body.code).toBe('invalid_code');
    const elsewhere = await createSocialProject(instance);
    expect((await exchange(instance, elsewhere, attacker, code)).body.code).toBe('invalid_code');
    expect(
      (await exchange(instance, project, { ...attacker, redirectUrl: `${REDIRECT_URL}/x` }, code)).body.code,
    ).toBe('invalid_code');
    expectStatus(200, await exchange(instance, project, attacker, code));
    expect((await exchange(instance, project, attacker, code)).body.code).toBe('invalid_code');
  });

  it('links neither account if an attacker sends the URL with the code to a victim', async () => {
    const attacker = await openSocialSession(instance, project, google.slug);
    // The victim is signed in to the application, and opens the attacker's URL.
    honest.user = createProviderUser({ hd: 'example.com' });
    const victim = await openSocialSession(instance, project, google.slug);
    const flow = await beginInSession(instance, attacker.tokens.accessToken, `identities/${other.slug}`);
    const { code } = await completeFlow(flow);
    const body = { code, codeVerifier: flow.codeVerifier, redirectUrl: flow.redirectUrl };
    const complete = (accessToken: string, path: string) =>
      instance.requestWithAccessToken(accessToken, 'POST', `/api/v1/me/${path}`, body);
    // The victim's browser does not have the verifier. Even with it, the code fails in a session that did not request it.
    for (const path of ['identities/exchange', 'reauthenticate/exchange'])
      expect((await complete(victim.tokens.accessToken, path)).body.code).toBe('invalid_code');
    expect((await exchange(instance, project, flow, code)).body.code).toBe('invalid_code');
    const another = await openSocialSession(instance, project, google.slug);
    expect((await complete(another.tokens.accessToken, 'identities/exchange')).body.code).toBe(
      'invalid_code',
    );
  });
});

describe('FE-01: a redirect', () => {
  const begin = (redirectUrl: string) =>
    requestAsPage(instance, project, `oauth/${google.slug}`, { redirectUrl, codeChallenge: 'x'.repeat(43) });

  it("leads only to the project's URLs, including URLs that match a wildcard", async () => {
    const wildcard = 'https://*.preview.example.com/in';
    await changeSettings(instance, project, { redirectUrls: [REDIRECT_URL, wildcard] });
    const maliciousUrls = [
      ...[
        'https://evil.example',
        `${REDIRECT_URL}/`,
        `${REDIRECT_URL}?next=https://evil.example`,
        '//app.example.com',
      ],
      ...['https://app.example.com.evil.example/signed-in', 'https://app.example.com@evil.example/signed-in'],
      ...[
        'https://a.b.preview.example.com/in',
        'https://preview.example.com/in',
        'http://a.preview.example.com/in',
      ],
      ...[
        'https://evil.example/.preview.example.com/in',
        'https://evil.example\\.preview.example.com/in',
        wildcard,
      ],
      ...[
        'https://a.preview.example.com:8443/in',
        'https://a.preview.example.com/in/..',
        'javascript:alert(1)',
      ],
    ];
    for (const url of maliciousUrls) {
      const { status, body } = await begin(url);
      expect([url, status, body.errors?.[0].field]).toEqual([url, 400, 'redirectUrl']);
    }
    const redirectUrl = 'https://branch-7.preview.example.com/in';
    const flow = await beginOAuth(instance, project, google.slug, { redirectUrl });
    const { code } = await completeFlow(flow);
    expectStatus(200, await exchange(instance, project, flow, code));
    await changeSettings(instance, project, { redirectUrls: [REDIRECT_URL] });
  });

  it('does not happen if the project has removed the URL in the meantime', async () => {
    const callback = await followToCallback(await beginOAuth(instance, project, google.slug), google);
    await changeSettings(instance, project, { redirectUrls: [] });
    try {
      await expectEnded(callback);
    } finally {
      await changeSettings(instance, project, { redirectUrls: [REDIRECT_URL] });
    }
  });
});

describe('FE-04: a request to a provider', () => {
  const METADATA_SERVICE = 'http://169.254.169.254/latest';

  it('never reaches a forbidden address, through any endpoint', async () => {
    const blocked: [string, Record<string, unknown>, 'id_token' | 'userinfo'][] = [
      ['jwks_uri', { jwks_uri: METADATA_SERVICE }, 'id_token'],
      ['token_endpoint', { token_endpoint: METADATA_SERVICE }, 'id_token'],
      ['userinfo_endpoint', { userinfo_endpoint: METADATA_SERVICE }, 'userinfo'],
    ];
    for (const [name, metadata, claimsIn] of blocked)
      await withProvider({ type: 'google' }, async (provider, server) => {
        Object.assign(server, { metadata, claimsIn });
        server.user = createProviderUser({ hd: 'example.com' });
        expect([name, outcomeOf(await signInAt(instance, project, provider.slug))]).toEqual([
          name,
          'provider_unavailable',
        ]);
        const reason = /connections to \S*169\.254\.169\.254\S* are not allowed/;
        const isLogged = () =>
          instance.api.output.split('\n').some((line) => line.includes(provider.id) && reason.test(line));
        await eventually('the reason in the log', isLogged);
      });
  });

  it('does not follow a redirect', async () => {
    for (const endpoint of ['discovery', 'token', 'jwks', 'userinfo'] as const)
      await withProvider({ type: 'oidc' }, async (provider, server) => {
        server.claimsIn = 'userinfo';
        server.overrides = { [endpoint]: respondWithRedirect(evil.urlOf(endpoint)) };
        evil.requests.length = 0;
        const body = { redirectUrl: REDIRECT_URL, codeChallenge: 'x'.repeat(43) };
        const begun = await requestAsPage(instance, project, `oauth/${provider.slug}`, body);
        const outcome =
          begun.status === 200
            ? outcomeOf(await signInAt(instance, project, provider.slug))
            : begun.body.code;
        const expected = endpoint === 'userinfo' ? 'email_required' : 'sign_in_failed';
        expect([endpoint, outcome]).toEqual([endpoint, expected]);
        expect(evil.requests).toEqual([]);
      });
  });

  it('fails if the discovery document is endless, invalid or has a different issuer', async () => {
    const body = { redirectUrl: REDIRECT_URL, codeChallenge: 'x'.repeat(43) };
    for (const [override, code] of [
      [respondWithoutEnd, 'provider_unavailable'],
      [respondWithContent('text/html', '<p>hello'), 'sign_in_failed'],
      [respondWithJson({ issuer: 'https://accounts.example.com' }), 'sign_in_failed'],
    ] as const)
      await withProvider({ type: 'oidc' }, async (provider, server) => {
        server.overrides = { discovery: override };
        expect((await requestAsPage(instance, project, `oauth/${provider.slug}`, body)).body.code).toBe(code);
        server.overrides = {};
        expect((await requestAsPage(instance, project, `oauth/${provider.slug}`, body)).status).toBe(200);
      });
  });

  it('does not depend on optional members of the discovery document', async () => {
    const optional = ['userinfo_endpoint', 'token_endpoint_auth_methods_supported', 'scopes_supported'];
    const others = [
      'id_token_signing_alg_values_supported',
      'authorization_response_iss_parameter_supported',
    ];
    for (const value of [undefined, null, ''])
      await withProvider({ type: 'oidc' }, async (provider, server) => {
        server.metadata = Object.fromEntries([...optional, ...others].map((name) => [name, value]));
        expect([value, outcomeOf(await signInAt(instance, project, provider.slug))]).toEqual([
          value,
          'session',
        ]);
      });
    await withProvider({ type: 'oidc' }, async (provider, server) => {
      server.metadata = Object.fromEntries(optional.map((name) => [name, 7]));
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('session');
    });
  });

  it('does not delay other requests if it hangs: 50 callbacks wait, and further ones fail', async () => {
    await withProvider({ type: 'google' }, async (provider, server) => {
      server.user = createProviderUser({ hd: 'example.com' });
      const session = await openSocialSession(instance, project, google.slug);
      const flows = await Promise.all(
        Array.from({ length: 51 }, () => beginOAuth(instance, project, provider.slug)),
      );
      const callbacks = await Promise.all(flows.map((flow) => followToCallback(flow, provider)));
      server.hold('token');
      const waiting = callbacks.slice(0, 50).map((callback) => send(callback));
      await server.waitForHeld('token', 50);

      const surplus = new URL((await send(callbacks[50]!)).headers.location!);
      expect(surplus.searchParams.get('error')).toBe('provider_unavailable');
      const me = await instance.requestWithAccessToken(session.tokens.accessToken, 'GET', '/api/v1/me');
      expect(me.status).toBe(200);
      expect(outcomeOf(await signInAt(instance, project, google.slug))).toBe('session');
      expect(server.countHeld('token')).toBe(50);

      server.release('token');
      const pages = await Promise.all(waiting);
      const results = pages.map(({ headers }) => new URL(headers.location!).searchParams.get('error'));
      expect(results).toEqual(Array<null>(50).fill(null));
      await eventually(
        'the next sign-in',
        async () => outcomeOf(await signInAt(instance, project, provider.slug)) === 'session',
      );
    });
  });

  it('ends in provider_unavailable without a response, unless the account is already known', async () => {
    const required = withProvider({ type: 'google' }, async (provider, server) => {
      server.overrides = { token: neverRespond };
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('provider_unavailable');
    });
    const optional = withProvider({ type: 'oidc' }, async (provider, server) => {
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('session');
      Object.assign(server, { claimsIn: 'userinfo', overrides: { userinfo: neverRespond } });
      expect(outcomeOf(await signInAt(instance, project, provider.slug))).toBe('session');
    });
    await Promise.all([required, optional]);
  });
});

it('the callback accepts a posted response of 16 KiB, and rejects longer or malformed ones', async () => {
  const callback = await followToCallback(await beginOAuth(instance, project, google.slug), google);
  const { origin, pathname } = callback.url;
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(origin + pathname, {
      ...{ method: 'POST', body, redirect: 'manual' },
      headers: { 'content-type': type, origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' },
    });
  const form = (padding: number) =>
    new URLSearchParams({ ...callback.parameters, user: 'x'.repeat(padding) }).toString();
  expect((await post(form(16 * 1024))).status).toBe(413);
  expect((await post('{}', 'application/json')).status).toBe(415);
  expect((await post(`${form(0)}&state=%00`)).status).toBe(400);
  const response = await post(form(15 * 1024));
  expect([response.status, new URL(response.headers.get('location')!).searchParams.has('code')]).toEqual([
    303,
    true,
  ]);
});
