import type { IncomingMessage } from 'node:http';
import { GatehouseError, type ErrorCode, type ErrorDetails } from '@gatehouse/domain';

/**
 * Session cookie name. Browsers send a cookie with the prefix `__Host-` to no other host and never over plain HTTP (RFC
 * 6265bis, section 4.1.3.2).
 */
export const OPERATOR_COOKIE = '__Host-gatehouse_operator';

/** 256 random bits in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns the operator session token from the request's cookies, or null if there is none or it is malformed. */
export function operatorToken(request: IncomingMessage): string | null {
  const value = readCookie(request, OPERATOR_COOKIE);
  return value !== null && tokenPattern.test(value) ? value : null;
}

/**
 * Returns a cookie's value, or null if the request contains none or several with this name. Only spaces and tabs
 * in front of a name are ignored. `trim` would also remove characters such as U+00A0, and browsers do not protect a
 * cookie as `__Host-` if one of these precedes the prefix, so that any subdomain could set it (RFC 6265bis, section
 * 5.7).
 */
export function readCookie({ headers }: IncomingMessage, name: string): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0]! : null;
}

/** Creates a 401 for the console. HTTP requires a challenge (RFC 9110, section 15.5.2) but defines none for cookies. */
export const notSignedInError = (
  code: ErrorCode = 'operator_session_required',
  subject?: ErrorDetails['subject'],
): GatehouseError =>
  new GatehouseError(code, { headers: { 'WWW-Authenticate': 'Cookie realm="console"' }, subject });
