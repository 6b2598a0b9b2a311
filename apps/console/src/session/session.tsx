import {
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, type ReactNode } from 'react';
import { api, sessionEvents, type Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath, useApiMutation } from '../http/queries';

/** The session: the signed-in operator, the sign-in state and the server's properties. */
export type Session = Schemas['OperatorSessionResponse'];
export type Operator = Schemas['CurrentOperatorResponse'];
export type Role = Operator['role'];

const POLL_MS = 60_000;
const MIN_POLL_MS = 10_000;

/** How long before the end of a session a warning is shown, in ms. */
export const EXPIRY_WARNING_MS = 120_000;

export const SESSION_PATH = '/operator/v1/session';
export const SESSION_KEY = [SESSION_PATH, {}];

/**
 * Returns the session; all callers share one query. While an operator is signed in, the session is polled, even in
 * background tabs, so that no page shows records after the session has ended. Polling does not extend the session.
 */
export function useSessionQuery(): UseQueryResult<Session, Problem> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => (await fetchPath(SESSION_PATH, {}, signal)) as Session,
    staleTime: POLL_MS,
    refetchInterval: ({ state: { data } }) => data?.state === 'signed_in' && pollInterval(data),
    refetchIntervalInBackground: true,
  });
}

/** Returns the polling interval in ms. The session is polled when the warning is due, and more often after that. */
function pollInterval({ expiresIn }: Session): number {
  const msUntilWarning = (expiresIn ?? 0) * 1000 - EXPIRY_WARNING_MS;
  return Math.min(POLL_MS, Math.max(MIN_POLL_MS, msUntilWarning));
}

/**
 * Returns a function that stores the session from a sign-in response and removes all data that was loaded in the
 * previous session. The data of a mounted screen is reloaded instead, because the screen would lose its form and input
 * without it.
 */
export function useReplaceSession(): (session: Session) => void {
  const client = useQueryClient();
  return useCallback(
    (session) => {
      const isData = ({ queryKey: [path] }: { queryKey: QueryKey }): boolean => path !== SESSION_PATH;
      client.removeQueries({ predicate: isData, type: 'inactive' });
      client.setQueryData(SESSION_KEY, session);
      if (session.state === 'signed_in') void client.invalidateQueries({ predicate: isData });
    },
    [client],
  );
}

/**
 * Notifies the other tabs that the operator has signed out. One channel sends and receives, because a second channel in
 * the same tab would receive the tab's own messages.
 */
const signOutChannel = new BroadcastChannel('gatehouse-sign-out');

/** Returns a mutation that signs out and loads a new page in all tabs, so that no data remains in memory. */
export function useSignOut(): UseMutationResult<void, Problem, string | void> {
  return useApiMutation(async (to) => {
    await api.DELETE(SESSION_PATH);
    signOutChannel.postMessage(null);
    window.location.assign(to || '/console/sign-in');
  });
}

/** Loads a new page when the operator signs out in another tab. */
export function useSignOutInOtherTabs(): void {
  useEffect(() => {
    const reload = (): void => window.location.reload();
    signOutChannel.addEventListener('message', reload);
    return () => signOutChannel.removeEventListener('message', reload);
  }, []);
}

/** Marks the session as signed out when any request is rejected because the session has ended. */
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

/** Returns the session. Throws outside a SessionProvider. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession requires a SessionProvider');
  return session;
}

/** Returns true if operators can sign in only with single sign-on, so that passwords and invitations are turned off. */
export function useIsSingleSignOnRequired(): boolean {
  return useSession().singleSignOn?.isRequired ?? false;
}

/** Returns the server's properties. Throws if no operator is signed in, like `useOperator`. */
export function useServer(): NonNullable<Session['server']> {
  const { server } = useSession();
  if (!server) throw new Error('no operator is signed in');
  return server;
}

/**
 * Returns the signed-in operator. Throws if no operator is signed in, which cannot happen inside the shell.
 */
export function useOperator(): Operator {
  const { operator } = useSession();
  if (!operator) throw new Error('no operator is signed in');
  return operator;
}
