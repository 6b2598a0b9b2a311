import { testWorker } from './test-worker.js';

/**
 * Calls `fetch` on an instance. The response body can be read with `text` and `json`.
 * @throws Error with the differences between the response and the OpenAPI document
 */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  // Benchmarks use instances outside of jest.
  if (!testWorker) return response;
  const requestInfo = { method: init.method ?? 'GET', url, hasBody: init.body !== undefined };
  const { status, headers } = response;
  // A clone would double the request cost.
  const text = await response.text();
  Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) as unknown });
  const responseInfo = { status, headers, text };
  const problems = testWorker.conformance().findProblems(requestInfo, responseInfo);
  if (problems.length === 0) return response;
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  throw new Error(
    `the response to ${requestInfo.method} ${new URL(url).pathname}, ${status}, differs from the OpenAPI document:\n${list}\n${responseInfo.text.slice(0, 2_000)}`,
  );
}
