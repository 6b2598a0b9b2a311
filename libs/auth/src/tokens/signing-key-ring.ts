import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { SigningAlgorithm } from '@gatehouse/domain';
import {
  assertRootSecret,
  SigningKeysRepository,
  Transactions,
  type NewSigningKey,
  type StoredSigningKey,
} from '@gatehouse/persistence';
import { Config, Keyring, secureBytes } from '@gatehouse/platform';

/** How long clients may cache the public keys, in seconds. */
export const JWKS_MAX_AGE_SECONDS = 300;

/**
 * Time between the publication of a key and its first use, in ms. By then, every replica has loaded the key (within a
 * minute), and every client has refreshed its cached public keys (within 5 minutes according to the response's
 * `Cache-Control`, or 10 minutes for libraries that ignore it).
 */
const PUBLISH_LEAD_MS = 15 * 60_000;

/**
 * How long a key is retained after its last signature, in ms: an access token's maximum lifetime, 24 h, and
 * one hour for leeway, clock skew and replicas that fail to reload for a while.
 */
const RETIRED_AFTER_MS = 25 * 3_600_000;

/** The minimum that RFC 7518, section 3.3, requires. Longer keys sign more slowly. */
const RSA_BITS = 2048;

const generatePair = promisify(generateKeyPair);

/** A key for one algorithm. A stored signing key contains one for each algorithm. */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** The public key in the format of `/.well-known/jwks.json` (RFC 7517). */
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
  private signers: SigningKey[] = [];

  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /**
   * Loads the ring. Before that, deletes retired keys, creates the next key if there is none or the newest has reached
   * its maximum age, and adds the RSA keys that earlier versions did not create. The same key then signs until the next
   * load.
   * @returns the created key, or null
   * @throws Error if GATEHOUSE_SECRET cannot decrypt a key that is not retired
   */
  async load(): Promise<NextSigningKey | null> {
    const { maxAge } = this.config.signingKeys;
    await this.repository.deleteRetired(RETIRED_AFTER_MS);
    const [newest] = await this.listDecryptable();
    const created = !newest || newest.age >= maxAge ? await this.insert({ maxAge }) : null;
    const stored = await this.listDecryptable();
    for (const record of stored) record.rsaPrivateKey ??= await this.addRsaKey(record.kid);
    const keys = stored.map((record) => this.decryptKeys(record));
    this.keys = new Map(keys.flat().map((key) => [key.kid, key]));
    // If the database clock was set back to a time before all keys, the oldest key signs.
    this.signers = keys[stored.findIndex(({ age }) => age >= 0)] ?? keys.at(-1) ?? [];
    return created;
  }

  /**
   * Adds a key that is published immediately and signs later, or, with `atOnce`, a key that immediately replaces all
   * others, even keys that were encrypted with a lost GATEHOUSE_SECRET. Every replica uses the new key after its next
   * load. With `atOnce`, the caller must make sure that no API process runs with another GATEHOUSE_SECRET, because it
   * could not decrypt the key.
   * @throws RootSecretError without `atOnce` if GATEHOUSE_SECRET cannot decrypt the current keys
   */
  async rotate({ atOnce }: { atOnce: boolean }): Promise<NextSigningKey> {
    if (!atOnce) await assertRootSecret(this.repository, this.keyring);
    const created = await this.insert({ clear: atOnce });
    return created!;
  }

  /** Returns the key that signs with an algorithm. @throws Error before the ring has been loaded */
  getCurrentKey(algorithm: SigningAlgorithm): SigningKey {
    const signer = this.signers.find((key) => key.algorithm === algorithm);
    if (!signer) throw new Error('the signing keys are not loaded');
    return signer;
  }

  /** Returns a key by a token's `kid`. Reads only from memory, never from the database or the token itself. */
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
   * Returns the stored keys. Must be called before storing a key: a replica that cannot decrypt the existing keys would
   * store one that the other replicas cannot decrypt.
   * @throws Error if GATEHOUSE_SECRET cannot decrypt one of them
   */
  private async listDecryptable(): Promise<StoredSigningKey[]> {
    const stored = await this.repository.listAll();
    stored.forEach((record) => this.decryptKeys(record));
    return stored;
  }

  private async insert(options: { maxAge?: number; clear?: boolean }): Promise<NextSigningKey | null> {
    const key = await this.generate();
    const activatesAt = await this.transactions.join(async (tx) => {
      if (options.clear) await this.repository.deleteAll(tx);
      return this.repository.insert(tx, key, PUBLISH_LEAD_MS, options.maxAge ?? null);
    });
    return activatesAt && { kid: key.kid, activatesAt };
  }

  private async generate(): Promise<NewSigningKey> {
    const kid = secureBytes(9).toString('base64url');
    const { publicKey, privateKey } = await generatePair('ec', { namedCurve: 'P-256' });
    return {
      kid,
      publicJwk: toJwk(publicKey, kid, 'ES256'),
      privateKey: this.encrypt(kid, privateKey),
      rsaPrivateKey: await this.generateRsaKey(kid),
    };
  }

  /** Returns a new RSA key, encrypted. Generation takes up to half a second and runs on another thread. */
  private async generateRsaKey(kid: string): Promise<Buffer> {
    const { privateKey } = await generatePair('rsa', { modulusLength: RSA_BITS });
    return this.encrypt(rsaKid(kid), privateKey);
  }

  /**
   * Adds an RSA key to a signing key from an earlier version. Returns the stored key, which another replica may have
   * added first.
   */
  private async addRsaKey(kid: string): Promise<Buffer> {
    const rsaPrivateKey = await this.generateRsaKey(kid);
    return (await this.repository.addRsaKey(kid, rsaPrivateKey)) ?? rsaPrivateKey;
  }

  private encrypt(kid: string, privateKey: KeyObject): Buffer {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return this.keyring.encrypt('signing-key', kid, pem);
  }

  private decryptKeys({ kid, privateKey, rsaPrivateKey }: StoredSigningKey): SigningKey[] {
    const keys = [this.decryptKey(kid, 'ES256', privateKey)];
    if (rsaPrivateKey) keys.push(this.decryptKey(rsaKid(kid), 'RS256', rsaPrivateKey));
    return keys;
  }

  /**
   * Derives the public key from the encrypted private key, so that an attacker who can write rows but does not know the
   * secret cannot add a key. A known key remains the same object, because the cache of verified tokens compares keys by
   * identity.
   */
  private decryptKey(kid: string, algorithm: SigningAlgorithm, sealed: Buffer): SigningKey {
    const known = this.keys.get(kid);
    if (known) return known;
    const privateKey = createPrivateKey(this.keyring.decrypt('signing-key', kid, sealed));
    const publicKey = createPublicKey(privateKey);
    return { kid, algorithm, jwk: toJwk(publicKey, kid, algorithm), publicKey, privateKey };
  }
}

/** Returns the `kid` of the RSA key in a signing key. */
const rsaKid = (kid: string): string => `${kid}-rsa`;

const toJwk = (publicKey: KeyObject, kid: string, alg: SigningAlgorithm): JsonWebKey => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  alg,
});
