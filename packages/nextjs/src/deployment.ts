import type { Gatehouse } from '@gatehouse/server';
import { createApi, createVerifier, type GatehouseApi } from './gatehouse-api.js';
import { resolveOptions, type GatehouseOptions, type ResolvedOptions } from './options.js';
import { createRefresher, sharedEntries, type Refresher } from './session-refresher.js';

/** The context that an app's proxy, handlers and guards share. */
export interface Deployment {
  options: ResolvedOptions;
  verifier: Gatehouse;
  api: GatehouseApi;
  refresher: Refresher;
}

/**
 * Returns a function that creates the deployment on its first call, because a build imports the routes without the
 * server's environment variables.
 */
export function lazyDeployment(options: GatehouseOptions): () => Deployment {
  let deployment: Deployment | undefined;
  return () => (deployment ??= createDeployment(resolveOptions(options)));
}

function createDeployment(options: ResolvedOptions): Deployment {
  const verifier = createVerifier(options);
  const api = createApi(options, verifier);
  return { options, verifier, api, refresher: createRefresher(options, api, sharedEntries()) };
}

/** The deployment with settings from environment variables. */
export const environment = lazyDeployment({});
