import { useMemo, useSyncExternalStore } from 'react';
import { useExpoClient } from './gatehouse-provider.js';
import { createSignInStore, type SignInActions, type SignInState } from './sign-in-actions.js';

/** A sign-in screen's functions and state. */
export type SignInForm = SignInActions & SignInState;

/** Returns a sign-in screen's functions, and their state. */
export function useSignIn(): SignInForm {
  const client = useExpoClient();
  const store = useMemo(() => createSignInStore(client), [client]);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  return { ...store.actions, ...state };
}
