import { GatehouseError } from '@gatehouse/js';
import { createExpoClientOn, type ExpoClient, type ExpoClientOptions } from './expo-client.js';

/**
 * Returns a client. One client per app is enough. On a device, it uses the installed Expo packages.
 * @throws GatehouseError `native_modules_required` if it does not run on a device and `modules` is not set
 */
export function createExpoClient(options: ExpoClientOptions): ExpoClient {
  if (!options.modules)
    throw new GatehouseError(
      'native_modules_required',
      'The modules option is required when the code does not run on a device',
    );
  return createExpoClientOn(options.modules, options);
}

export * from './exports.js';
