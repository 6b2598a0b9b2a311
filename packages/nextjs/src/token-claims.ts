/** The access token claims that this package reads before the token is verified. */
export interface TokenClaims {
  /** Id of the session. */
  sid: string;
  jti: string;
  /** Seconds since 1970. */
  iat: number;
  /** Seconds since 1970. */
  exp: number;
}

/**
 * Returns a token's claims without verifying its signature, or null if it is malformed. Use them only to decide when to
 * refresh, never to identify the customer.
 */
export function readClaims(token: string): TokenClaims | null {
  try {
    const claims = JSON.parse(decodeBase64Url(token.split('.')[1] ?? '')) as Partial<TokenClaims> | null;
    const { sid, jti, iat, exp } = claims ?? {};
    const isComplete = typeof sid === 'string' && typeof jti === 'string' && Number.isFinite(exp);
    return isComplete ? { sid, jti, iat: Number(iat), exp: Number(exp) } : null;
  } catch {
    return null;
  }
}

/** Encodes a string as base64url (UTF-8). */
export function encodeBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Decodes a base64url string (UTF-8). @throws Error if it is malformed */
export function decodeBase64Url(encoded: string): string {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
