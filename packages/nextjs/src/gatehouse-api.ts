import { createServer, type Gatehouse } from '@gatehouse/server';
import type { ResolvedOptions } from './options.js';
import { unavailable } from './problems.js';

/** Ends a request without a response before `@gatehouse/js` in the page does. In milliseconds. */
const TIMEOUT = 7_000;
/** The page's request headers that Gatehouse reads. */
const FORWARDED = ['accept-language', 'content-type', 'user-agent'];

export interface ApiRequest {
  method: string;
  /** The path with its query, such as `/api/v1/me`. */
  path: string;
  /** The headers from the request for which this one is sent. */
  headers: Headers;
  body?: string | undefined;
  /** The customer's token; without it, the request has the publishable key. */
  accessToken?: string | undefined;
}

/** Sends a customer's request to Gatehouse. @throws GatehouseError `unavailable` (503) without a complete response */
export type GatehouseApi = (request: ApiRequest) => Promise<{ response: Response; text: string }>;

/** Returns the verifier for access tokens. */
export const createVerifier = ({ url, projectId, secretKey, fetch }: ResolvedOptions): Gatehouse =>
  createServer({ url, projectId, secretKey, fetch });

/** Returns the function that sends customers' requests. */
export function createApi(options: ResolvedOptions, { vouchFor }: Pick<Gatehouse, 'vouchFor'>): GatehouseApi {
  const { url, publishableKey, secretKey, clientIp, fetch } = options;

  /** Returns a request's credentials: without the customer's IP, all customers share the rate limits. */
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
      throw unavailable('Gatehouse cannot be reached.', error);
    }
  };
}
