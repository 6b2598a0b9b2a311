'use client';
import type { AuthState, Client, GatehouseError, RedirectResult } from '@gatehouse/js';
import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Appearance } from './appearance.js';
import { GatehouseContext, type ProviderState } from './gatehouse-context.js';
import type { Localization } from './localization/texts.js';

export interface GatehouseProviderProps {
  /** The client that `createClient()` from `@gatehouse/js` returns. Create it once, outside components. */
  client: Client;
  /** The state that the server rendered. Without it, the state is `loading` until the client has read its storage. */
  initialState?: AuthState;
  appearance?: Appearance;
  /** Texts that replace the English ones: a language such as `de`, or individual texts. */
  localization?: Localization;
  children?: ReactNode;
}

const NONE = {};
const LOADING = { status: 'loading', customer: null } as const;
const SIGNED_OUT = { status: 'signed_out', customer: null } as const;

/** Provides the client and the authentication state, and completes flows that redirect back to the page. */
export function GatehouseProvider({
  client,
  initialState,
  appearance = NONE,
  localization = NONE,
  children,
}: GatehouseProviderProps) {
  const store = useMemo(() => createStore(client, initialState), [client]);
  const current = useSyncExternalStore(store.subscribe, store.get, store.getInitial);
  const { isPending, ...redirect } = usePageRedirect(client);
  const [isHeld, holdSignIn] = useState(false);
  const state = applyDelays(current, isPending, isHeld);
  const value = { client, state, redirect, holdSignIn, appearance, localization };
  return <GatehouseContext.Provider value={value}>{children}</GatehouseContext.Provider>;
}

function applyDelays(state: ProviderState, isPending: boolean, isHeld: boolean): ProviderState {
  if (isHeld && state.status === 'signed_in') return SIGNED_OUT;
  return isPending && state.status === 'signed_out' ? LOADING : state;
}

/** Returns a client's state as an external React store. */
function createStore(client: Client, initialState: ProviderState = LOADING) {
  let state = initialState;
  return {
    get: () => state,
    getInitial: () => initialState,
    subscribe: (onChange: () => void) =>
      client.onAuthStateChange((next) => {
        state = next;
        onChange();
      }),
  };
}

/** Completes the flow that redirected to this page. */
function usePageRedirect(client: Client) {
  const [redirect, setRedirect] = useState<{
    isPending: boolean;
    result: RedirectResult | null;
    error: GatehouseError | null;
  }>({ isPending: false, result: null, error: null });
  useEffect(() => {
    // In React Native, the app passes deep links to the client itself.
    if (typeof document !== 'object' || !/[?&](code|error)=/.test(location.search)) return;
    let isCurrent = true;
    const finish = (result: RedirectResult | null, error: GatehouseError | null) => {
      if (isCurrent) setRedirect({ isPending: false, result, error });
    };
    setRedirect({ isPending: true, result: null, error: null });
    client.handleRedirect().then(
      (result) => finish(result, null),
      (error: GatehouseError) => finish(null, error),
    );
    return () => {
      isCurrent = false;
    };
  }, [client]);
  return { ...redirect, clear: () => setRedirect({ isPending: false, result: null, error: null }) };
}
