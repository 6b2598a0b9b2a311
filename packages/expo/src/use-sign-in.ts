import { useMemo, useSyncExternalStore } from 'react';
import { useExpoClient } from './gatehouse-provider.js';
import { createSignInStore, type SignInActions, type SignInState } from './sign-in-actions.js';

/** The functions and state of a sign-in screen. */
export type SignInForm = SignInActions & SignInState;

/** Returns the functions and state of a sign-in screen. */
export function useSignIn(): SignInForm {
  const client = useExpoClient();
  const store = useMemo(() => createSignInStore(client), [client]);
  const state = useSyncExternalStore(store.subscribe, store.getState, store.getState);
  return { ...store.actions, ...state };
}
