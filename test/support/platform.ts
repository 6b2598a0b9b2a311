import { testWorker } from './test-worker.js';

/**
 * The part of the platform library that tests use to prepare or decrypt data. It comes from the jest worker, because
 * loading the library in each file takes a third of a second of CPU time.
 */
export const { Keyring, loadConfig, newId, newTotpSecret, VERSION } =
  testWorker?.platform ?? (await import('@gatehouse/platform'));
