import { encodeBase64Url, decodeBase64Url, readClaims } from './token-claims.js';

/**
 * The page receives placeholders instead of tokens, so that `@gatehouse/js` works unchanged. They contain no signature
 * and no secret, only the session id, so that a tab cannot act for another customer who has signed in since.
 */
const HEADER = encodeBase64Url('{}');
const REFRESH_PREFIX = 'session.';

/** Returns the placeholder for an access token. It is different for each token, because the client compares tokens. */
export function placeholderAccessToken(accessToken: string): string {
  const { sid = '', jti = '' } = readClaims(accessToken) ?? {};
  return unsignedToken({ sid, jti });
}

/** Returns a JWT without a signature. */
export const unsignedToken = (claims: { sid: string; jti: string }): string =>
  `${HEADER}.${encodeBase64Url(JSON.stringify(claims))}.`;

/** Returns the placeholder for a session's refresh token. */
export const placeholderRefreshToken = (sessionId: string): string => REFRESH_PREFIX + sessionId;

/** Returns the session id in a placeholder, or null for any other value, such as a token. */
export function placeholderSessionId(placeholder: string | null | undefined): string | null {
  if (placeholder?.startsWith(REFRESH_PREFIX)) return placeholder.slice(REFRESH_PREFIX.length);
  const [header, payload = '', signature] = placeholder?.split('.') ?? [];
  if (header !== HEADER || signature !== '') return null;
  try {
    const { sid } = JSON.parse(decodeBase64Url(payload)) as { sid?: unknown };
    return typeof sid === 'string' ? sid : null;
  } catch {
    return null;
  }
}

/**
 * Returns a JSON value with all tokens replaced by placeholders.
 * @param sessionId the session to which the tokens belong
 */
export function withoutTokens(value: unknown, sessionId: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTokens(each, sessionId));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]: [string, unknown]) => {
    if (typeof each !== 'string') return [name, withoutTokens(each, sessionId)];
    if (name === 'accessToken') return [name, placeholderAccessToken(each)];
    return [name, name === 'refreshToken' ? placeholderRefreshToken(sessionId) : each];
  });
  return Object.fromEntries(entries) as unknown;
}

/** Returns the bearer token in a request's Authorization header, or undefined. */
export const bearerOf = ({ headers }: Request): string | undefined =>
  /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
