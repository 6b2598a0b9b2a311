import { useEffect, useState } from 'react';

/**
 * The token of a one-time link, which stands behind `#` so that no log has it. It is taken out of the address at once
 * (requirement CO-05). Null when the link is not whole.
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token'));
  useEffect(() => {
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}
