import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * In-memory storage for one provider. The library checks expiry itself. Its own in-memory storage is shared by all
 * providers in a process and cannot store clients.
 */
export class OpenIdStorage {
  private readonly payloads = new Map<string, AdapterPayload>();

  /** Returns the adapter for a model, such as `Session` or `Client`. */
  readonly createAdapter = (model: string): Adapter => {
    const { payloads } = this;
    const keyOf = (id: string): string => `${model}:${id}`;
    const find = (condition: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...payloads].find(([key, payload]) => key.startsWith(`${model}:`) && condition(payload))?.[1];
    return {
      upsert: async (id, payload) => void payloads.set(keyOf(id), payload),
      find: async (id) => payloads.get(keyOf(id)),
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
      consume: async (id) => {
        payloads.get(keyOf(id))!.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id) => void payloads.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        // Interactions also have a grant, but outlive it.
        for (const [key, payload] of payloads)
          if (key.startsWith(`${model}:`) && payload.grantId === grantId) payloads.delete(key);
      },
    };
  };

  addClient(client: AdapterPayload & { client_id: string }): void {
    this.payloads.set(`Client:${client.client_id}`, client);
  }

  /** Deletes all sessions. */
  endSessions(): void {
    for (const key of this.payloads.keys()) if (key.startsWith('Session:')) this.payloads.delete(key);
  }
}
