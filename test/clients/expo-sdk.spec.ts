import {
  appleSignIn,
  googleSignIn,
  secureStorage,
  type AppleAuthenticationModule,
  type AuthState,
  type ExpoClient,
  type GoogleSigninModule,
  type RedirectOutcome,
} from '@gatehouse/expo';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { codeBlocks } from '../support/code-blocks.js';
import { resetTotpSteps } from '../support/customer-factors.js';
import { DocumentFolder } from '../support/document-folder.js';
import { readEmailCode, submitEmailLink } from '../support/email-codes.js';
import { eventually } from '../support/eventually.js';
import { APP_URL, Device } from '../support/expo/device.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { AppleStandIn } from '../support/identity-providers/apple-stand-in.js';
import { UserAgent } from '../support/identity-providers/user-agent.js';
import {
  addProvider,
  changeProvider,
  createSocialProject,
  REDIRECT_URL,
  type SocialProject,
} from '../support/social-sign-in.js';
import { PASSWORD, TestInstance } from '../support/test-instance.js';
import { totpCode } from '../support/totp.js';
import { uniqueEmail } from '../support/unique-email.js';

const KEY = 'gatehouse.session';
const offline = () => Promise.reject(new TypeError('Network request failed'));

let instance: TestInstance;
let project: SocialProject;
let google: StandInProvider;
let apple: AppleStandIn;
let googleClientId: string;
beforeAll(async () => {
  instance = await TestInstance.startShared({ workers: 0 });
  project = await createSocialProject(instance, {
    redirectUrls: [APP_URL, REDIRECT_URL],
    mfa: 'optional',
    signIn: { emailCode: true },
  });
  [google, apple] = await Promise.all([StandInProvider.start(), AppleStandIn.start()]);
  const issuer = google.issuer;
  const added = await addProvider(instance, project, google, { type: 'google', issuer, slug: 'google' });
  googleClientId = 'com.example.app.google';
  await changeProvider(instance, project, added, { clientIds: [googleClientId] });
  const byApple = await addProvider(instance, project, apple, {
    type: 'apple',
    issuer: apple.issuer,
    slug: 'apple',
  });
  await changeProvider(instance, project, byApple, { clientIds: ['com.example.app'], requireNonce: true });
});
afterAll(async () => {
  await Promise.all([google?.stop(), apple?.stop()]);
  await instance?.stop();
});
beforeEach(() => {
  google.reset();
  google.user = createProviderUser({ hd: 'example.com' });
  apple.user = createProviderUser();
});

type StartOptions = Parameters<Device['start']>[0];

/** Starts the app on a device with the project's publishable key. */
const start = (device: Device, options: StartOptions = {}): ExpoClient =>
  device.start({ publishableKey: project.publishableKey, ...options });

async function signUp(client: ExpoClient): Promise<{ id: string; email: string }> {
  const email = uniqueEmail();
  const result = await client.signUp({ email, password: PASSWORD });
  if (result.status !== 'complete') throw new Error(`the registration ended with ${result.status}`);
  return { id: result.customer.id, email };
}

/** Adds an authenticator for the signed-in customer. @returns its secret */
async function addTotp(client: ExpoClient, id: string): Promise<string> {
  const { id: factorId, secret } = await client.factors.addTotp();
  await client.factors.confirmTotp(factorId, { code: totpCode(secret) });
  await resetTotpSteps(instance, { id });
  return secret;
}

const stateOf = (client: ExpoClient): Promise<AuthState> =>
  new Promise((resolve) => {
    const end = client.onAuthStateChange((state) => {
      resolve(state);
      end();
    });
  });

/** Changes when the access token expires, in ms since the epoch. */
async function setExpiry(device: Device, expiresAt: number): Promise<void> {
  const storage = secureStorage(device.modules.secureStore);
  const record = JSON.parse((await storage.getItem(KEY))!);
  await storage.setItem(KEY, JSON.stringify({ ...record, expiresAt, obtainedAt: 0 }));
}

const generationOf = async (customerId: string): Promise<number> =>
  (await instance.sql('SELECT generation FROM sessions WHERE customer_id = $1', [customerId]))[0]![
    'generation'
  ];

/** Follows the provider's pages, as a customer does in a device's browser. */
async function followProviderPages(url: string, until = APP_URL): Promise<string> {
  const { url: end } = await new UserAgent().follow(url, { until: ({ href }) => href.startsWith(until) });
  return end.href;
}

/** Returns a list to which every link's outcome is added. */
function recordOutcomes(client: ExpoClient): RedirectOutcome[] {
  const outcomes: RedirectOutcome[] = [];
  client.onRedirect((outcome) => outcomes.push(outcome));
  return outcomes;
}

describe('the session of a device', () => {
  it('survives a restart of the app, and stays signed in while Gatehouse is unreachable', async () => {
    const device = new Device(instance);
    const { email } = await signUp(start(device));

    const offlineClient = start(device, { fetch: offline });
    expect(await stateOf(offlineClient)).toMatchObject({ status: 'signed_in', customer: { email } });
    expect(await offlineClient.getAccessToken()).not.toBeNull();
    await expect(offlineClient.customer.get()).rejects.toMatchObject({ code: 'network_error' });

    await setExpiry(device, 1);
    const expired = start(device, { fetch: offline });
    device.changeState('active');
    await expect(expired.getAccessToken()).rejects.toMatchObject({ code: 'network_error' });
    expect(await stateOf(expired)).toMatchObject({ status: 'signed_in' });
    expect(await start(device).customer.get()).toMatchObject({ email });
  });

  it('refreshes when the app becomes active and its token expires soon', async () => {
    const device = new Device(instance);
    const { id } = await signUp(start(device));
    const before = await generationOf(id);
    start(device);
    device.changeState('active');
    await setExpiry(device, Date.now() + 5_000);
    const client = start(device);
    for (const state of ['inactive', 'background']) device.changeState(state);
    expect(await generationOf(id)).toBe(before);
    device.changeState('active');
    await eventually('the refresh', async () => (await generationOf(id)) === before + 1);
    expect(await client.customer.get()).toMatchObject({ id });
    expect(await generationOf(id)).toBe(before + 1);
  });

  it('ends without an error if the keychain has lost part of it', async () => {
    const device = new Device(instance);
    await signUp(start(device));
    device.keychain.set(KEY, 'a.2.3000');
    expect(await stateOf(start(device))).toEqual({ status: 'signed_out', customer: null });
    await signUp(start(device));
    expect(await stateOf(start(device))).toMatchObject({ status: 'signed_in' });
  });

  it('does not keep a listener after the client is closed', async () => {
    const device = new Device(instance);
    const client = start(device);
    expect(device.listenerCount).toBe(2);
    client.close();
    expect(device.listenerCount).toBe(0);
  });
});

describe('a sign-in in the browser', () => {
  it('returns the result, a second factor, or null if the customer closes the browser', async () => {
    const device = new Device(instance);
    const client = start(device);
    expect(await client.signIn.google()).toBeNull();
    device.browse = async (url, returnUrl) => ({
      type: 'success',
      url: await followProviderPages(url, returnUrl),
    });
    const result = await client.signIn.google();
    const { email } = google.user;
    if (result?.status !== 'complete') throw new Error(`the sign-in ended with ${result?.status}`);
    expect(result.customer.email).toBe(email);

    const secret = await addTotp(client, result.customer.id);
    const second = await client.signIn.google();
    if (second?.status !== 'second_factor') throw new Error(`the sign-in ended with ${second?.status}`);
    const { token } = second.challenge;
    expect(await client.challenge.totp({ token, code: totpCode(secret) })).toMatchObject({
      status: 'complete',
    });

    google.isDenied = true;
    await expect(client.signIn.google()).rejects.toMatchObject({ code: 'access_denied' });
  });

  it('completes once if Android reports a closed browser after the redirect', async () => {
    const device = new Device(instance);
    const client = start(device);
    const outcomes = recordOutcomes(client);
    device.browse = async (url) => {
      device.openLink(await followProviderPages(url));
      await client.options(); // In this time, the client must not complete the link on its own.
      return { type: 'dismiss' };
    };
    expect(await client.signIn.social({ provider: 'google' })).toMatchObject({ status: 'complete' });

    // The link arrives after the report that the browser was closed.
    let link = '';
    device.browse = async (url) => {
      link = await followProviderPages(url);
      return { type: 'dismiss' };
    };
    expect(await client.signIn.social({ provider: 'google' })).toBeNull();
    expect(outcomes).toEqual([]);
    device.openLink(link);
    await eventually('the outcome', () => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ result: { status: 'complete' } }]);
  });

  it('returns to an app without an accepted scheme through a forwarding page', async () => {
    const device = new Device(instance);
    device.appUrl = 'exp://192.168.1.5:8081/--/signed-in';
    await expect(start(device).signIn.google()).rejects.toMatchObject({ code: 'redirect_url_not_supported' });

    const client = start(device, { redirectUrl: REDIRECT_URL, returnUrl: device.appUrl });
    device.browse = async (url, returnUrl) => {
      expect(returnUrl).toBe(device.appUrl);
      const forwarded = await followProviderPages(url, REDIRECT_URL);
      return { type: 'success', url: forwarded.replace(REDIRECT_URL, returnUrl) };
    };
    await signUp(client);
    expect(await client.identities.link({ provider: 'google' })).toMatchObject({ status: 'linked' });
    expect(await client.signIn.google()).toMatchObject({ status: 'complete' });

    const outcomes = recordOutcomes(client);
    const email = uniqueEmail();
    await client.sendEmailCode({ email, redirectUrl: REDIRECT_URL });
    device.openLink((await followEmailLink(email)).replace(REDIRECT_URL, device.appUrl));
    await eventually('the outcome', () => outcomes.length > 0);
    expect(outcomes).toMatchObject([{ result: { status: 'complete', customer: { email } } }]);
  });

  it('does not support Expo Go URLs, because projects reject them as redirect URLs', async () => {
    const path = `/api/v1/projects/${project.id}`;
    for (const url of ['exp://192.168.1.5:8081/--/signed-in', 'myapp://signed-in']) {
      const settings = { redirectUrls: [url] };
      const response = await instance.requestWithSecretKey('PATCH', path, { settings });
      expect([url, response.body.code]).toEqual([url, 'validation_failed']);
    }
  });
});

/** Submits an email's link. @returns the URL to which it redirects */
async function followEmailLink(email: string): Promise<string> {
  await readEmailCode(instance, email);
  const [mail] = await instance.listMails(email, 'email-code');
  const { pathname, search } = new URL(mail!['link'] as string);
  const response = await submitEmailLink({ path: pathname + search }, instance.baseUrl);
  return response.headers.get('location')!;
}

describe('a link that opens the app', () => {
  it('completes the interrupted sign-in once', async () => {
    const device = new Device(instance);
    let link: string | undefined;
    device.browse = async (url) => {
      link = await followProviderPages(url);
      return new Promise(() => undefined); // The system ends the app here.
    };
    void start(device).signIn.google();
    device.initialUrl = await eventually('the redirect', () => link);

    const client = start(device);
    device.openLink(link!);
    const state = await eventually('the sign-in', async () => {
      const current = await stateOf(client);
      return current.status === 'signed_in' ? current : null;
    });
    expect(state.customer.email).toBe(google.user.email);
    const outcomes = recordOutcomes(client);
    expect(outcomes).toMatchObject([{ result: { status: 'complete' } }]);

    // The app still has the first link, even after a reload.
    const reloaded = start(device);
    const later = recordOutcomes(reloaded);
    const email = uniqueEmail();
    await reloaded.sendEmailCode({ email, redirectUrl: APP_URL });
    device.openLink(link!);
    device.openLink('com.example.app://orders?code=7');
    device.openLink(await followEmailLink(email));
    await eventually('the outcome of the last link', () => later.length > 0);
    expect(later).toMatchObject([{ result: { status: 'complete', customer: { email } } }]);
    expect(outcomes).toHaveLength(1);
  });

  it('passes a second factor or an error to the screens', async () => {
    const device = new Device(instance);
    const client = start(device);
    const { id, email } = await signUp(client);
    await client.verifyEmail(await instance.getMailToken(email, 'verify-email'));
    const secret = await addTotp(client, id);
    await client.signOut();
    const outcomes = recordOutcomes(client);
    await client.sendEmailCode({ email, redirectUrl: APP_URL });
    const link = await followEmailLink(email);
    device.openLink(link);
    await eventually('the outcome', () => outcomes.length > 0);
    const { result } = outcomes[0]!;
    if (result?.status !== 'second_factor') throw new Error(`the sign-in ended with ${result?.status}`);
    const credential = { token: result.challenge.token, code: totpCode(secret) };
    expect(await client.challenge.totp(credential)).toMatchObject({
      status: 'complete',
      customer: { email },
    });

    await client.sendEmailCode({ email, redirectUrl: APP_URL });
    device.openLink(`${APP_URL}?code=unknown`);
    await eventually('the error', () => outcomes.length > 1);
    expect(outcomes[1]).toMatchObject({ result: null, error: { code: expect.stringMatching(/invalid/) } });
  });

  it('recovers once Gatehouse is reachable again', async () => {
    const device = new Device(instance);
    let isOffline = false;
    const client = start(device, {
      fetch: (input, init) => (isOffline ? offline() : fetch(input, init)),
    });
    const outcomes = recordOutcomes(client);
    const email = uniqueEmail();
    await client.sendEmailCode({ email, redirectUrl: APP_URL });
    const link = await followEmailLink(email);
    isOffline = true;
    device.openLink(link);
    await eventually('the error', () => outcomes.length > 0);
    isOffline = false;
    device.openLink(link);
    device.openLink(link);
    await eventually('the sign-in', () => outcomes.length > 1);
    expect(outcomes).toMatchObject([
      { error: { code: 'network_error' } },
      { result: { status: 'complete', customer: { email } } },
    ]);
  });
});

/** Google's module on a device with an account at the stand-in. */
class GoogleModule implements GoogleSigninModule {
  hasServices = true;
  isCanceled = false;
  readonly calls: string[] = [];
  private lastToken: string | undefined;

  configure(): void {
    this.calls.push('configure');
  }

  async hasPlayServices(): Promise<boolean> {
    if (!this.hasServices) throw new Error('PLAY_SERVICES_NOT_AVAILABLE');
    return true;
  }

  async signIn(): ReturnType<GoogleSigninModule['signIn']> {
    this.calls.push('signIn');
    if (this.isCanceled) return { type: 'cancelled', data: null };
    // Like the real module, it returns the same token again while the account is signed in.
    this.lastToken ??= await google.issueIdToken({ aud: googleClientId, jti: randomUUID() });
    return { type: 'success', data: { idToken: this.lastToken } };
  }

  async signOut(): Promise<null> {
    this.lastToken = undefined;
    return null;
  }
}

describe('a native sign-in with Google', () => {
  it('sends a new ID token each time, and returns null if the customer cancels', async () => {
    const module = new GoogleModule();
    const device = new Device(instance);
    const client = start(device, { google: googleSignIn(module, { webClientId: googleClientId }) });
    for (let count = 0; count < 2; count += 1)
      expect(await client.signIn.google()).toMatchObject({
        status: 'complete',
        customer: { email: google.user.email },
      });
    module.isCanceled = true;
    expect(await client.signIn.google()).toBeNull();
    expect(module.calls).toEqual(['configure', 'signIn', 'signIn', 'signIn']);
  });

  it('uses the browser on a device without Play services', async () => {
    const module = new GoogleModule();
    module.hasServices = false;
    const device = new Device(instance);
    device.browse = async (url) => ({ type: 'success', url: await followProviderPages(url) });
    const client = start(device, { google: googleSignIn(module, { webClientId: googleClientId }) });
    expect(await client.signIn.google()).toMatchObject({ status: 'complete' });
    expect(module.calls).toEqual([]);
  });
});

/** Apple's module on a device. It returns a name only at the first sign-in. */
class AppleModule implements AppleAuthenticationModule {
  readonly AppleAuthenticationScope = { FULL_NAME: 0, EMAIL: 1 };
  isCanceled = false;
  private readonly known = new Set<string>();

  async isAvailableAsync(): Promise<boolean> {
    return true;
  }

  async signInAsync({ nonce }: { nonce: string }) {
    if (this.isCanceled) throw Object.assign(new Error('canceled'), { code: 'ERR_REQUEST_CANCELED' });
    const { sub, given_name: givenName = null, family_name: familyName = null } = apple.user;
    const identityToken = await apple.issueIdToken({ aud: 'com.example.app', nonce });
    const fullName = this.known.has(sub) ? { givenName: null, familyName: null } : { givenName, familyName };
    this.known.add(sub);
    return { identityToken, user: sub, fullName };
  }
}

describe('a native sign-in with Apple', () => {
  it('sends the nonce of its token, stores the name, and returns null on cancellation', async () => {
    const module = new AppleModule();
    const client = start(new Device(instance), { apple: appleSignIn(module) });
    const name = { firstName: 'Ada', lastName: 'Byron' };
    expect(await client.signIn.apple()).toMatchObject({ status: 'complete', customer: name });
    expect(await client.customer.get()).toMatchObject(name);
    await client.customer.update({ firstName: 'Grace' });
    expect(await client.signIn.apple()).toMatchObject({ customer: { firstName: 'Grace' } });
    module.isCanceled = true;
    expect(await client.signIn.apple()).toBeNull();
  });

  it('keeps the name for the next sign-in if the first one fails', async () => {
    const module = new AppleModule();
    const device = new Device(instance);
    const ada = apple.user;
    const offlineClient = start(device, { apple: appleSignIn(module), fetch: offline });
    await expect(offlineClient.signIn.apple()).rejects.toMatchObject({ code: 'network_error' });

    const client = start(device, { apple: appleSignIn(module) });
    apple.user = createProviderUser({ given_name: undefined, family_name: undefined });
    expect(await client.signIn.apple()).toMatchObject({ status: 'complete', customer: { firstName: null } });
    apple.user = ada;
    expect(await client.signIn.apple()).toMatchObject({ status: 'complete', customer: { firstName: 'Ada' } });
    expect(await client.customer.get()).toMatchObject({ firstName: 'Ada', lastName: 'Byron' });
  });

  it('adds the name after the second factor', async () => {
    const device = new Device(instance);
    const client = start(device, { apple: appleSignIn(new AppleModule()) });
    const { id, email } = await signUp(client);
    await client.verifyEmail(await instance.getMailToken(email, 'verify-email'));
    const secret = await addTotp(client, id);
    apple.user = createProviderUser({ email });
    const result = await client.signIn.apple();
    if (result?.status !== 'second_factor') throw new Error(`the sign-in ended with ${result?.status}`);
    const credential = { token: result.challenge.token, code: totpCode(secret) };
    expect(await client.challenge.totp(credential)).toMatchObject({ customer: { id, firstName: 'Ada' } });
    expect(await client.customer.get()).toMatchObject({ firstName: 'Ada', lastName: 'Byron' });
    expect([...device.keychain.keys()].filter((key) => key.startsWith('gatehouse.name'))).toEqual([]);
  });
});

describe('docs/quick-starts/expo.md', () => {
  const document = 'docs/quick-starts/expo.md';

  it('contains the files of examples/expo', async () => {
    const blocks = await codeBlocks(document);
    const files = (await readdir('examples/expo')).filter((name) => /\.tsx?$/.test(name));
    expect([...blocks.keys()].sort()).toEqual(files.sort());
    for (const name of files)
      expect([name, blocks.get(name)]).toEqual([name, await readFile(`examples/expo/${name}`, 'utf8')]);
  });

  it('adds the redirect URL of the app to the project', async () => {
    const folder = await DocumentFolder.create(document);
    try {
      await folder.write('../gatehouse/.data/credentials.json', JSON.stringify(instance.credentials));
      const { settings } = JSON.parse(await folder.runBlocks('settings', 'redirect'));
      expect(settings.redirectUrls).toEqual(['com.example.orders://signed-in']);
      expect(await readFile('examples/expo/app.config.ts', 'utf8')).toContain("scheme: 'com.example.orders'");
    } finally {
      const path = `/api/v1/projects/${instance.credentials.projectId}`;
      await instance.requestWithSecretKey('PATCH', path, { settings: { redirectUrls: null } });
      await folder.close();
    }
  });
});
