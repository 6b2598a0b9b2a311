import type { GatehouseProviderProps } from '@gatehouse/react';
import { headers } from 'next/headers.js';
import type { ReactElement } from 'react';
import { CookieProvider } from './cookie-provider.js';
import { environment, type Deployment } from './deployment.js';
import { hydratedSession } from './hydrated-session.js';

/** The provider's props. */
export type ProviderProps = Omit<GatehouseProviderProps, 'client' | 'initialState'>;

/** A server component that provides the session to the components and hooks from `@gatehouse/react`. */
export type ServerProvider = (props: ProviderProps) => Promise<ReactElement>;

/** Returns the provider of an app. */
export const createProvider =
  (deployment: () => Deployment): ServerProvider =>
  async ({ children, ...props }) => {
    // Reads the headers first: a build, which has no environment variables, stops rendering the page here.
    const requestHeaders = await headers();
    return (
      <CookieProvider {...props} {...hydratedSession(deployment().options, requestHeaders)}>
        {children}
      </CookieProvider>
    );
  };

/** The provider with settings from environment variables. */
export const GatehouseProvider = createProvider(environment);
