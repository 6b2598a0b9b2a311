import { createRemoteJWKSet, customFetch, type RemoteJWKSetOptions } from 'jose';

/**
 * Returns Gatehouse's public keys. They are cached for ten minutes, and read again when a token has an unknown key id.
 * While Gatehouse cannot be reached, the last keys are used, so tokens can be verified during an outage of any length.
 * @param url the Gatehouse URL, without a trailing slash
 */
export function createPublicKeys(url: string, fetch: typeof globalThis.fetch) {
  let lastBody: string | undefined;
  let isOutdated = false;

  /** Reads the public keys as a JSON string. @throws Error if they cannot be read */
  async function read(target: string, init: RequestInit): Promise<string> {
    const response = await fetch(target, init);
    if (response.status !== 200) throw new Error(`Gatehouse responded with status ${response.status}`);
    const body = await response.text();
    JSON.parse(body); // Throws if a proxy responded with a page.
    return body;
  }

  return {
    get: createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`), {
      [customFetch]: async (target, init) => {
        try {
          lastBody = await read(target, init);
          isOutdated = false;
        } catch (error) {
          if (lastBody === undefined) throw error;
          isOutdated = true;
        }
        return new Response(lastBody);
      },
    } satisfies RemoteJWKSetOptions),

    /** Returns true while the last keys are used because Gatehouse cannot be reached. A newer key may be missing. */
    isOutdated: () => isOutdated,
  };
}
