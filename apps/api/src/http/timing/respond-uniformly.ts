import { sleep } from '@gatehouse/platform';
import { delayResponse } from './response-delay.js';

/** Response duration, in ms. It is longer than hashing, querying the customer and inserting an email take together. */
const RESPONSE_MS = 150;

/**
 * Responds after the same time for every email address, so that the duration does not reveal who is registered
 * (requirement EV-07). No thread and no connection is held during the wait.
 */
export async function respondUniformly<Result>(work: Promise<Result> | null): Promise<Result | null> {
  const end = sleep(RESPONSE_MS);
  const result = await work;
  await delayResponse(end);
  return result;
}
