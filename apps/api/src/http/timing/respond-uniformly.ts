import { sleep } from '@gatehouse/platform';
import { delayResponse } from './response-delay.js';

/**
 * Duration of a response in ms: longer than hashing, the query for the customer and inserting an email take together.
 */
const RESPONSE_MS = 150;

/**
 * Responds after the same time for every email address, so that the time does not reveal who is registered
 * (requirement EV-07). No thread and no connection is held during the wait.
 */
export async function respondUniformly<Result>(work: Promise<Result> | null): Promise<Result | null> {
  const end = sleep(RESPONSE_MS);
  const result = await work;
  await delayResponse(end);
  return result;
}
