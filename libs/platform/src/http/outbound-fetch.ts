import type { OutboundClient } from './outbound-client.js';

/** The statuses of responses without a body (Fetch standard, "null body status"). */
const EMPTY_STATUSES = [204, 205, 304];

/** The options that libraries pass to a replacement for `fetch`. */
export interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** Thrown if a server sends no complete response, or a status of 500 or higher. */
export class ServerUnavailableError extends Error {}

/**
 * Returns a replacement for `fetch` that sends a library's requests with an `OutboundClient`.
 * @param headers added to every request
 * @param maxBytes maximum response length
 * @throws ServerUnavailableError from the returned function
 */
export const outboundFetch =
  (client: OutboundClient, headers: Record<string, string>, maxBytes: number) =>
  async (url: string, options: FetchOptions): Promise<Response> => {
    try {
      const response = await client.request({
        method: options.method === 'POST' ? 'POST' : 'GET',
        url,
        headers: { ...options.headers, ...headers },
        ...(options.body ? { body: toText(options.body) } : {}),
      });
      const text = await response.text(maxBytes);
      if (response.status < 200 || response.status >= 500)
        throw new Error(`the server responded with status ${response.status}`);
      return new Response(EMPTY_STATUSES.includes(response.status) ? null : text, {
        status: response.status,
        headers: contentType(response.headers['content-type']),
      });
    } catch (cause) {
      throw new ServerUnavailableError('the server is unavailable', { cause });
    }
  };

const contentType = (value: unknown): Record<string, string> =>
  typeof value === 'string' ? { 'content-type': value } : {};

const toText = (body: unknown): string =>
  body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : '';
