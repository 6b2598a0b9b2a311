import { Center, Container, Loader } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { Navigate, Outlet, ScrollRestoration, useLocation, useSearchParams } from 'react-router';
import { scrollKey } from '../components/list-visits';
import { ProblemAlert } from '../components/problem-alert';
import { SessionProvider, useSessionExpiry, useSessionQuery, useSignOutInOtherTabs } from './session';

/** Loads the session before any page is rendered. */
export function SessionGate(): ReactNode {
  const { data: session, error, refetch } = useSessionQuery();
  useSessionExpiry();
  useSignOutInOtherTabs();
  if (session) {
    return (
      <SessionProvider session={session}>
        <ScrollRestoration getKey={scrollKey} />
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

/** Renders a loading indicator, but only after 300 ms. */
export function PageLoader(): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Center h="60vh" role="status" aria-label="Loading">
      {isSlow && <Loader />}
    </Center>
  );
}

/** Returns the path to open after sign-in. Accepts only paths within the console; the default is `/`. */
export function useReturnPath(): string {
  const to = useSearchParams()[0].get('to') ?? '/';
  return /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-in') ? to : '/';
}

/** Redirects to the sign-in screen, which returns to the current path afterwards. */
export function RedirectToSignIn(): ReactNode {
  const { pathname, search } = useLocation();
  const currentPath = `${pathname}${search}`;
  const to = currentPath === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(currentPath)}`;
  return <Navigate replace to={to} />;
}
