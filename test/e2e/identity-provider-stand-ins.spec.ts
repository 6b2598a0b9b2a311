import { SignJWT, importPKCS8 } from 'jose';
import * as oauth from 'openid-client';
import {
  AppleStandIn,
  createHiddenUser,
  type AppleClient,
} from '../support/identity-providers/apple-stand-in.js';
import { DiscordStandIn } from '../support/identity-providers/discord-stand-in.js';
import { GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { OpenIdProvider } from '../support/identity-providers/open-id-provider.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { respondWithoutEnd } from '../support/identity-providers/responses.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { UserAgent, type Navigation } from '../support/identity-providers/user-agent.js';

/** No server listens here, because the user agent stops before it sends the request. */
const REDIRECT_URI = 'http://127.0.0.1:9/api/v1/auth/oauth/callback/1';

let provider: OpenIdProvider;
let standIn: StandInProvider;
let apple: AppleStandIn;
let gitHub: GitHubStandIn;
let discord: DiscordStandIn;
beforeAll(async () => {
  [provider, standIn, apple, gitHub, discord] = await Promise.all([
    OpenIdProvider.start({ extraClaims: ['department'] }),
    StandInProvider.start(),
    AppleStandIn.start(),
    GitHubStandIn.start(),
    DiscordStandIn.start(),
  ]);
});
beforeEach(() => {
  for (const each of [standIn, apple, gitHub, discord]) each.reset();
});
afterAll(async () => {
  await Promise.all([provider, standIn, apple, gitHub, discord].map((each) => each?.stop()));
});

const discover = (
  issuer: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<oauth.Configuration> =>
  oauth.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: [oauth.allowInsecureRequests],
  });

/** Returns a client for a provider without discovery. */
function configure(
  { url, paths }: { url: string; paths: { authorize: string; token: string } },
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): oauth.Configuration {
  const metadata = {
    issuer: url,
    authorization_endpoint: url + paths.authorize,
    token_endpoint: url + paths.token,
  };
  const config = new oauth.Configuration(metadata, clientId, clientSecret);
  oauth.allowInsecureRequests(config);
  return config;
}

/** Returns the request with which a browser returns to the application's redirect URL. */
const toCallback = ({ method, url, form }: Navigation): URL | Request =>
  method === 'GET' ? url : new Request(url, { method, body: new URLSearchParams(form) });

/** Signs in with the authorization code flow and PKCE. */
async function signIn(
  config: oauth.Configuration,
  parameters: Record<string, string> = {},
  agent = new UserAgent(),
) {
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()];
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: 'openid email profile',
    state,
    ...parameters,
  });
  const callback = await agent.follow(url, { until: REDIRECT_URI });
  const tokens = await oauth.authorizationCodeGrant(config, toCallback(callback), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    ...('nonce' in parameters ? { expectedNonce: parameters['nonce'] } : {}),
    ...('max_age' in parameters ? { maxAge: Number(parameters['max_age']) } : {}),
  });
  return { tokens, claims: tokens.claims(), callback };
}

describe('OpenIdProvider', () => {
  it.each(['id_token', 'userinfo'] as const)('returns the claims in the %s response', async (claimsIn) => {
    provider.claimsIn = claimsIn;
    provider.user = createProviderUser({ department: 'engines' });
    const config = await discover(provider.issuer, provider.addClient({ redirectUri: REDIRECT_URI }));
    const { tokens, claims } = await signIn(config);
    const { sub, ...about } = provider.user;
    const userinfo = await oauth.fetchUserInfo(config, tokens.access_token, sub);
    expect(userinfo).toMatchObject(provider.user);
    expect(claims).toMatchObject({ sub, ...(claimsIn === 'id_token' ? about : {}) });
    if (claimsIn === 'userinfo') expect(claims).not.toHaveProperty('email');
    provider.claimsIn = 'id_token';
  });

  it('keeps the signed-in user until the client requests a new sign-in', async () => {
    const client = provider.addClient({ redirectUri: REDIRECT_URI });
    const config = await discover(provider.issuer, client);
    const agent = new UserAgent();
    const first = (provider.user = createProviderUser());
    await signIn(config, {}, agent);
    const second = (provider.user = createProviderUser());
    const count = provider.signInCount;
    expect((await signIn(config, {}, agent)).claims?.sub).toBe(first.sub);
    expect(provider.signInCount).toBe(count);
    const { claims } = await signIn(config, { prompt: 'login' }, agent);
    expect(claims).toMatchObject({ sub: second.sub, auth_time: expect.any(Number) });
    expect((await signIn(config, { max_age: '0' }, agent)).claims?.sub).toBe(second.sub);
    expect((await signIn(config, { max_age: '600' }, agent)).claims?.sub).toBe(second.sub);
    expect(provider.signInCount).toBe(count + 2);
  });

  it('rejects a request without PKCE, and responds with access_denied to a cancellation', async () => {
    const config = await discover(provider.issuer, provider.addClient({ redirectUri: REDIRECT_URI }));
    const agent = new UserAgent();
    await signIn(config, {}, agent);
    const url = oauth.buildAuthorizationUrl(config, { redirect_uri: REDIRECT_URI, scope: 'openid' });
    const { parameters } = await new UserAgent().follow(url, { until: REDIRECT_URI });
    expect(parameters).toMatchObject({ error: 'invalid_request', iss: provider.issuer });
    provider.isDenied = true;
    for (const each of [agent, new UserAgent()])
      await expect(signIn(config, {}, each)).rejects.toMatchObject({ error: 'access_denied' });
    provider.isDenied = false;
  });
});

describe('StandInProvider', () => {
  const connect = () => discover(standIn.issuer, standIn.addClient({ redirectUri: REDIRECT_URI }));

  it('returns the claims and records the requests', async () => {
    const { claims } = await signIn(await connect(), { nonce: 'n-1' });
    expect(claims).toMatchObject({ ...standIn.user, nonce: 'n-1' });
    expect(standIn.requestsTo('token')).toMatchObject([
      { form: { redirect_uri: REDIRECT_URI, code_verifier: expect.any(String) } },
    ]);
  });

  it('can change any response, and a client rejects each change with the expected error', async () => {
    const config = await connect();
    oauth.enableNonRepudiationChecks(config);
    const attacks: [changes: Partial<StandInProvider>, reason: string][] = [
      [{ idTokenClaims: { nonce: 'other' } }, 'unexpected ID Token "nonce"'],
      [{ idTokenClaims: { nonce: undefined } }, 'JWT "nonce" (nonce) claim missing'],
      [{ idTokenClaims: { iss: 'https://issuer.example.com' } }, 'unexpected JWT "iss"'],
      [{ idTokenClaims: { aud: 'other' } }, 'unexpected JWT "aud"'],
      [{ idTokenClaims: { exp: 1 } }, 'unexpected JWT "exp"'],
      [{ authorizationResponse: { iss: 'https://issuer.example.com' } }, 'unexpected "iss"'],
      [{ authorizationResponse: { iss: undefined } }, 'response parameter "iss" (issuer) missing'],
      [{ authorizationResponse: { state: 'other' } }, 'unexpected "state"'],
      [{ tokenResponse: { token_type: 'other' } }, 'unsupported `token_type`'],
      [{ signature: 'forged' }, 'JWT signature verification failed'],
      [{ signature: 'unpublished' }, 'no applicable keys found'],
      [{ signature: 'none' }, 'unexpected JWT "alg"'],
      [{ signature: 'client-secret' }, 'unexpected JWT "alg"'],
      [{ signature: 'public-key' }, 'unexpected JWT "alg"'],
    ];
    const problems: object[] = [];
    for (const [changes, reason] of attacks) {
      standIn.reset();
      Object.assign(standIn, changes);
      const outcome = await signIn(config, { nonce: 'n-1' }).then(
        () => 'accepted',
        ({ cause }) => String(cause?.message),
      );
      if (!outcome.includes(reason)) problems.push({ changes, outcome, reason });
    }
    expect(problems).toEqual([]);
  });

  it('publishes new keys, and issues ID tokens for native apps', async () => {
    const listKeys = async () => {
      const { keys } = (await (await fetch(standIn.urlOf('jwks'))).json()) as { keys: { kid: string }[] };
      return keys;
    };
    const before = await listKeys();
    await standIn.rotateKeys({ keepsOld: true });
    const after = await listKeys();
    expect(after).toEqual([expect.anything(), ...before]);
    const [header = '', payload = ''] = (await standIn.issueIdToken({ aud: 'app' })).split('.');
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(parse(header)).toMatchObject({ kid: after[0]?.kid });
    expect(parse(payload)).toMatchObject({ ...standIn.user, iss: standIn.issuer, aud: 'app' });
  });

  it('holds requests until they are released, and sends an endless document', async () => {
    standIn.hold('jwks');
    const abort = new AbortController();
    const responses = [1, 2].map(() => fetch(standIn.urlOf('jwks')));
    const aborted = fetch(standIn.urlOf('jwks'), { signal: abort.signal });
    await standIn.waitForHeld('jwks', 3);
    abort.abort();
    await expect(aborted).rejects.toThrow();
    await standIn.waitForHeld('jwks', 2);
    standIn.release('jwks');
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);

    standIn.overrideNext('discovery', respondWithoutEnd);
    const endless = await fetch(standIn.urlOf('discovery'));
    const reader = endless.body!.getReader();
    let length = 0;
    while (length < 2 ** 20) length += (await reader.read()).value!.length;
    await reader.cancel();
  });
});

describe('AppleStandIn', () => {
  const signSecret = async ({ clientId, teamId, keyId, privateKey }: AppleClient, lifetime = '1h') =>
    new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(apple.issuer)
      .setIssuedAt()
      .setExpirationTime(lifetime)
      .sign(await importPKCS8(privateKey, 'ES256'));
  const parameters = { scope: 'openid name email', response_mode: 'form_post' };

  it('posts the code, and posts the name only the first time', async () => {
    apple.user = createHiddenUser();
    const client = apple.addClient({ redirectUri: REDIRECT_URI });
    const config = await discover(apple.issuer, { ...client, clientSecret: await signSecret(client) });
    const first = await signIn(config, parameters);
    const { sub, email } = apple.user;
    expect(first.claims).toMatchObject({ sub, email, email_verified: 'true', is_private_email: 'true' });
    expect(JSON.parse(first.callback.form['user']!)).toEqual({
      name: { firstName: 'Ada', lastName: 'Byron' },
      email,
    });
    expect((await signIn(config, parameters)).callback.form).not.toHaveProperty('user');
  });

  it('rejects a client secret valid for over six months, and a request without form_post', async () => {
    const client = apple.addClient({ redirectUri: REDIRECT_URI });
    const secret = await signSecret(client, '190 days');
    const config = await discover(apple.issuer, { ...client, clientSecret: secret });
    await expect(signIn(config, parameters)).rejects.toMatchObject({ error: 'invalid_client' });
    await expect(signIn(config, { scope: 'openid email' })).rejects.toThrow('must be form_post');
  });
});

describe('GitHubStandIn', () => {
  const PATHS = { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' };
  const connect = () =>
    configure({ url: gitHub.url, paths: PATHS }, gitHub.addClient({ redirectUri: REDIRECT_URI }));

  it('returns the user and the email addresses', async () => {
    const { tokens } = await signIn(connect(), { scope: 'read:user user:email' });
    const get = (path: string, headers: object = {}) =>
      fetch(gitHub.url + path, { headers: { authorization: `Bearer ${tokens.access_token}`, ...headers } });
    const { emails, ...user } = gitHub.user;
    expect(await (await get('/api/v3/user')).json()).toMatchObject(user);
    expect(await (await get('/api/v3/user/emails')).json()).toEqual(emails);
    expect((await get('/api/v3/user', { 'user-agent': '' })).status).toBe(403);
    expect((await get('/api/v3/user', { authorization: 'Bearer other' })).status).toBe(401);
  });

  it('responds to an error with status 200, form-encoded unless the client accepts JSON', async () => {
    const body = new URLSearchParams({ client_id: 'x' });
    const plain = await fetch(gitHub.urlOf('token'), { method: 'POST', body });
    expect([plain.status, new URLSearchParams(await plain.text()).get('error')]).toEqual([
      200,
      'incorrect_client_credentials',
    ]);
    gitHub.isDenied = true;
    await expect(signIn(connect())).rejects.toMatchObject({ error: 'access_denied' });
  });
});

describe('DiscordStandIn', () => {
  it('returns the user, with the email address if its scope was granted', async () => {
    const paths = { authorize: '/oauth2/authorize', token: '/api/oauth2/token' };
    const client = discord.addClient({ redirectUri: REDIRECT_URI });
    const config = configure({ url: discord.url, paths }, client);
    const { email, verified, ...user } = discord.user;
    for (const [scope, expected] of [
      ['identify', user],
      ['identify email', { ...user, email, verified }],
    ] as const) {
      const { tokens } = await signIn(config, { scope });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const response = await fetch(discord.urlOf('user'), { headers });
      expect(await response.json()).toEqual({ ...expected, discriminator: '0' });
    }
  });
});
