import { GatehouseError, type AuthConditions } from '@gatehouse/server';
import { verifySession, type Auth, type AuthSession } from './auth-session.js';
import type { Deployment } from './deployment.js';
import { PATH_HEADER } from './proxy-request.js';
import { safeReturnUrl, withQuery } from './return-url.js';

/** The options for a protected page. */
export interface ProtectOptions extends AuthConditions {
  /** The path of the sign-in page. Default: the app's `signInUrl`, or `/sign-in`. */
  signInUrl?: string;
  /**
   * The path to which the customer returns. Default: the page's path, which is available only if the proxy runs
   * for it.
   */
  returnUrl?: string;
  /**
   * The path of a page where the customer reauthenticates with `client.reauthenticate`. The query contains
   * `redirect_url`, and `methods` separated by commas. Without this option, `reauthentication_required` is thrown.
   */
  reauthenticationUrl?: string;
}

/** The session for a protected page, or the URL to redirect to. */
export type ProtectResult = { session: AuthSession } | { redirectTo: string };

/**
 * Returns the session state from a request's cookies.
 * @throws GatehouseError `unavailable` (503) while the public keys cannot be read. Do not treat it as signed out
 */
export async function readAuth(deployment: Deployment, headers: Headers): Promise<Auth> {
  const check = await verifySession(deployment, headers);
  if (check.status === 'valid') return check.session;
  return { isSignedIn: false, customerId: null, sessionId: null, claims: null };
}

/**
 * Returns a request's session, or the URL to redirect to: the handler to refresh the tokens, the sign-in page, or
 * the reauthentication page.
 * @throws GatehouseError `reauthentication_required` (403) without `reauthenticationUrl`; `unavailable` (503) while the
 *   public keys cannot be read, or if the browser does not store the cookies from a refresh
 */
export async function protectPage(
  deployment: Deployment,
  headers: Headers,
  { signInUrl = deployment.options.signInUrl, returnUrl, reauthenticationUrl, ...conditions }: ProtectOptions,
): Promise<ProtectResult> {
  const check = await verifySession(deployment, headers, conditions);
  if (check.status === 'valid') return { session: check.session };
  const path = safeReturnUrl(returnUrl ?? headers.get(PATH_HEADER));
  if (check.status === 'expired')
    return { redirectTo: refreshUrl(deployment, check.cookies.isJustRefreshed, path) };
  if (check.status === 'signed_out') return { redirectTo: withQuery(signInUrl, 'redirect_url', path) };
  if (reauthenticationUrl === undefined) throw check.error;
  const url = withQuery(reauthenticationUrl, 'redirect_url', path);
  return { redirectTo: withQuery(url, 'methods', check.error.methods.join(',')) };
}

function refreshUrl({ options }: Deployment, isJustRefreshed: boolean, path: string): string {
  if (!isJustRefreshed) return withQuery(`${options.handlerPath}/refresh`, 'returnTo', path);
  // Another refresh would redirect here again.
  throw new GatehouseError({
    code: 'unavailable',
    status: 503,
    detail:
      'The refreshed access token is missing or not valid here. Check that the clocks of this server and of ' +
      'Gatehouse agree, and that GATEHOUSE_URL equals PUBLIC_URL. Browsers ignore cookies of more than 4096 bytes.',
  });
}
