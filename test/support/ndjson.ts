import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { fetchDocumented } from './fetch-documented.js';
import type { Answer, TestInstance } from './test-instance.js';

/** Values as the lines of a body. */
export const toLines = (values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The values of the lines of a body. @throws Error when the last line has no end */
export function fromLines(text: string): Record<string, any>[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line is cut off');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, any>);
}

/** Imports lines with a secret key, by default the organization's. */
export async function importLines(
  instance: TestInstance,
  body: string | Buffer,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
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

/** An import whose lines are sent as the test goes on. */
export class OpenImport {
  private readonly sent: ClientRequest;
  private readonly answered: Promise<IncomingMessage>;

  constructor(instance: TestInstance, query: Record<string, string>, key = instance.credentials.secretKey) {
    this.sent = request(`${instance.baseUrl}/api/v1/customers/import?${new URLSearchParams(query)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    });
    this.answered = once(this.sent, 'response').then(([response]) => response as IncomingMessage);
    this.answered.catch(() => undefined);
    this.sent.on('error', () => undefined);
  }

  send(lines: string): void {
    this.sent.write(lines);
  }

  /** Goes away in the middle. */
  breakOff(): void {
    this.sent.destroy();
  }

  /** Ends the body, unless told otherwise, and waits for the answer. */
  async answer(isComplete = true): Promise<Omit<Answer, 'headers'> & { headers: IncomingHttpHeaders }> {
    if (isComplete) this.sent.end();
    const response = await this.answered;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    this.sent.destroy();
    return { status: response.statusCode!, headers: response.headers, body: JSON.parse(text) };
  }
}
