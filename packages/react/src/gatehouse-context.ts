import type { AuthState, Client, GatehouseError, RedirectResult } from '@gatehouse/js';
import { createContext, useContext } from 'react';
import type { Appearance } from './appearance.js';
import type { Localization } from './localization/texts.js';

/** The customer's state. It is `loading` until the session is known and a redirect is completed. */
export type ProviderState = AuthState | { status: 'loading'; customer: null };

/** The flow that has led to this page from an identity provider, the hosted page or an emailed link. */
export interface Redirect {
  /** The flow's result, such as a challenge; null without a flow. */
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
   * Delays the change from signed out to signed in while it is true, so that a component inside `<SignedOut>` can still
   * show the recovery codes from a completed sign-in.
   */
  holdSignIn: (isHeld: boolean) => void;
  appearance: Appearance;
  localization: Localization;
}

export const GatehouseContext = createContext<GatehouseContextValue | null>(null);

/** Returns the provider's values. @throws Error outside a `<GatehouseProvider>` */
export function useGatehouse(): GatehouseContextValue {
  const value = useContext(GatehouseContext);
  if (!value) throw new Error('Render this component inside of <GatehouseProvider>');
  return value;
}
