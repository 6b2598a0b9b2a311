import { setTimeout } from 'node:timers/promises';

/** Asks again as long as it is refused with one of `refusals`, each time after the wait that `Retry-After` names. */
export async function retryWhileRejected<Answer extends { status: number; headers: Headers }>(
  ask: () => Promise<Answer>,
  refusals = [503],
): Promise<Answer> {
  const answer = await ask();
  if (!refusals.includes(answer.status)) return answer;
  await setTimeout(Number(answer.headers.get('retry-after')) * 1_000);
  return retryWhileRejected(ask, refusals);
}
