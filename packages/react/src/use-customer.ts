'use client';
import type { Customer, GatehouseError } from '@gatehouse/js';
import { useCallback, useEffect, useState } from 'react';
import { useAuth } from './use-auth.js';

export interface CustomerProfile {
  /** The profile. Null while it is loading, or if no customer is signed in. */
  customer: Customer | null;
  isLoading: boolean;
  error: GatehouseError | null;
  /** Reloads the profile. */
  reload: () => Promise<void>;
}

/** Loads the signed-in customer's profile. */
export function useCustomer(): CustomerProfile {
  const { client, sessionId } = useAuth();
  const [loaded, setLoaded] = useState<{
    sessionId: string | null;
    customer: Customer | null;
    error: GatehouseError | null;
  }>({ sessionId: null, customer: null, error: null });
  const load = useCallback(
    () =>
      client.customer.get().then(
        (customer) => ({ sessionId, customer, error: null }),
        (error: GatehouseError) => ({ sessionId, customer: null, error }),
      ),
    [client, sessionId],
  );
  useEffect(() => {
    if (!sessionId) return;
    let isCurrent = true;
    void load().then((result) => isCurrent && setLoaded(result));
    return () => {
      isCurrent = false;
    };
  }, [load, sessionId]);
  // Hides the profile of an earlier session until the current one has loaded.
  const isCurrent = sessionId !== null && loaded.sessionId === sessionId;
  return {
    customer: isCurrent ? loaded.customer : null,
    error: isCurrent ? loaded.error : null,
    isLoading: sessionId !== null && !isCurrent,
    reload: async () => setLoaded(await load()),
  };
}
