import { runInChunks } from './run-in-chunks.js';

/**
 * Checks all cases, several at a time, and fails once with all failures, each with its case name.
 * @param cases names and values
 * @param check receives a case's values
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
