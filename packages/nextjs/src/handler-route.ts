/** The customer routes, which are the only Gatehouse routes that the page can call. */
const FORWARDED = /^\/api\/v1\/(?:auth(?!\/oauth\/callback\/)(?:\/[\w-]+)+|me(?:\/[\w-]+)*)$/;

/** The routes that the handler itself serves. */
const OWN = ['/refresh', '/sign-in'];

/**
 * Returns the handler route for a path, or null. Compares the path literally, as Next.js does, without decoding it: a
 * path with an encoded character, a repeated slash, a dot segment or a parameter such as `;x` matches no route, so that
 * no other page or route of the app is mistaken for the handler.
 * @param path the path after `handlerPath`
 */
export function handlerRoute(path: string): string | null {
  // Next.js adds a slash if the `trailingSlash` setting is true.
  const route = path.replace(/\/$/, '');
  return OWN.includes(route) || isForwardedRoute(route) ? route : null;
}

/** Returns true for a route that the handler forwards to Gatehouse. */
export const isForwardedRoute = (route: string): boolean => FORWARDED.test(route);
