import type { IncomingMessage } from 'node:http';
import { GatehouseError, type ErrorCode, type ErrorDetails } from '@gatehouse/domain';

/** Browsers keep a cookie of this prefix from every other host, and from plain http (RFC 6265bis, section 4.1.3.2). */
export const OPERATOR_COOKIE = '__Host-gatehouse_operator';

/** 256 random bits in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The value of an operator's session in the request's cookies; null for none, and for anything else. */
export function operatorToken(request: IncomingMessage): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${OPERATOR_COOKIE}=`))
    .map((pair) => pair.slice(OPERATOR_COOKIE.length + 1));
  const [value = ''] = values;
  return values.length === 1 && tokenPattern.test(value) ? value : null;
}

/** A 401 of the console. HTTP asks for a challenge (RFC 9110, section 15.5.2) and knows none for cookies. */
export const notSignedIn = (
  code: ErrorCode = 'operator_session_required',
  subject?: ErrorDetails['subject'],
): GatehouseError =>
  new GatehouseError(code, { headers: { 'WWW-Authenticate': 'Cookie realm="console"' }, subject });
