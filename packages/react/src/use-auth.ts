'use client';
import type { Client, CustomerSummary } from '@gatehouse/js';
import { useGatehouse, type Redirect } from './gatehouse-context.js';

export interface Auth {
  status: 'loading' | 'signed_in' | 'signed_out';
  /** The customer as of the last refresh, or null. */
  customer: CustomerSummary | null;
  sessionId: string | null;
  /** The error code that has ended the session, such as `refresh_token_expired`. */
  reason?: string;
  /** Sends a request with the access token to your own API. It takes the arguments of the global `fetch`. */
  fetch: Client['fetch'];
  /** Returns a valid access token, or null if no customer is signed in. */
  getAccessToken: Client['getAccessToken'];
  /** Ends this session, the others or all. */
  signOut: Client['signOut'];
  client: Client;
}

/** Returns the authentication state and the session's functions. */
export function useAuth(): Auth {
  const { client, state } = useGatehouse();
  const { fetch, getAccessToken, signOut } = client;
  return { sessionId: null, ...state, fetch, getAccessToken, signOut, client };
}

/**
 * Returns the flow that has led to this page from an identity provider, the hosted page or an emailed link. `<SignIn>`
 * and `<AccountSettings>` handle it; your own page has to.
 */
export const useRedirect = (): Redirect => useGatehouse().redirect;
