import { createAuth, type AuthFunction } from './auth.js';
import { lazyDeployment } from './deployment.js';
import { createProvider, type ServerProvider } from './gatehouse-provider.js';
import { createProxy, type GatehouseProxy } from './gatehouse-proxy.js';
import type { GatehouseOptions } from './options.js';
import { createHandlers } from './route-handlers.js';

/** An app's functions. */
export interface Gatehouse {
  gatehouseProxy: GatehouseProxy;
  auth: AuthFunction;
  /** The route handlers for `app/api/gatehouse/[...path]/route.ts`. */
  handlers: ReturnType<typeof createHandlers>;
  GatehouseProvider: ServerProvider;
}

/**
 * Returns an app's functions with settings that differ from the environment.
 * @throws TypeError on their first use, with the missing variable's name
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
