interface Cookie {
  name: string;
  value: string;
  host: string;
  path: string;
  sameSite: string;
}

/**
 * A user agent's cookies (RFC 6265). As in browsers, they depend on the host and not on the port. `Domain` and `Secure`
 * are ignored, because all servers are on loopback.
 */
export class CookieJar {
  private cookies: Cookie[] = [];

  /** Stores the cookies from a response. */
  store(url: URL, setCookies: string[]): void {
    for (const line of setCookies) this.add(url, line);
  }

  /** Returns the `Cookie` header for a navigation, or an empty string without cookies. */
  toHeader(url: URL, { method, isCrossSite }: { method: string; isCrossSite: boolean }): string {
    return this.cookies
      .filter(({ host, path }) => host === url.hostname && isPathBelow(url.pathname, path))
      .filter(
        ({ sameSite }) => !isCrossSite || sameSite === 'none' || (sameSite === 'lax' && method === 'GET'),
      )
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  /** Returns a cookie's value. */
  get(host: string, name: string): string | undefined {
    return this.cookies.find((cookie) => cookie.host === host && cookie.name === name)?.value;
  }

  clear(): void {
    this.cookies = [];
  }

  private add(url: URL, line: string): void {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
    const attributes = new Map(rest.map((part) => splitAt(part.toLowerCase())));
    // Attribute values are case-insensitive, except for paths.
    const path = rest.map(splitAt).find(([name]) => name.toLowerCase() === 'path')?.[1] ?? '';
    const [name, value] = splitAt(pair);
    const cookie: Cookie = {
      name,
      value,
      host: url.hostname,
      path: path.startsWith('/') ? path : url.pathname.slice(0, url.pathname.lastIndexOf('/')) || '/',
      sameSite: attributes.get('samesite') ?? 'lax',
    };
    this.cookies = this.cookies.filter(
      (other) => other.name !== name || other.host !== cookie.host || other.path !== cookie.path,
    );
    const maxAge = attributes.get('max-age');
    const expires = attributes.get('expires');
    const isExpired =
      maxAge !== undefined ? Number(maxAge) <= 0 : expires !== undefined && Date.parse(expires) <= Date.now();
    if (!isExpired) this.cookies.push(cookie);
  }
}

function splitAt(part: string): [string, string] {
  const equals = part.indexOf('=');
  return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
}

const isPathBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(parent.endsWith('/') ? parent : `${parent}/`);
