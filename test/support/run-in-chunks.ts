/** Runs independent cases, several at a time. @returns all case results, in order */
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
