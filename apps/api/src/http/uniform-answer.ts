import { sleep } from '#platform';
import { delayAnswer } from './answer-delay.js';

/** Longer than a hash, finding a customer and writing a mail take together, in ms. */
const ANSWER_MS = 150;

/**
 * Answers after the same time whether there was something to do or not, so that the time does not tell who is
 * registered (requirement EV-07). No thread and no connection is held meanwhile.
 */
export async function answerUniformly<Answer>(work: Promise<Answer> | null): Promise<Answer | null> {
  const end = sleep(ANSWER_MS);
  const answer = await work;
  await delayAnswer(end);
  return answer;
}
