/** The access token claims that this package reads before the token is verified. */
export interface TokenClaims {
  /** The session's id. */
  sid: string;
  jti: string;
  /** Seconds since 1970. */
  iat: number;
  /** Seconds since 1970. */
  exp: number;
}

/**
 * Returns a token's claims without verifying its signature, or null if it is malformed. They may decide when to
 * refresh, but not who the customer is.
 */
export function readClaims(token: string): TokenClaims | null {
  try {
    const claims = JSON.parse(decodeText(token.split('.')[1] ?? '')) as Partial<TokenClaims> | null;
    const { sid, jti, iat, exp } = claims ?? {};
    const isComplete = typeof sid === 'string' && typeof jti === 'string' && Number.isFinite(exp);
    return isComplete ? { sid, jti, iat: Number(iat), exp: Number(exp) } : null;
  } catch {
    return null;
  }
}

/** Returns a string's UTF-8 bytes as base64url. */
export function encodeText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Returns the string that base64url encodes. @throws Error if it is malformed */
export function decodeText(encoded: string): string {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
