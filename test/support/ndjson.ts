import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { fetchDocumented } from './fetch-documented.js';
import type { TestResponse, TestInstance } from './test-instance.js';

/** Encodes values as NDJSON. */
export const toNdjson = (values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Parses NDJSON. @throws Error if the last line is not terminated */
export function parseNdjson(text: string): Record<string, any>[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is truncated');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, any>);
}

/** Imports lines with the organization's secret key, unless `headers` contain other credentials. */
export async function importLines(
  instance: TestInstance,
  body: string | Buffer,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const url = `${instance.baseUrl}/api/v1/customers/import?${new URLSearchParams(query)}`;
  const response = await fetchDocumented(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${instance.credentials.secretKey}`,
      'content-type': 'application/x-ndjson',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** An import whose lines are sent incrementally. */
export class StreamingImport {
  private readonly request: ClientRequest;
  private readonly response: Promise<IncomingMessage>;

  /** @param credential a secret key, or an operator's headers */
  constructor(
    instance: TestInstance,
    query: Record<string, string>,
    credential: string | Record<string, string> = instance.credentials.secretKey,
  ) {
    const isKey = typeof credential === 'string';
    const path = `/${isKey ? 'api' : 'operator'}/v1/customers/import?${new URLSearchParams(query)}`;
    const headers = isKey ? { authorization: `Bearer ${credential}` } : credential;
    this.request = request(`${instance.baseUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
    });
    this.response = once(this.request, 'response').then(([response]) => response as IncomingMessage);
    this.response.catch(() => undefined);
    this.request.on('error', () => undefined);
  }

  send(lines: string): void {
    this.request.write(lines);
  }

  /** Closes the connection before the body ends. */
  abort(): void {
    this.request.destroy();
  }

  /** Ends the body unless `isComplete` is false, and waits for the response. */
  async finish(isComplete = true): Promise<Omit<TestResponse, 'headers'> & { headers: IncomingHttpHeaders }> {
    if (isComplete) this.request.end();
    const response = await this.response;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    this.request.destroy();
    return { status: response.statusCode!, headers: response.headers, body: JSON.parse(text) };
  }
}
