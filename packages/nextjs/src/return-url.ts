/** An origin that no real URL has. */
const BASE = 'https://base.invalid';

/**
 * Returns the path, query and fragment of a URL of this site, or `/` for any other URL. Parses the URL like a browser,
 * because browsers treat `\` as `/` and ignore tabs and line breaks.
 */
export function safeReturnUrl(url: string | null | undefined): string {
  if (!url?.startsWith('/')) return '/';
  try {
    const { origin, pathname, search, hash } = new URL(url, BASE);
    const path = pathname + search + hash;
    // A normalized path can begin with two slashes, which a browser would treat as another host.
    return origin === BASE && !/^\/[/\\]/.test(path) ? path : '/';
  } catch {
    return '/';
  }
}

/** Adds a query parameter to a URL of this site. */
export function withQuery(url: string, name: string, value: string): string {
  const [path = '', hash] = url.split('#', 2);
  const query = `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
  return hash === undefined ? query : `${query}#${hash}`;
}
