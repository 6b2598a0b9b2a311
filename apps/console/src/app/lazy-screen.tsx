import type { ComponentType, ReactNode } from 'react';
import { useLoaderData, type RouteObject } from 'react-router';
import { wasUpgraded } from '../http/was-upgraded';

/** Thrown if a screen's files cannot be loaded. */
export class ScreenLoadError extends Error {}

/**
 * Creates the route for a screen whose code is loaded on the first visit. The code is loaded in a loader, because
 * react-router never retries a rejected `lazy`, and then renders neither the screen nor an error.
 * @param hasStarted returns whether the page has already shown a screen
 */
export const lazyScreen = (
  path: string,
  load: () => Promise<ComponentType>,
  hasStarted: () => boolean,
): RouteObject => ({
  path,
  loader: ({ request }) =>
    load().catch(async (cause: unknown) => {
      // Does not reload if the first screen fails, because the reloads could repeat endlessly.
      if (!hasStarted() || !(await wasUpgraded()))
        throw new ScreenLoadError('A screen could not be loaded', { cause });
      window.location.assign(request.url);
      // Keeps the previous screen until the new document replaces it.
      return new Promise<never>(() => undefined);
    }),
  shouldRevalidate: () => false,
  Component: LoadedScreen,
});

function LoadedScreen(): ReactNode {
  const Screen = useLoaderData() as ComponentType;
  return <Screen />;
}
