import type { ClientCore } from './client-core.js';

/**
 * Returns a `fetch` that adds the customer's access token to requests to the page's origin, Gatehouse's origin and the
 * `apiOrigins`, and to no others. It refreshes the token shortly before it expires. After a 401 response, it refreshes
 * once and repeats the request if the body can be sent again.
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
    // Sending a Request consumes its body.
    const copy = isRequest && isRepeatable ? input.clone() : input;
    const response = await send(input, token);
    if (response.status !== 401) return response;
    // The 401 response is more useful to the caller than the refresh error.
    const other = await manager.replaceRejected(token).catch(() => null);
    return other && isRepeatable ? send(copy, other) : response;
  };
}

const pageOrigin = (): string | null => (typeof document === 'object' ? location.origin : null);

/** Returns a URL's origin, or null if it has none or cannot be parsed reliably. */
function originOf(url: string): string | null {
  try {
    return new URL(url, typeof document === 'object' ? document.baseURI : undefined).origin;
  } catch {
    // In older React Native versions, URL has no `origin`.
    return /^https?:\/\/[a-z0-9.:-]+(?=[/?#]|$)/i.exec(url)?.[0].toLowerCase() ?? null;
  }
}
