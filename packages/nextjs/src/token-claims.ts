/** The claims of an access token that this package reads before it is verified. */
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
 * Returns claims of a token without verifying its signature, or null if it is malformed. They may decide when to refresh,
 * but not who the customer is.
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

/** Returns a text as base64url of its UTF-8 bytes. */
export function encodeText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Returns the text of base64url. @throws Error if it is malformed */
export function decodeText(encoded: string): string {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
}
