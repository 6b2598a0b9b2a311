import { setTimeout } from 'node:timers/promises';

/** Repeats a request while its status is one of `rejections`, after the delay in `Retry-After`. */
export async function retryWhileRejected<Response extends { status: number; headers: Headers }>(
  send: () => Promise<Response>,
  rejections = [503],
): Promise<Response> {
  const response = await send();
  if (!rejections.includes(response.status)) return response;
  await setTimeout(Number(response.headers.get('retry-after')) * 1_000);
  return retryWhileRejected(send, rejections);
}
