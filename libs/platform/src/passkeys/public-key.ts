import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** COSE key labels (RFC 9052, section 7; RFC 9053, section 7; RFC 8230, section 4). */
const label = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 };

/** Minimum RSA modulus length, in bits. */
const MIN_RSA_BITS = 2048;

/** Returns whether bytes are a COSE key that can be a passkey's public key: ES256, EdDSA or RS256. */
export async function isPasskeyPublicKey(bytes: Buffer): Promise<boolean> {
  const { isoCBOR } = await import('@simplewebauthn/server/helpers');
  try {
    const decoded: unknown = isoCBOR.decodeFirst(new Uint8Array(bytes));
    // Encodes the key again to reject bytes after it.
    if (!(decoded instanceof Map) || !bytes.equals(isoCBOR.encode(decoded as never))) return false;
    const jwk = toJwk(decoded as Map<number, unknown>);
    if (!jwk) return false;
    const { asymmetricKeyDetails } = createPublicKey({ key: jwk, format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}

/**
 * Converts a COSE key to a JWK. Returns null for an unsupported algorithm.
 * @throws Error if a part of the key is missing
 */
function toJwk(key: Map<number, unknown>): JsonWebKey | null {
  const read = (name: keyof typeof label) =>
    Buffer.from(key.get(label[name]) as Uint8Array).toString('base64url');
  const [algorithm, type, curve] = [label.algorithm, label.type, label.curve].map((name) => key.get(name));
  if (algorithm === -7 && type === 2 && curve === 1)
    return { kty: 'EC', crv: 'P-256', x: read('x'), y: read('y') };
  if (algorithm === -8 && type === 1 && curve === 6) return { kty: 'OKP', crv: 'Ed25519', x: read('x') };
  if (algorithm === -257 && type === 3) return { kty: 'RSA', n: read('modulus'), e: read('exponent') };
  return null;
}
