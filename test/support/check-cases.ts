import { runInChunks } from './run-in-chunks.js';

/**
 * Runs a check on each case, some at once, and fails once with all that failed, each by its name.
 * @param cases name and values
 * @param check gets the values
 */
export async function checkCases<Values extends unknown[]>(
  cases: readonly (readonly [string, ...Values])[],
  check: (...values: Values) => Promise<void>,
  concurrency = 10,
): Promise<void> {
  const failureOf = ([name, ...values]: readonly [string, ...Values]): Promise<string[]> =>
    check(...(values as unknown as Values)).then(
      () => [],
      (error: unknown) => [`${name}: ${String(error)}`],
    );
  expect(await runInChunks(cases, failureOf, concurrency)).toEqual([]);
}
