'use client';
import { createClient, type Client } from '@gatehouse/js';
import { GatehouseProvider, type GatehouseProviderProps } from '@gatehouse/react';
import { useRouter } from 'next/navigation.js';
import { useEffect, useState } from 'react';
import { cookieStorage } from './cookie-storage.js';
import type { HydratedSession } from './hydrated-session.js';

type CookieProviderProps = HydratedSession & Omit<GatehouseProviderProps, 'client' | 'initialState'>;

/** Provides a client that calls the app's handler, which adds the tokens from the cookies. */
export function CookieProvider({ children, ...props }: CookieProviderProps) {
  const { handlerPath, projectId, initialState, expiresIn, ...providerProps } = props;
  const [client] = useState(() => createCookieClient({ handlerPath, projectId, initialState, expiresIn }));
  useRefreshOnSessionChange(client, initialState.status === 'signed_in' ? initialState.sessionId : null);
  return (
    <GatehouseProvider {...providerProps} client={client} initialState={initialState}>
      {children}
    </GatehouseProvider>
  );
}

function createCookieClient(session: HydratedSession): Client {
  const isBrowser = typeof document === 'object';
  return createClient({
    url: session.handlerPath,
    // The handler adds the publishable key.
    publishableKey: '',
    projectId: session.projectId,
    // On the server, shared storage would mix up the customers of different requests.
    ...(isBrowser && { storage: cookieStorage(session, browserStorage(), Date.now()) }),
  });
}

/** Re-renders the server components when the session is no longer the one that they were rendered for. */
function useRefreshOnSessionChange(client: Client, sessionId: string | null): void {
  const router = useRouter();
  useEffect(() => {
    let known = sessionId;
    return client.onAuthStateChange((state) => {
      const current = state.status === 'signed_in' ? state.sessionId : null;
      if (current === known) return;
      known = current;
      router.refresh();
    });
    // `sessionId` is left out: only a session change may re-render the server components.
  }, [client, router]);
}

function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // Browsers throw if the user blocks site data.
  }
}
