import type { ClientCore } from './client-core.js';

/**
 * Returns a `fetch` that adds the customer's access token for the page's own origin, Gatehouse's origin and the
 * `apiOrigins`, and to no other origin. It refreshes ahead of expiry, and once after a 401 response. It then repeats
 * the request, if its body can be sent again.
 */
export function createAuthorizedFetch(core: ClientCore): typeof globalThis.fetch {
  const { options, fetch, manager } = core;
  const isAllowed = (origin: string | null): boolean =>
    origin !== null &&
    (origin === pageOrigin() ||
      [options.url, ...(options.apiOrigins ?? [])].some((url) => originOf(url) === origin));

  return async (input, init = {}) => {
    const isRequest = typeof input === 'object' && 'headers' in input;
    const headers = new Headers(init.headers ?? (isRequest ? input.headers : undefined));
    const isOwn = isAllowed(originOf(isRequest ? input.url : String(input)));
    const token = isOwn && !headers.has('Authorization') ? await manager.accessToken() : null;
    if (!token) return fetch(input, init);

    const send = (target: typeof input, accessToken: string): Promise<Response> => {
      headers.set('Authorization', `Bearer ${accessToken}`);
      return fetch(target, { ...init, headers });
    };
    const isRepeatable = !(typeof ReadableStream === 'function' && init.body instanceof ReadableStream);
    // A Request's body is read when it is sent.
    const copy = isRequest && isRepeatable ? input.clone() : input;
    const response = await send(input, token);
    if (response.status !== 401) return response;
    // The API's response is more useful to the caller than a refresh error.
    const other = await manager.replaceRejected(token).catch(() => null);
    return other && isRepeatable ? send(copy, other) : response;
  };
}

const pageOrigin = (): string | null => (typeof document === 'object' ? location.origin : null);

/** Returns a URL's origin, or null if it has none or it is uncertain. */
function originOf(url: string): string | null {
  try {
    return new URL(url, typeof document === 'object' ? document.baseURI : undefined).origin;
  } catch {
    // Earlier React Native versions have a URL without `origin`.
    return /^https?:\/\/[a-z0-9.:-]+(?=[/?#]|$)/i.exec(url)?.[0].toLowerCase() ?? null;
  }
}
