import type { Redirect } from '@gatehouse/react/hooks';
import { useEffect, useState } from 'react';
import { useExpoClient } from './gatehouse-provider.js';
import type { RedirectOutcome } from './redirect-links.js';

/** Returns the outcome of the last link that opened the app, such as a second factor challenge. */
export function useRedirect(): Redirect {
  const client = useExpoClient();
  const [outcome, setOutcome] = useState<RedirectOutcome | null>(null);
  useEffect(() => client.onRedirect(setOutcome), [client]);
  return { result: null, error: null, ...outcome, clear: () => setOutcome(null) };
}
