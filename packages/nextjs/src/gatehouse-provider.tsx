import type { GatehouseProviderProps } from '@gatehouse/react';
import { headers } from 'next/headers.js';
import type { ReactElement } from 'react';
import { CookieProvider } from './cookie-provider.js';
import { environment, type Deployment } from './deployment.js';
import { hydratedSession } from './hydrated-session.js';

/** The provider's properties. */
export type ProviderProps = Omit<GatehouseProviderProps, 'client' | 'initialState'>;

/** A server component that provides the session to the components and hooks from `@gatehouse/react`. */
export type ServerProvider = (props: ProviderProps) => Promise<ReactElement>;

/** Returns an app's provider. */
export const createProvider =
  (deployment: () => Deployment): ServerProvider =>
  async ({ children, ...props }) => {
    // The headers are read before the environment: a build has no environment, and stops here when it reads the headers.
    const requestHeaders = await headers();
    return (
      <CookieProvider {...props} {...hydratedSession(deployment().options, requestHeaders)}>
        {children}
      </CookieProvider>
    );
  };

/** The provider with the settings from the environment. */
export const GatehouseProvider = createProvider(environment);
