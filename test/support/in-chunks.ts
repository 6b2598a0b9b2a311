/** How many cases run at once. */
const CHUNK = 16;

/** Runs independent cases, some at once. @returns all that they return, in the order of the cases */
export async function inChunks<Case, Result>(
  cases: readonly Case[],
  run: (each: Case) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < cases.length; start += CHUNK)
    results.push(...(await Promise.all(cases.slice(start, start + CHUNK).map(run))).flat());
  return results;
}
