import { createServer, type Gatehouse } from '@gatehouse/server';
import type { ResolvedOptions } from './options.js';
import { unavailableError } from './problems.js';

/** Request timeout in milliseconds. Shorter than the `@gatehouse/js` timeout on the page. */
const TIMEOUT = 7_000;
/** Request headers from the page that are forwarded to Gatehouse. */
const FORWARDED = ['accept-language', 'content-type', 'user-agent'];

export interface ApiRequest {
  method: string;
  /** The path with its query, such as `/api/v1/me`. */
  path: string;
  /** The original request's headers. */
  headers: Headers;
  body?: string | undefined;
  /** The customer's token. Without it, the request contains the publishable key. */
  accessToken?: string | undefined;
}

/**
 * Sends a request from a customer to Gatehouse.
 * @throws GatehouseError `unavailable` (503) without a complete response
 */
export type GatehouseApi = (request: ApiRequest) => Promise<{ response: Response; text: string }>;

/** Returns the verifier for access tokens. */
export const createVerifier = ({ url, projectId, secretKey, fetch }: ResolvedOptions): Gatehouse =>
  createServer({ url, projectId, secretKey, fetch });

/** Returns the function that sends requests from customers. */
export function createApi(options: ResolvedOptions, { vouchFor }: Pick<Gatehouse, 'vouchFor'>): GatehouseApi {
  const { url, publishableKey, secretKey, clientIp, fetch } = options;

  /**
   * Returns the credential headers for a request. Without the customer's IP, all customers would share the rate limits.
   */
  const credentials = ({ path, headers, accessToken }: ApiRequest): Record<string, string> => {
    if (accessToken) return { authorization: `Bearer ${accessToken}` };
    const address = secretKey && path.startsWith('/api/v1/auth/') ? clientIp({ headers }) : null;
    return address ? vouchFor(address, { publishableKey }) : { 'x-publishable-key': publishableKey };
  };

  return async (request) => {
    const headers = new Headers(credentials(request));
    for (const name of FORWARDED) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    try {
      const response = await fetch(url + request.path, {
        method: request.method,
        headers,
        ...(request.body !== undefined && { body: request.body }),
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT),
      });
      return { response, text: await response.text() };
    } catch (error) {
      throw unavailableError('Gatehouse cannot be reached.', error);
    }
  };
}
