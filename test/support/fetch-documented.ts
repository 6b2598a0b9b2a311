import { testWorker } from './test-worker.js';

/** `fetch` from an instance. @throws Error that says how the response differs from the OpenAPI document */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  // The benchmarks use an instance as well, outside of any test.
  if (!testWorker) return response;
  const asked = { method: init.method ?? 'GET', url, hasBody: init.body !== undefined };
  const { status, headers } = response;
  const answered = { status, headers, text: await response.clone().text() };
  const faults = testWorker.conformance().findProblems(asked, answered);
  if (faults.length === 0) return response;
  const list = faults.map((fault) => `  - ${fault}`).join('\n');
  throw new Error(
    `the response to ${asked.method} ${new URL(url).pathname}, ${status}, differs from the OpenAPI document:\n${list}\n${answered.text.slice(0, 2_000)}`,
  );
}
