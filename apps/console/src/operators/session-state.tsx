import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { Badge } from '../components/status-badge';

/** Renders the missing sign-in step of an operator's session, or nothing if the sign-in is complete. */
export function SessionState({
  session: { state },
}: {
  session: Schemas['OperatorSessionEntry'];
}): ReactNode {
  if (state === 'signed_in') return null;
  const next = state === 'enrollment' ? 'authenticator setup' : 'authenticator code';
  return <Badge tone="warn">Awaiting {next}</Badge>;
}
