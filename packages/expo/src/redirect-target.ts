import { GatehouseError } from '@gatehouse/js';
import type { LinkingModule } from './native-modules.js';

/** The URLs to return to after browser flows. */
export interface RedirectOptions {
  /**
   * An entry in the project setting `redirectUrls`. Default: the URL for the path `signed-in` in the app, such as
   * `com.example.app://signed-in`.
   */
  redirectUrl?: string | undefined;
  /**
   * The app's own URL, if Gatehouse does not accept it, such as in Expo Go. The page at `redirectUrl` forwards to it
   * with the same query. Default: `redirectUrl`.
   */
  returnUrl?: string | undefined;
}

/** The URLs to return to after a flow: for Gatehouse and for the device. */
export interface ResolvedRedirect {
  redirectUrl: string;
  returnUrl: string;
}

/** A web page, or an app scheme that is a reversed domain name (RFC 8252, section 7.1). */
const ACCEPTED = /^(https?:\/\/|[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/)/;

/** Returns the URLs to return to after a flow. Applies the defaults. */
export function resolveRedirect(linking: LinkingModule, options: RedirectOptions): ResolvedRedirect {
  const redirectUrl = options.redirectUrl ?? linking.createURL('signed-in');
  return { redirectUrl, returnUrl: options.returnUrl ?? redirectUrl };
}

/**
 * @throws GatehouseError `redirect_url_not_supported` for a URL that no project can accept, such as `exp://` in Expo Go
 */
export function checkRedirect({ redirectUrl }: ResolvedRedirect): void {
  if (ACCEPTED.test(redirectUrl)) return;
  throw new GatehouseError(
    'redirect_url_not_supported',
    `Gatehouse cannot redirect to ${redirectUrl}. Set the scheme of the app to a reversed domain name such as com.example.app, or pass redirectUrl and returnUrl`,
  );
}

/** Converts the URL that the app received to the URL to which Gatehouse redirected. */
export const toRedirectUrl = (url: string, { redirectUrl, returnUrl }: ResolvedRedirect): string =>
  matchesUrl(url, returnUrl) ? redirectUrl + url.slice(returnUrl.length) : url;

/** Returns true if a URL equals `base`, ignoring its query, its fragment and a trailing slash. */
export const matchesUrl = (url: string, base: string): boolean =>
  url.startsWith(base) && /^\/?([?#]|$)/.test(url.slice(base.length));
