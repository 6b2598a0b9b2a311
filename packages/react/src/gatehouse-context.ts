import type { AuthState, Client, GatehouseError, RedirectResult } from '@gatehouse/js';
import { createContext, useContext } from 'react';
import type { Appearance } from './appearance.js';
import type { Localization } from './localization/texts.js';

/** The state of the customer. It is `loading` until the session is known and a redirect is completed. */
export type ProviderState = AuthState | { status: 'loading'; customer: null };

/** The flow at an identity provider, on the hosted page or by the link of an email that has led to this page. */
export interface Redirect {
  /** The result of the flow, such as a challenge; null without a flow. */
  result: RedirectResult | null;
  /** The error that has ended the flow. */
  error: GatehouseError | null;
  /** Removes the result and the error, when they have been handled. */
  clear: () => void;
}

export interface GatehouseContextValue {
  client: Client;
  state: ProviderState;
  redirect: Redirect;
  /**
   * Delays the change from signed out to signed in while it is true, so that a component inside of `<SignedOut>` can
   * still show the recovery codes of a completed sign-in.
   */
  holdSignIn: (isHeld: boolean) => void;
  appearance: Appearance;
  localization: Localization;
}

export const GatehouseContext = createContext<GatehouseContextValue | null>(null);

/** Returns the values of the provider. @throws Error outside of a `<GatehouseProvider>` */
export function useGatehouse(): GatehouseContextValue {
  const value = useContext(GatehouseContext);
  if (!value) throw new Error('Render this component inside of <GatehouseProvider>');
  return value;
}
