import { GatehouseError, unavailableError, type Problem } from './gatehouse-error.js';
import { TIMING, type Timing } from './timing.js';
import type { CallOptions } from './typed-request.js';

export interface TransportOptions {
  /** Without a trailing slash. */
  url: string;
  secretKey: string | undefined;
  fetch: typeof fetch;
  timing?: Timing;
}

/** Untyped request options. */
export type UntypedOptions = CallOptions & {
  params?: Record<string, string> | undefined;
  query?: object;
  /** Sent as JSON. Strings and streams are sent unchanged as NDJSON. Streams have no time limit and are not retried. */
  body?: unknown;
  /** True to return a successful response's body as a stream. The time limit then applies only to the headers. */
  isStream?: boolean;
};

export type Transport = (method: string, path: string, options?: UntypedOptions) => Promise<unknown>;

const ATTEMPTS = 3;
/** Time limit for one attempt, in ms. */
const TIMEOUT_MS = 10_000;
/** Longest Retry-After that a call waits for, in seconds. */
const LONGEST_WAIT = 5;

/** ETags by resource, so that callers can pass the resource itself as `ifMatch`. */
const etags = new WeakMap<object, string>();

/**
 * Returns a function that sends requests with the secret key. It retries at most twice: if there is no response, after
 * a 429 or 503 with a short Retry-After, and while the same request is in progress.
 */
export function createTransport(transport: TransportOptions): Transport {
  const { timing = TIMING } = transport;
  return async (method, path, options = {}) => {
    const request = createRequest(transport, method, path, options);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(transport, request, options);
      } catch (error) {
        // The caller aborted the call.
        options.signal?.throwIfAborted();
        const failure =
          error instanceof GatehouseError ? error : unavailableError('Gatehouse sent no response.', error);
        const wait = failure === error ? retryDelay(failure) : 1;
        if (attempt === ATTEMPTS || wait === null || isStream(options.body)) throw failure;
        await timing.wait(wait * 1_000, options.signal);
        options.signal?.throwIfAborted();
      }
    }
  };
}

/** Returns the seconds to wait before a retry, or null if the request must not be retried. */
function retryDelay({ code, status, retryAfter }: GatehouseError): number | null {
  if (code === 'idempotency_in_progress') return Math.min(retryAfter ?? 1, LONGEST_WAIT);
  const isTemporary = status === 429 || status === 503;
  return isTemporary && retryAfter !== null && retryAfter <= LONGEST_WAIT ? retryAfter : null;
}

function createRequest(
  { url, secretKey }: TransportOptions,
  method: string,
  path: string,
  { params = {}, query = {}, body, idempotencyKey, ifMatch, headers }: UntypedOptions,
): { url: string; init: RequestInit } {
  if (!secretKey) throw new TypeError(`${method} ${path} requires the secretKey option of createServer()`);
  const etag = typeof ifMatch === 'object' ? etags.get(ifMatch) : ifMatch;
  if (ifMatch && !etag)
    throw new TypeError('ifMatch: the resource has no ETag, or was not returned by this client');
  return {
    url: `${url}${fillPath(path, params)}${toSearch(query)}`,
    init: {
      method,
      headers: {
        'x-api-key': secretKey,
        ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
        ...(etag && { 'if-match': etag }),
        ...(body !== undefined && {
          'content-type': isLines(body) ? 'application/x-ndjson' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: isLines(body) ? body : JSON.stringify(body) }),
      // fetch requires `half` for a stream: the response is read only after the body has been sent.
      ...(isStream(body) && { duplex: 'half' }),
      // Following a redirect would send the secret key to another URL.
      redirect: 'error',
    },
  };
}

/** Sends a request and reads the response. @throws GatehouseError for a status other than 2xx */
async function sendOnce(
  { fetch }: TransportOptions,
  { url, init }: ReturnType<typeof createRequest>,
  { signal, body: sentBody, isStream: returnsStream }: UntypedOptions,
): Promise<unknown> {
  const deadline = new AbortController();
  const timer = isStream(sentBody) ? undefined : setTimeout(() => deadline.abort(), TIMEOUT_MS);
  try {
    const signals = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    const response = await fetch(url, { ...init, signal: signals });
    if (returnsStream && response.ok) return response.body;
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    const body: unknown = isJson ? JSON.parse(text) : text || undefined;
    if (!response.ok) throw toError(response, body);
    const etag = response.headers.get('etag');
    if (etag) rememberEtag(etag, body);
    return body;
  } finally {
    clearTimeout(timer);
  }
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array> => body instanceof ReadableStream;

const isLines = (body: unknown): body is string | ReadableStream<Uint8Array> =>
  typeof body === 'string' || isStream(body);

function rememberEtag(etag: string, body: unknown): void {
  const { data } = (body ?? {}) as { data?: unknown };
  for (const resource of [body, data])
    if (typeof resource === 'object' && resource !== null) etags.set(resource, etag);
}

function toError(response: Response, body: unknown): GatehouseError {
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  const options = { retryAfter: Number.isFinite(seconds) ? seconds : null };
  if (typeof body === 'object' && body !== null && 'code' in body)
    return new GatehouseError(body as Problem, options);
  // The response is from a proxy in front of Gatehouse.
  const { status } = response;
  const code = status >= 500 ? 'unavailable' : 'unexpected_response';
  return new GatehouseError(
    { code, status, detail: `The response has the status ${status} and no problem document.` },
    options,
  );
}

/** Fills in the path parameters. @throws TypeError for an empty or dot segment, which would select another route */
function fillPath(path: string, params: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${path}: ${name} is missing`);
    return encodeURIComponent(value);
  });
}

function toSearch(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
  return entries.length > 0 ? `?${search}` : '';
}
