import { createPrivateKey } from 'node:crypto';

/** A PEM file with a private key (RFC 7468, section 10) without whitespace. The first and last line may be missing. */
const pemPattern = /^(?:-----BEGINPRIVATEKEY-----)?([A-Za-z0-9+/=]+)(?:-----ENDPRIVATEKEY-----)?$/;

/**
 * Returns a private key on the curve P-256, which signs with ES256, as PEM (PKCS #8); null for anything else. The line
 * breaks can be missing, or be the two characters \n, as they are in JSON that was copied.
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
