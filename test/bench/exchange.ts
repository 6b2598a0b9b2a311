import { request, type Agent } from 'node:http';

export interface HttpRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request's result. */
export interface Exchange {
  /** The status, or 0 if there was no response. */
  status: number;
  /** Duration until the last byte, in ms. */
  ms: number;
  /** Alternating names and values, in the order received. */
  headers: string[];
  body: string;
  /** The reason why there was no response. */
  error?: string;
}

/** Maximum request duration, in ms. */
const TIMEOUT_MS = 10_000;

/** Sends a request and reads the whole response. Never rejects. */
export function exchange(agent: Agent, { method, url, headers, body }: HttpRequest): Promise<Exchange> {
  const content =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve) => {
    const started = performance.now();
    const end = (outcome: Omit<Exchange, 'ms'>): void => {
      clearTimeout(limit);
      resolve({ ...outcome, ms: performance.now() - started });
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      end({ status: 0, headers: [], body: '', error: error.code ?? error.message });
    const sent = request(url, { method, agent, headers: { ...headers, ...content } }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .once('error', fail)
        .once('end', () => end({ status: response.statusCode!, headers: response.rawHeaders, body: text }));
    });
    const limit = setTimeout(
      () => sent.destroy(new Error(`no response in ${TIMEOUT_MS / 1000} s`)),
      TIMEOUT_MS,
    );
    sent.once('error', fail).end(body);
  });
}

/** Returns a header's value by its lowercase name. */
export function getHeader({ headers }: Exchange, name: string): string | undefined {
  const index = headers.findIndex((text, position) => position % 2 === 0 && text.toLowerCase() === name);
  return index < 0 ? undefined : headers[index + 1];
}
