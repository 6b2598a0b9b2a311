import { GatehouseError } from '@gatehouse/js';
import type { LinkingModule } from './native-modules.js';

/** The options that determine the URL at which browser flows end. */
export interface RedirectOptions {
  /**
   * An entry in the project setting `redirectUrls`. Default: the URL for the app's path `signed-in`, such as
   * `com.example.app://signed-in`.
   */
  redirectUrl?: string | undefined;
  /**
   * The app's URL to which the page at `redirectUrl` forwards, with the same query, for apps whose own URL Gatehouse
   * does not accept, such as in Expo Go. Default: `redirectUrl`.
   */
  returnUrl?: string | undefined;
}

/** The URLs at which a flow ends, for Gatehouse and for the device. */
export interface ResolvedRedirect {
  redirectUrl: string;
  returnUrl: string;
}

/** A web page, or an app's scheme that is a reversed domain name (RFC 8252, section 7.1). */
const ACCEPTED = /^(https?:\/\/|[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/)/;

/** Returns the URLs at which a flow ends. */
export function resolveRedirect(linking: LinkingModule, options: RedirectOptions): ResolvedRedirect {
  const redirectUrl = options.redirectUrl ?? linking.createURL('signed-in');
  return { redirectUrl, returnUrl: options.returnUrl ?? redirectUrl };
}

/** @throws GatehouseError `redirect_url_not_supported` for a URL that no project can accept, such as Expo Go's URL */
export function checkRedirect({ redirectUrl }: ResolvedRedirect): void {
  if (ACCEPTED.test(redirectUrl)) return;
  throw new GatehouseError(
    'redirect_url_not_supported',
    `Gatehouse cannot redirect to ${redirectUrl}. Set the scheme of the app to a reversed domain name such as com.example.app, or pass redirectUrl and returnUrl`,
  );
}

/** Returns the URL to which Gatehouse has redirected, for the URL that the app has received. */
export const toRedirectUrl = (url: string, { redirectUrl, returnUrl }: ResolvedRedirect): string =>
  isBelow(url, returnUrl) ? redirectUrl + url.slice(returnUrl.length) : url;

/** Returns true if a URL differs from another one in the query and the fragment only. */
export const isBelow = (url: string, base: string): boolean =>
  url.startsWith(base) && /^\/?([?#]|$)/.test(url.slice(base.length));
