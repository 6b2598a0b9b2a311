import type { AuthState, Client, GatehouseError, RedirectResult } from '@gatehouse/js';
import { createContext, useContext } from 'react';
import type { Appearance } from './appearance.js';
import type { Localization } from './localization/texts.js';

/** The authentication state. `loading` until the session has been read and a redirect, if any, is completed. */
export type ProviderState = AuthState | { status: 'loading'; customer: null };

/** A flow that redirected to this page from an identity provider, the hosted page or an emailed link. */
export interface Redirect {
  /** The flow's result, such as a challenge. Null without a flow. */
  result: RedirectResult | null;
  /** The error that ended the flow. */
  error: GatehouseError | null;
  /** Clears the result and the error. Call it after handling them. */
  clear: () => void;
}

export interface GatehouseContextValue {
  client: Client;
  state: ProviderState;
  redirect: Redirect;
  /**
   * Keeps the state signed out while `isHeld` is true, so that a component inside `<SignedOut>` can show the recovery
   * codes of a completed sign-in.
   */
  holdSignIn: (isHeld: boolean) => void;
  appearance: Appearance;
  localization: Localization;
}

export const GatehouseContext = createContext<GatehouseContextValue | null>(null);

/** Returns the values from the provider. @throws Error outside a `<GatehouseProvider>` */
export function useGatehouse(): GatehouseContextValue {
  const value = useContext(GatehouseContext);
  if (!value) throw new Error('Render this component inside <GatehouseProvider>');
  return value;
}
