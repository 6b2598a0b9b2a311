import { GatehouseError, type AuthConditions } from '@gatehouse/server';
import { prove, type Auth, type AuthSession } from './auth-session.js';
import type { Deployment } from './deployment.js';
import { PATH_HEADER } from './proxy-request.js';
import { safeReturnUrl, withQuery } from './return-url.js';

/** The requirements of a page. */
export interface ProtectOptions extends AuthConditions {
  /** The path of the sign-in page. Default: the option `signInUrl` of the app, `/sign-in`. */
  signInUrl?: string;
  /** The path to which the customer comes back. Default: that of the page, which only the proxy can add to a request. */
  returnUrl?: string;
  /**
   * The path of a page on which the customer proves their identity again, with `reauthenticate` of the client. The
   * query has `redirect_url`, and `methods`, separated by commas. Without it, `reauthentication_required` is thrown.
   */
  reauthenticationUrl?: string;
}

/** The session of a protected page, or the URL to which the request is redirected instead. */
export type Protected = { session: AuthSession } | { redirectTo: string };

/**
 * Returns the state of the session in the cookies of a request.
 * @throws GatehouseError `unavailable` (503) while the public keys cannot be read, which must not sign anyone out
 */
export async function readAuth(deployment: Deployment, headers: Headers): Promise<Auth> {
  const proof = await prove(deployment, headers);
  if (proof.status === 'valid') return proof.session;
  return { isSignedIn: false, customerId: null, sessionId: null, claims: null };
}

/**
 * Returns the session of a request, or where the request must go first: to the handler, which refreshes, to the sign-in
 * page or to the page for a new proof of identity.
 * @throws GatehouseError `reauthentication_required` (403) without such a page; `unavailable` (503) while the public keys
 *   cannot be read, or if the browser does not store the cookies of a refresh
 */
export async function protectPage(
  deployment: Deployment,
  headers: Headers,
  { signInUrl = deployment.options.signInUrl, returnUrl, reauthenticationUrl, ...conditions }: ProtectOptions,
): Promise<Protected> {
  const proof = await prove(deployment, headers, conditions);
  if (proof.status === 'valid') return { session: proof.session };
  const path = safeReturnUrl(returnUrl ?? headers.get(PATH_HEADER));
  if (proof.status === 'expired')
    return { redirectTo: refreshUrl(deployment, proof.cookies.isJustRefreshed, path) };
  if (proof.status === 'signed_out') return { redirectTo: withQuery(signInUrl, 'redirect_url', path) };
  if (reauthenticationUrl === undefined) throw proof.error;
  const url = withQuery(reauthenticationUrl, 'redirect_url', path);
  return { redirectTo: withQuery(url, 'methods', proof.error.methods.join(',')) };
}

function refreshUrl({ options }: Deployment, isJustRefreshed: boolean, path: string): string {
  if (!isJustRefreshed) return withQuery(`${options.handlerPath}/refresh`, 'returnTo', path);
  // Another refresh would lead here again.
  throw new GatehouseError({
    code: 'unavailable',
    status: 503,
    detail:
      'The refreshed access token is missing or not valid here. Compare the clock of this server with that of ' +
      'Gatehouse, and GATEHOUSE_URL with its PUBLIC_URL. Browsers ignore cookies of more than 4096 bytes.',
  });
}
