'use client';
import type { Client, CustomerSummary } from '@gatehouse/js';
import { useGatehouse, type Redirect } from './gatehouse-context.js';

export interface Auth {
  status: 'loading' | 'signed_in' | 'signed_out';
  /** The customer as of the last refresh, or null. */
  customer: CustomerSummary | null;
  sessionId: string | null;
  /** The error code that ended the session, such as `refresh_token_expired`. */
  reason?: string;
  /** Sends a request with the access token to your own API. Takes the same arguments as the global `fetch`. */
  fetch: Client['fetch'];
  /** Returns a valid access token, or null if no customer is signed in. */
  getAccessToken: Client['getAccessToken'];
  /** Ends this session, all other sessions, or all of them. */
  signOut: Client['signOut'];
  client: Client;
}

/** Returns the authentication state, and functions for the session. */
export function useAuth(): Auth {
  const { client, state } = useGatehouse();
  const { fetch, getAccessToken, signOut } = client;
  return { sessionId: null, ...state, fetch, getAccessToken, signOut, client };
}

/**
 * Returns the flow that redirected to this page from an identity provider, the hosted page or an emailed link.
 * `<SignIn>` and `<AccountSettings>` handle it themselves; a custom page has to use this hook.
 */
export const useRedirect = (): Redirect => useGatehouse().redirect;
