import { useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, type ReactNode } from 'react';
import { api, sessionEvents, type Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath, useApiMutation } from '../http/queries';

/** Who is signed in, how far, and what the house is. */
export type Session = Schemas['OperatorSessionResponse'];
export type Operator = Schemas['CurrentOperatorResponse'];
export type Role = Operator['role'];

const POLL_MS = 60_000;

export const SESSION_PATH = '/operator/v1/session';
const SESSION_KEY = [SESSION_PATH, {}];

/**
 * The session; it is the same for whoever asks. While somebody is signed in it is asked for again, also on a page that
 * nobody sees, so that none shows records for longer than its session lasts. Asking does not prolong it.
 */
export function useSessionQuery(): UseQueryResult<Session, Problem> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => (await fetchPath(SESSION_PATH, {}, signal)) as Session,
    staleTime: POLL_MS,
    refetchInterval: ({ state: { data } }) => data?.state === 'signed_in' && POLL_MS,
    refetchIntervalInBackground: true,
  });
}

/** Takes over the session that signing in or out answered with. Nothing of another operator is kept. */
export function useReplaceSession(): (session: Session) => void {
  const client = useQueryClient();
  return useCallback(
    (session) => {
      client.removeQueries({ predicate: ({ queryKey: [path] }) => path !== SESSION_PATH });
      client.setQueryData(SESSION_KEY, session);
    },
    [client],
  );
}

/** Signs out and leaves by loading a page anew: nothing that was read stays in memory. */
export function useSignOut(): UseMutationResult<void, Problem, string | void> {
  return useApiMutation(async (to) => {
    await api.DELETE(SESSION_PATH);
    window.location.assign(to || '/console/sign-in');
  });
}

/** Turns to signed out when any call was refused for want of a session. */
export function useSessionExpiry(): void {
  const client = useQueryClient();
  useEffect(() => {
    const end = (): void => {
      client.setQueryData<Session>(SESSION_KEY, (old) =>
        old && old.state === 'signed_in' ? { ...old, state: 'signed_out', operator: null } : old,
      );
      void client.invalidateQueries({ queryKey: SESSION_KEY });
    };
    sessionEvents.addEventListener('end', end);
    return () => sessionEvents.removeEventListener('end', end);
  }, [client]);
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }): ReactNode {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** The session of a page that is shown at all. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession requires a SessionProvider');
  return session;
}

/** Who is signed in; every screen inside the shell has one. */
export function useOperator(): Operator {
  const { operator } = useSession();
  if (!operator) throw new Error('no operator is signed in');
  return operator;
}
