import { createPrivateKey } from 'node:crypto';

/** A private key's PEM (RFC 7468, section 10) without whitespace. The first and last lines can be missing. */
const pemPattern = /^(?:-----BEGINPRIVATEKEY-----)?([A-Za-z0-9+/=]+)(?:-----ENDPRIVATEKEY-----)?$/;

/**
 * Parses a private P-256 key, for ES256, and returns it as PEM (PKCS #8). Returns null for any other string. Line
 * breaks can be missing, or be the two characters \n as in JSON.
 */
export function readSigningKey(text: string): string | null {
  const [, body] = pemPattern.exec(text.replace(/\s|\\n/g, '')) ?? [];
  if (!body) return null;
  try {
    const key = createPrivateKey({ key: Buffer.from(body, 'base64'), format: 'der', type: 'pkcs8' });
    const isSupported = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return isSupported ? (key.export({ type: 'pkcs8', format: 'pem' }) as string) : null;
  } catch {
    return null;
  }
}
