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

/** How long others may keep a copy of the public keys. */
export const JWKS_MAX_AGE_SECONDS = 300;

/**
 * How long before its use a key is published: longer than every replica needs to load it (a minute) and every
 * copy of the public keys to be renewed (5 minutes by our header; some libraries take 10 by themselves).
 */
const PUBLISH_LEAD_MS = 15 * 60_000;

/**
 * How long a key stays after its last signature: the longest life of an access token, 24 h, and an hour for
 * leeway, differing clocks and a replica that could not reload for a while.
 */
const RETIRED_AFTER_MS = 25 * 3_600_000;

export interface SigningKey {
  kid: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** As `/.well-known/jwks.json` shows it (RFC 7517). */
  jwk: JsonWebKey;
}

/** A key that has come into the ring, and when it begins to sign. */
export interface NextSigningKey {
  kid: string;
  activatesAt: Date;
}

/** The keys that sign access tokens, kept in memory; the database holds them encrypted. */
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
   * Reads the ring, after removing what is retired and, when the newest key has reached its age or there is none,
   * making the next one. Until the next load the same key signs.
   * @returns the key that was made, if one was
   */
  async load(): Promise<NextSigningKey | null> {
    const { maxAge } = this.config.signingKeys;
    const [newest] = await this.repository.listAll();
    const made = !newest || newest.age >= maxAge ? await this.insert({ maxAge }) : null;
    await this.repository.deleteRetired(RETIRED_AFTER_MS);
    const stored = await this.repository.listAll();
    // A key that is known stays the same object: verified tokens are remembered together with theirs.
    const keys = stored.map((record) => this.keys.get(record.kid) ?? this.decryptKey(record));
    this.keys = new Map(keys.map((key) => [key.kid, key]));
    // The last one signs if the database's clock went back before all of them.
    this.signer = keys[stored.findIndex(({ age }) => age >= 0)] ?? keys.at(-1);
    return made;
  }

  /**
   * Adds a key that is published now and signs later, or with `atOnce` one that takes the place of all others.
   * Every replica follows when it loads.
   * @throws Error when GATEHOUSE_SECRET cannot open the present keys: the replicas could not open the new one
   */
  async rotate({ atOnce }: { atOnce: boolean }): Promise<NextSigningKey> {
    (await this.repository.listAll()).forEach((record) => this.decryptKey(record));
    const made = await this.insert({ clear: atOnce });
    return made!;
  }

  /** The key that signs. @throws Error before the ring has been loaded */
  getCurrentKey(): SigningKey {
    if (!this.signer) throw new Error('the signing keys are not loaded');
    return this.signer;
  }

  /** By the `kid` of a token; only this memory is asked, never the database or the token itself. */
  find(kid: string): SigningKey | undefined {
    return this.keys.get(kid);
  }

  /** The public keys, also the next one before it signs and the ones before while their tokens live. */
  getJwks(): { keys: JsonWebKey[] } {
    return { keys: [...this.keys.values()].map(({ jwk }) => jwk) };
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

  /** The public half comes from the encrypted one: who can write rows, and knows no secret, adds no key. */
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
