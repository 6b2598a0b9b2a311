import type { Cli } from '../../cli.js';
import { toObject, type JsonObject } from '../../json-object.js';

/** Time limit for a request in ms. */
const TIMEOUT_MS = 10_000;

/** The response to a request without credentials. */
export interface PublicResponse {
  status: number;
  headers: Headers;
  /** The body, or null if it is not JSON. */
  body: JsonObject | null;
  /** Time on this machine halfway through the request, in ms since 1970. */
  at: number;
}

/** Sends a GET request without credentials, and does not follow redirects. @throws Error if there is no response */
export async function requestPublic({ signal }: Cli, url: string): Promise<PublicResponse> {
  const started = Date.now();
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const at = (started + Date.now()) / 2;
  const body = await response
    .text()
    .then((text) => JSON.parse(text) as unknown)
    .catch(() => null);
  return {
    status: response.status,
    headers: response.headers,
    body: toObject(body),
    at,
  };
}
