import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `probe` until it returns something other than undefined, null or false. @throws Error after `ms` */
export async function eventually<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  ms = 30_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${ms} ms`);
    await sleep(25);
  }
}
