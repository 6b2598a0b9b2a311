import {
  createCustomer,
  createFactors,
  createIdentities,
  createPasskeys,
  createReauthenticate,
  createSessions,
} from './account.js';
import { createAuthorizedFetch } from './authorized-fetch.js';
import { ClientCore, type ClientOptions } from './client-core.js';
import { endsSession, GatehouseError } from './gatehouse-error.js';
import { loadRedirects } from './on-demand.js';
import { currentPlatform, type Platform } from './platform.js';
import { createChallenge, createPublicFunctions, createSignIn } from './sign-in.js';
import type { AuthState, RedirectResult } from './types.js';

/** Signs customers in and maintains their session. */
export type Client = ReturnType<typeof createClientOn>;

/** Returns a client. One client per application is enough. */
export const createClient = (options: ClientOptions): Client => createClientOn(currentPlatform(), options);

/** Returns a client for the given platform, which only this package's tests replace. */
export function createClientOn(platform: Platform, options: ClientOptions) {
  const core = new ClientCore(options, platform);
  const { manager, store } = core;
  return {
    ...createPublicFunctions(core),
    signIn: createSignIn(core),
    challenge: createChallenge(core),
    customer: createCustomer(core),
    sessions: createSessions(core),
    factors: createFactors(core),
    passkeys: createPasskeys(core),
    identities: createIdentities(core),
    reauthenticate: createReauthenticate(core),

    /**
     * Completes a flow at its redirect URL: a sign-in with an identity provider, the hosted page or an emailed link,
     * `identities.link()`, or `reauthenticate.social()`. Returns null if the URL is not a redirect from Gatehouse, or
     * if the flow did not start in this browser.
     * @throws GatehouseError with the code from the redirect or from the exchange
     */
    handleRedirect: createHandleRedirect(core),

    /**
     * Ends this session, all other sessions, or all of them. Deletes the tokens even if Gatehouse cannot be reached.
     * @throws GatehouseError if the session could not be ended at Gatehouse
     */
    signOut: async ({ scope = 'this' }: { scope?: 'this' | 'others' | 'all' } = {}): Promise<void> => {
      try {
        await manager.call('POST', '/auth/logout', { scope });
      } catch (error) {
        if (!isSignedOut(error)) throw error;
      } finally {
        const record = await store.read();
        if (record && scope !== 'others') await manager.end(record);
      }
    },

    /**
     * Returns an access token that is valid for at least 30 more seconds, or null if no customer is signed in. While
     * Gatehouse cannot be reached, returns the current token until it expires.
     * @throws GatehouseError if the token has expired and Gatehouse cannot be reached: the customer stays signed in
     */
    getAccessToken: (): Promise<string | null> => manager.accessToken(),

    /** Sends a request with the access token to your own API. Takes the same arguments as the global `fetch`. */
    fetch: createAuthorizedFetch(core),

    /**
     * Calls the listener once with the current state, then after each sign-in and sign-out, including those in other
     * tabs. Returns a function that unsubscribes.
     */
    onAuthStateChange: (listener: (state: AuthState) => void): (() => void) => store.subscribe(listener),
  };
}

const isSignedOut = (error: unknown): boolean =>
  endsSession(error) ||
  (error instanceof GatehouseError && ['signed_out', 'invalid_access_token'].includes(error.code));

function createHandleRedirect(core: ClientCore): (url?: string) => Promise<RedirectResult | null> {
  let current: { url: string; result: Promise<RedirectResult | null> } | undefined;
  const handle = async (url: string): Promise<RedirectResult | null> =>
    (await loadRedirects()).handleRedirect(core, url);
  return async (url = location.href) => {
    if (!/[?&](code|error)=/.test(url)) return null;
    // A component that is mounted twice calls this twice, but a code can be exchanged only once.
    if (current?.url !== url) {
      const result = handle(url).finally(() => (current = undefined));
      current = { url, result };
    }
    return current.result;
  };
}
