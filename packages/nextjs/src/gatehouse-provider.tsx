import type { GatehouseProviderProps } from '@gatehouse/react';
import { headers } from 'next/headers.js';
import type { ReactElement } from 'react';
import { CookieProvider } from './cookie-provider.js';
import { environment, type Deployment } from './deployment.js';
import { hydratedSession } from './hydrated-session.js';

/** The properties of the provider. */
export type ProviderProps = Omit<GatehouseProviderProps, 'client' | 'initialState'>;

/** A server component that provides the session to the components and hooks of `@gatehouse/react`. */
export type ServerProvider = (props: ProviderProps) => Promise<ReactElement>;

/** Returns the provider of an app. */
export const createProvider =
  (deployment: () => Deployment): ServerProvider =>
  async ({ children, ...props }) => {
    // Before the environment is read: a build has none, and ends at the headers of a request.
    const requestHeaders = await headers();
    return (
      <CookieProvider {...props} {...hydratedSession(deployment().options, requestHeaders)}>
        {children}
      </CookieProvider>
    );
  };

/** The provider with the settings of the environment. */
export const GatehouseProvider = createProvider(environment);
