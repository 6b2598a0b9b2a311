import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  SigningKeysRepository,
  Transactions,
  type NewSigningKey,
  type StoredSigningKey,
} from '@gatehouse/persistence';
import { Config, Keyring, secureBytes } from '@gatehouse/platform';

/** Time for which clients may cache the public keys, in seconds. */
export const JWKS_MAX_AGE_SECONDS = 300;

/**
 * Time between the publication of a key and its first use, in ms. Before that use, every replica must have
 * loaded the key (within a minute), and every client must have renewed its cached copy of the public keys
 * (within 5 minutes with Gatehouse's header; some libraries ignore it and cache for 10 minutes).
 */
const PUBLISH_LEAD_MS = 15 * 60_000;

/**
 * Time for which a key is retained after its last signature, in ms: the maximum validity of an access token,
 * 24 h, and an hour for leeway, clock differences and a replica that could not reload for some time.
 */
const RETIRED_AFTER_MS = 25 * 3_600_000;

export interface SigningKey {
  kid: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** The key as `/.well-known/jwks.json` contains it (RFC 7517). */
  jwk: JsonWebKey;
}

/** A new key in the ring, with the time at which it starts to sign. */
export interface NextSigningKey {
  kid: string;
  activatesAt: Date;
}

/** The keys that sign access tokens, held in memory. The database stores them encrypted. */
@Injectable()
export class SigningKeyRing {
  private keys = new Map<string, SigningKey>();
  private signer: SigningKey | undefined;

  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /**
   * Loads the ring. First removes retired keys, and creates the next key if the newest one has reached its
   * maximum age or there is none. The same key signs until the next load.
   * @returns the created key, or null
   * @throws Error if GATEHOUSE_SECRET cannot decrypt a key that is not retired
   */
  async load(): Promise<NextSigningKey | null> {
    const { maxAge } = this.config.signingKeys;
    await this.repository.deleteRetired(RETIRED_AFTER_MS);
    const [newest] = await this.listDecryptable();
    const created = !newest || newest.age >= maxAge ? await this.insert({ maxAge }) : null;
    const stored = await this.repository.listAll();
    // A known key remains the same object, because the cache of verified tokens refers to it.
    const keys = stored.map((record) => this.keys.get(record.kid) ?? this.decryptKey(record));
    this.keys = new Map(keys.map((key) => [key.kid, key]));
    // If the database's clock was set back to before all keys, the oldest key signs.
    this.signer = keys[stored.findIndex(({ age }) => age >= 0)] ?? keys.at(-1);
    return created;
  }

  /**
   * Adds a key that is published immediately and signs later, or, with `atOnce`, a key that immediately
   * replaces all others. Every replica uses it after its next load.
   * @throws Error if GATEHOUSE_SECRET cannot decrypt the current keys
   */
  async rotate({ atOnce }: { atOnce: boolean }): Promise<NextSigningKey> {
    await this.listDecryptable();
    const created = await this.insert({ clear: atOnce });
    return created!;
  }

  /** Returns the key that signs. @throws Error before the ring has been loaded */
  getCurrentKey(): SigningKey {
    if (!this.signer) throw new Error('the signing keys are not loaded');
    return this.signer;
  }

  /**
   * Returns a key by the `kid` of a token. Reads only from memory, never from the database or the token
   * itself.
   */
  find(kid: string): SigningKey | undefined {
    return this.keys.get(kid);
  }

  /**
   * Returns the public keys, including the next key before it signs and previous keys while their tokens are
   * valid.
   */
  getJwks(): { keys: JsonWebKey[] } {
    return { keys: [...this.keys.values()].map(({ jwk }) => jwk) };
  }

  /**
   * Returns the stored keys. Called before a key is stored: other replicas could not decrypt a key of a
   * replica that cannot decrypt theirs.
   * @throws Error if GATEHOUSE_SECRET cannot decrypt one of them
   */
  private async listDecryptable(): Promise<StoredSigningKey[]> {
    const stored = await this.repository.listAll();
    stored.forEach((record) => this.decryptKey(record));
    return stored;
  }

  private async insert(options: { maxAge?: number; clear?: boolean }): Promise<NextSigningKey | null> {
    const key = this.generate();
    const activatesAt = await this.transactions.run(async (tx) => {
      if (options.clear) await this.repository.deleteAll(tx);
      return this.repository.insert(tx, key, PUBLISH_LEAD_MS, options.maxAge ?? null);
    });
    return activatesAt && { kid: key.kid, activatesAt };
  }

  private generate(): NewSigningKey {
    const kid = secureBytes(9).toString('base64url');
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return {
      kid,
      publicJwk: publicJwk(kid, publicKey),
      privateKey: this.keyring.encrypt('signing-key', kid, pem),
    };
  }

  /**
   * Derives the public key from the encrypted private key, so that an attacker who can write rows but does
   * not know the secret cannot add a key.
   */
  private decryptKey({ kid, privateKey: sealed }: StoredSigningKey): SigningKey {
    const privateKey = createPrivateKey(this.keyring.decrypt('signing-key', kid, sealed));
    const publicKey = createPublicKey(privateKey);
    return { kid, jwk: publicJwk(kid, publicKey), publicKey, privateKey };
  }
}

function publicJwk(kid: string, key: KeyObject): JsonWebKey {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  return { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' };
}
