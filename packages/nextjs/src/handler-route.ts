/** The routes for customers. All others stay unreachable from the page. */
const FORWARDED = /^\/api\/v1\/(?:auth(?!\/oauth\/callback\/)(?:\/[\w-]+)+|me(?:\/[\w-]+)*)$/;

/** The routes that the handler itself serves. */
const OWN = ['/refresh', '/sign-in'];

/**
 * Returns the handler route that a path names, or null. Compares the path's characters as Next.js does, and decodes
 * none. An encoded character, a repeated slash, a dot segment or a parameter such as `;x` therefore names no route, so
 * that no other page or route in the app is taken for the handler.
 * @param path without the handler's path
 */
export function handlerRoute(path: string): string | null {
  // Next.js adds the slash with the setting `trailingSlash`.
  const route = path.replace(/\/$/, '');
  return OWN.includes(route) || isForwardedRoute(route) ? route : null;
}

/** Returns true for a route that the handler forwards to Gatehouse. */
export const isForwardedRoute = (route: string): boolean => FORWARDED.test(route);
