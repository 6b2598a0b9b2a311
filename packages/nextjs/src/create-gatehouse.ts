import { createAuth, type AuthFunction } from './auth.js';
import { lazyDeployment } from './deployment.js';
import { createProvider, type ServerProvider } from './gatehouse-provider.js';
import { createProxy, type GatehouseProxy } from './gatehouse-proxy.js';
import type { GatehouseOptions } from './options.js';
import { createHandlers } from './route-handlers.js';

/** The functions and the provider that an app uses. */
export interface Gatehouse {
  gatehouseProxy: GatehouseProxy;
  auth: AuthFunction;
  /** The route handlers for `app/api/gatehouse/[...path]/route.ts`. */
  handlers: ReturnType<typeof createHandlers>;
  GatehouseProvider: ServerProvider;
}

/**
 * Returns the functions and the provider for an app, with settings that replace environment variables.
 * @throws TypeError on first use, with the name of the missing variable
 */
export function createGatehouse(options: GatehouseOptions): Gatehouse {
  const deployment = lazyDeployment(options);
  return {
    gatehouseProxy: createProxy(deployment),
    auth: createAuth(deployment),
    handlers: createHandlers(deployment),
    GatehouseProvider: createProvider(deployment),
  };
}
