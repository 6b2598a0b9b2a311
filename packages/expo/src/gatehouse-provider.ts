import { GatehouseProvider as ClientProvider, useAuth } from '@gatehouse/react/hooks';
import type { ReactNode } from 'react';
import type { ExpoClient } from './expo-client.js';

export interface GatehouseProviderProps {
  /** The client that `createExpoClient()` returns. Create it once, outside of components. */
  client: ExpoClient;
  children?: ReactNode;
}

/** Provides the client and the state of the customer. */
export const GatehouseProvider: (props: GatehouseProviderProps) => ReactNode = ClientProvider;

/** Returns the client of the provider. @throws Error outside of a `<GatehouseProvider>` */
export const useExpoClient = (): ExpoClient => useAuth().client as ExpoClient;
