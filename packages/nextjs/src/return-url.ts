/** An origin that no customer's URL can have. */
const BASE = 'https://base.invalid';

/**
 * Returns a URL's path, query and fragment on this site, or `/` for any other URL. Browsers read `\` as `/` and ignore
 * tabs and line breaks, so the URL is parsed as a browser does.
 */
export function safeReturnUrl(url: string | null | undefined): string {
  if (!url?.startsWith('/')) return '/';
  try {
    const { origin, pathname, search, hash } = new URL(url, BASE);
    const path = pathname + search + hash;
    // A path can be normalized to one that begins with two slashes, which is another host.
    return origin === BASE && !/^\/[/\\]/.test(path) ? path : '/';
  } catch {
    return '/';
  }
}

/** Returns a URL on this site with one more query parameter. */
export function withQuery(url: string, name: string, value: string): string {
  const [path = '', hash] = url.split('#', 2);
  const query = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
  return hash === undefined ? query : `${query}#${hash}`;
}
