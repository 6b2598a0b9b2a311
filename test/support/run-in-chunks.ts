/** Runs independent cases, several at a time. @returns the results of all cases, in order */
export async function runInChunks<Case, Result>(
  cases: readonly Case[],
  run: (each: Case) => Promise<Result[]>,
  concurrency = 16,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < cases.length; start += concurrency)
    results.push(...(await Promise.all(cases.slice(start, start + concurrency).map(run))).flat());
  return results;
}
