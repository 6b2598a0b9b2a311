import { GatehouseProvider as ClientProvider, useAuth } from '@gatehouse/react/hooks';
import type { ReactNode } from 'react';
import type { ExpoClient } from './expo-client.js';

export interface GatehouseProviderProps {
  /** The client that `createExpoClient()` returns. Create it once, outside components. */
  client: ExpoClient;
  children?: ReactNode;
}

/** Provides the client and the authentication state. */
export const GatehouseProvider: (props: GatehouseProviderProps) => ReactNode = ClientProvider;

/** Returns the client from the provider. @throws Error outside a `<GatehouseProvider>` */
export const useExpoClient = (): ExpoClient => useAuth().client as ExpoClient;
