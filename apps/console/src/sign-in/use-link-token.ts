import { useEffect, useState } from 'react';

/**
 * Returns the token from a one-time link, or null if the link is incomplete. The token is in the fragment (`#`), so
 * that no log contains it. It is removed from the address bar immediately (requirement CO-05).
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token'));
  useEffect(() => {
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}
