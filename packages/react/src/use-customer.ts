'use client';
import type { Customer, GatehouseError } from '@gatehouse/js';
import { useCallback, useEffect, useState } from 'react';
import { useAuth } from './use-auth.js';

export interface CustomerProfile {
  /** The profile, or null while it is loading and if no customer is signed in. */
  customer: Customer | null;
  isLoading: boolean;
  error: GatehouseError | null;
  /** Loads the profile again. */
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
  // The profile of another session must not be shown until its own has arrived.
  const isCurrent = sessionId !== null && loaded.sessionId === sessionId;
  return {
    customer: isCurrent ? loaded.customer : null,
    error: isCurrent ? loaded.error : null,
    isLoading: sessionId !== null && !isCurrent,
    reload: async () => setLoaded(await load()),
  };
}
