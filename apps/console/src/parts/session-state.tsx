import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { Badge } from './status-badge';

/** What a session of an operator still lacks; nothing for one that is signed in. */
export function SessionState({
  session: { state },
}: {
  session: Schemas['OperatorSessionEntry'];
}): ReactNode {
  if (state === 'signed_in') return null;
  const next = state === 'enrollment' ? 'authenticator setup' : 'authenticator code';
  return <Badge tone="warn">Awaiting {next}</Badge>;
}
