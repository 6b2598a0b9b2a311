import { GatehouseProvider as ClientProvider } from '@gatehouse/react/hooks';
import { createContext, useContext, type ReactNode } from 'react';
import type { ExpoClient } from './expo-client.js';

export interface GatehouseProviderProps {
  /** The client that `createExpoClient()` returns. Create it once, outside of components. */
  client: ExpoClient;
  children?: ReactNode;
}

const ExpoClientContext = createContext<ExpoClient | null>(null);

/** Provides the client and the state of the customer. */
export const GatehouseProvider = ({ client, children }: GatehouseProviderProps) => (
  <ExpoClientContext.Provider value={client}>
    <ClientProvider client={client}>{children}</ClientProvider>
  </ExpoClientContext.Provider>
);

/** Returns the client of the provider. @throws Error outside of a `<GatehouseProvider>` */
export function useExpoClient(): ExpoClient {
  const client = useContext(ExpoClientContext);
  if (!client) throw new Error('Render this component inside of <GatehouseProvider>');
  return client;
}
