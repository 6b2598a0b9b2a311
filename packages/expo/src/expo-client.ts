import { createClient, type Client, type ClientOptions, type SignInResult } from '@gatehouse/js';
import { BrowserFlows, type BrowserFunction } from './browser-flows.js';
import { IdTokenSignIn } from './id-token-sign-in.js';
import type { NativeModules, SecureStoreOptions } from './native-modules.js';
import type { NativeSignIn } from './native-sign-in.js';
import { RedirectLinks, type RedirectOutcome } from './redirect-links.js';
import type { RedirectOptions } from './redirect-target.js';
import { secureStorage } from './secure-storage.js';

export interface ExpoClientOptions
  extends Omit<ClientOptions, 'crypto'>, RedirectOptions, SecureStoreOptions {
  /** Google's native sign-in: `googleSignIn(GoogleSignin, …)`. Default: the browser. */
  google?: NativeSignIn;
  /** Apple's native sign-in: `appleSignIn(AppleAuthentication)`. Default: the browser. */
  apple?: NativeSignIn;
  /** Replaces the Expo packages, for tests in Node.js. Default: the installed packages. */
  modules?: NativeModules;
}

/** Options for a sign-in with Google or Apple. */
export interface ProviderFlow extends RedirectOptions {
  /** The provider's slug in the project. Default: `google` or `apple`. */
  provider?: string;
}

export type ProviderFunction = (flow?: ProviderFlow) => Promise<SignInResult | null>;

/** The `@gatehouse/js` client, extended with the device's browser, links and native sign-ins. */
export interface ExpoClient extends Client {
  signIn: Omit<Client['signIn'], 'social'> & {
    /** Signs in with a provider in the browser. Returns null if the customer closes the browser. */
    social: BrowserFunction;
    /** Signs in with Google, natively or in the browser. Returns null if the customer cancels. */
    google: ProviderFunction;
    /** Signs in with Apple, natively or in the browser. Returns null if the customer cancels. */
    apple: ProviderFunction;
  };
  identities: Omit<Client['identities'], 'link'> & {
    /** Links a provider account in the browser. Returns null if the customer closes the browser. */
    link: BrowserFunction;
  };
  reauthenticate: Omit<Client['reauthenticate'], 'social'> & {
    /** Reauthenticates the customer with a provider in the browser. Returns null if the customer closes the browser. */
    social: BrowserFunction;
  };
  /**
   * Calls the listener when a link that opened the app completes a flow or fails, including the link that started the
   * app. Returns a function that unsubscribes.
   */
  onRedirect: (listener: (outcome: RedirectOutcome) => void) => () => void;
  /** Stops listening for links and app state changes. */
  close: () => void;
}

/** Returns a client that uses the given native modules. */
export function createExpoClientOn(modules: NativeModules, options: ExpoClientOptions): ExpoClient {
  const { google, apple, redirectUrl, returnUrl, keychainAccessible, modules: _, ...rest } = options;
  const storage = rest.storage ?? secureStorage(modules.secureStore, { keychainAccessible });
  const client = createClient({ ...rest, storage, crypto: modules.crypto });
  const browser = new BrowserFlows(modules, { redirectUrl, returnUrl });
  const idTokens = new IdTokenSignIn({ client, crypto: modules.crypto, storage });
  const social = browser.wrap(client.signIn.social);

  const links = new RedirectLinks(modules.linking, async (link) => {
    const url = browser.receive(link);
    return url === null ? null : client.handleRedirect(url);
  });
  const appState = modules.appState.addEventListener('change', (state) => {
    // Refreshes a token that is about to expire. Offline, the customer stays signed in.
    if (state === 'active') client.getAccessToken().catch(() => undefined);
  });

  return {
    ...client,
    signIn: {
      ...client.signIn,
      social,
      google: signInNatively('google', google, idTokens, social),
      apple: signInNatively('apple', apple, idTokens, social),
    },
    challenge: idTokens.wrapChallenge(client.challenge),
    identities: { ...client.identities, link: browser.wrap(client.identities.link) },
    reauthenticate: { ...client.reauthenticate, social: browser.wrap(client.reauthenticate.social) },
    onRedirect: (listener) => links.subscribe(listener),
    close: () => {
      links.close();
      appState.remove();
    },
  };
}

const signInNatively =
  (
    slug: string,
    native: NativeSignIn | undefined,
    idTokens: IdTokenSignIn,
    social: BrowserFunction,
  ): ProviderFunction =>
  async ({ provider = slug, ...redirect } = {}) => {
    if (native && (await native.isAvailable())) return idTokens.signIn(provider, native);
    return (await social({ provider, ...redirect })) as SignInResult | null;
  };
