import { createRemoteJWKSet, customFetch, type RemoteJWKSetOptions } from 'jose';

/**
 * Returns Gatehouse's public keys. They are cached for ten minutes, and read again when a token names an unknown key.
 * While Gatehouse cannot be reached, the last keys are used: a token stays verifiable however long an outage is.
 * @param url Gatehouse's URL, without a trailing slash
 */
export function createPublicKeys(url: string, fetch: typeof globalThis.fetch) {
  let lastBody: string | undefined;
  let isOutdated = false;

  /** Returns Gatehouse's keys as a string. @throws Error if they cannot be read */
  async function read(target: string, init: RequestInit): Promise<string> {
    const response = await fetch(target, init);
    if (response.status !== 200) throw new Error(`Gatehouse responded with status ${response.status}`);
    const body = await response.text();
    JSON.parse(body); // A proxy may respond with a page.
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

    /** True while the last keys are used because Gatehouse cannot be reached: a newer key may be missing. */
    isOutdated: () => isOutdated,
  };
}
