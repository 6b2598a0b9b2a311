import { testWorker } from './test-worker.js';

/**
 * The part of the platform library with which tests prepare or decrypt data. It comes from the jest worker, because
 * loading the library for each file takes a third of a second in CPU time.
 */
export const { Keyring, loadConfig, newId, newTotpSecret, VERSION } =
  testWorker?.platform ?? (await import('@gatehouse/platform'));
