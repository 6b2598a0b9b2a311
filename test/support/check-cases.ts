import { runInChunks } from './run-in-chunks.js';

/**
 * Runs a check on each case, several at a time, and fails once with all failures, each under its case's name.
 * @param cases name and values
 * @param check receives the values
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
