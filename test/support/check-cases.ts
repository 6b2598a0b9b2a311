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
  const faults: string[] = [];
  for (let begin = 0; begin < cases.length; begin += concurrency) {
    const checks = cases
      .slice(begin, begin + concurrency)
      .map(([name, ...values]) =>
        check(...(values as unknown as Values)).catch((error: unknown) =>
          faults.push(`${name}: ${String(error)}`),
        ),
      );
    await Promise.all(checks);
  }
  expect(faults).toEqual([]);
}
