/**
 * The part of @gatehouse/js that @gatehouse/testing and its tests use, until that package is complete. Its format of a
 * stored session is deliberately not that of any other client.
 */
export function createClient({ url, publishableKey, storage, fetch: send = fetch }) {
  const KEY = `stand-in.${publishableKey}`;
  const request = async (path, headers, options) =>
    (await send(`${url}/api/v1${path}`, { ...options, headers })).json();
  return {
    signIn: {
      async emailCode(proof) {
        const body = JSON.stringify(proof);
        const { tokens } = await request('/auth/email-code/verify', {}, { method: 'POST', body });
        if (!tokens) return { status: 'second_factor' };
        await storage.setItem(KEY, tokens.accessToken);
        return { status: 'complete' };
      },
    },
    async getAccessToken() {
      return storage.getItem(KEY);
    },
    customer: {
      get: async () => request('/me', { Authorization: `Bearer ${await storage.getItem(KEY)}` }),
    },
  };
}

export const localStorageStorage = () => localStorage;
