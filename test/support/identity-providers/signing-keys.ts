import { randomUUID } from 'node:crypto';
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';

/** Returns a new RSA key whose private key can be exported. */
export const generateRsaKey = () => generateKeyPair('RS256', { extractable: true });

/**
 * An id token's signature:
 * - `published`: by the current key, which the JWKS contains
 * - `forged`: by another key, with the `kid` of the current one
 * - `unpublished`: by another key, with a `kid` that the JWKS does not contain
 * - `none`: no signature and `alg: none`
 * - `client-secret`: HS256 with the client secret
 * - `public-key`: HS256 with the PEM of the public key, for a client that does not check the algorithm
 */
export type TokenSignature = 'published' | 'forged' | 'unpublished' | 'none' | 'client-secret' | 'public-key';

interface KeyPair {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

interface SigningKey extends KeyPair {
  kid: string;
}

/** RSA keys that a test file's stand-ins use in turn, because generating a key is expensive. */
const keyPairs: Promise<KeyPair>[] = [];
const MAX_KEY_PAIRS = 4;
let usedKeyPairs = 0;

/** Returns a key with a new id. Three consecutive calls never return the same key pair. */
async function createSigningKey(): Promise<SigningKey> {
  const index = (usedKeyPairs += 1) % MAX_KEY_PAIRS;
  return { kid: randomUUID(), ...(await (keyPairs[index] ??= generateRsaKey())) };
}

/** The RSA keys that sign a stand-in's id tokens, and the ones that it publishes. */
export class SigningKeys {
  private constructor(
    private current: SigningKey,
    private published: SigningKey[],
  ) {}

  static async create(): Promise<SigningKeys> {
    const key = await createSigningKey();
    return new SigningKeys(key, [key]);
  }

  /** Signs with a new key from now on. @param keepsOld true to keep publishing the previous keys */
  async rotate({ keepsOld = false }: { keepsOld?: boolean } = {}): Promise<void> {
    this.current = await this.createOtherKey();
    this.published = [this.current, ...(keepsOld ? this.published : [])];
  }

  async toJwks(): Promise<{ keys: JWK[] }> {
    const keys = this.published.map(async ({ kid, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      use: 'sig',
      alg: 'RS256',
    }));
    return { keys: await Promise.all(keys) };
  }

  /** Returns an unpublished key. */
  private async createOtherKey(): Promise<SigningKey> {
    const key = await createSigningKey();
    return this.published.some(({ privateKey }) => privateKey === key.privateKey)
      ? this.createOtherKey()
      : key;
  }

  async sign(claims: JWTPayload, signature: TokenSignature, clientSecret = ''): Promise<string> {
    const { kid, privateKey, publicKey } = this.current;
    const token = new SignJWT(claims);
    switch (signature) {
      case 'published':
        return token.setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
      case 'forged':
        return token.setProtectedHeader({ alg: 'RS256', kid }).sign((await this.createOtherKey()).privateKey);
      case 'unpublished': {
        const other = await this.createOtherKey();
        return token.setProtectedHeader({ alg: 'RS256', kid: other.kid }).sign(other.privateKey);
      }
      case 'none':
        return new UnsecuredJWT(claims).encode();
      case 'client-secret':
        return token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret));
      case 'public-key':
        return token.setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(await exportSPKI(publicKey)));
    }
  }
}
