import { Center, Container, Loader } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { Navigate, Outlet, ScrollRestoration, useLocation, useSearchParams } from 'react-router';
import { ProblemAlert } from '../parts/problem-alert';
import { SessionProvider, useSessionExpiry, useSessionQuery } from './session';

/** Above every page: the house is asked who is signed in before anything is shown. */
export function SessionGate(): ReactNode {
  const { data: session, error, refetch } = useSessionQuery();
  useSessionExpiry();
  if (session) {
    return (
      <SessionProvider session={session}>
        <ScrollRestoration />
        <Outlet />
      </SessionProvider>
    );
  }
  if (!error) return <PageLoader />;
  return (
    <Container size="xs" pt="20vh">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
    </Container>
  );
}

/** A sign of life, for waits that are long enough to be noticed. */
export function PageLoader(): ReactNode {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Center h="60vh" role="status" aria-label="Loading">
      {isLong && <Loader />}
    </Center>
  );
}

/** Where to go on after signing in: a path of the console, and nothing else. */
export function useReturnPath(): string {
  const to = useSearchParams()[0].get('to') ?? '/';
  return /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-in') ? to : '/';
}

/** Sends whoever is not signed in to the door, and remembers where they were. @param ended whether they had been */
export function RedirectToSignIn({ ended }: { ended: boolean }): ReactNode {
  const { pathname, search } = useLocation();
  const here = `${pathname}${search}`;
  const to = here === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(here)}`;
  return <Navigate replace to={to} state={{ ended }} />;
}
