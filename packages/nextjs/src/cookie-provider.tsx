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
  const { handlerPath, projectId, initialState, expiresIn, ...shown } = props;
  const [client] = useState(() => createCookieClient({ handlerPath, projectId, initialState, expiresIn }));
  useRenderedSession(client, initialState.status === 'signed_in' ? initialState.sessionId : null);
  return (
    <GatehouseProvider {...shown} client={client} initialState={initialState}>
      {children}
    </GatehouseProvider>
  );
}

function createCookieClient(session: HydratedSession): Client {
  const isBrowser = typeof document === 'object';
  return createClient({
    url: session.handlerPath,
    // The handler adds the key.
    publishableKey: '',
    projectId: session.projectId,
    // A shared storage on the server would mix the customers from all requests.
    ...(isBrowser && { storage: cookieStorage(session, browserStorage(), Date.now()) }),
  });
}

/** Renders the server components again when they were rendered for another session. */
function useRenderedSession(client: Client, sessionId: string | null): void {
  const router = useRouter();
  useEffect(() => {
    let known = sessionId;
    return client.onAuthStateChange((state) => {
      const current = state.status === 'signed_in' ? state.sessionId : null;
      if (current === known) return;
      known = current;
      router.refresh();
    });
    // Only a change may cause another server rendering.
  }, [client, router]);
}

function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null; // Browsers throw if the user blocks site data.
  }
}
