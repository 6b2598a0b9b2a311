import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SigningKeysRepository, Transactions, type SigningKeyRecord } from '#persistence';
import { Keyring, secureBytes } from '#platform';

export interface SigningKey {
  kid: string;
  publicKey: KeyObject;
  privateKey: KeyObject;
  /** As `/.well-known/jwks.json` shows it (RFC 7517). */
  jwk: JsonWebKey;
}

/** The keys that sign access tokens, kept in memory; the database holds them encrypted. */
@Injectable()
export class SigningKeyRing {
  private keys = new Map<string, SigningKey>();
  private newest: SigningKey | undefined;

  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
  ) {}

  /** Reads the ring, after making its first key on a new installation. */
  async load(): Promise<void> {
    let records = await this.repository.all();
    if (records.length === 0) {
      await this.transactions.run((tx) => this.repository.insertFirst(tx, this.generate()));
      records = await this.repository.all();
    }
    // A key that is known stays the same object: verified tokens are remembered together with theirs.
    const keys = records.map((record) => this.keys.get(record.kid) ?? this.open(record));
    this.keys = new Map(keys.map((key) => [key.kid, key]));
    this.newest = keys[0];
  }

  /** The key that signs. @throws Error before the ring has been loaded */
  current(): SigningKey {
    if (!this.newest) throw new Error('the signing keys are not loaded');
    return this.newest;
  }

  /** By the `kid` of a token; only this memory is asked, never the database or the token itself. */
  find(kid: string): SigningKey | undefined {
    return this.keys.get(kid);
  }

  jwks(): { keys: JsonWebKey[] } {
    return { keys: [...this.keys.values()].map(({ jwk }) => jwk) };
  }

  private generate(): SigningKeyRecord {
    const kid = secureBytes(9).toString('base64url');
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const publicJwk = { ...pair.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
    return { kid, publicJwk, privateKey: this.keyring.encrypt('signing-key', kid, pem) };
  }

  private open({ kid, publicJwk, privateKey }: SigningKeyRecord): SigningKey {
    return {
      kid,
      jwk: publicJwk,
      publicKey: createPublicKey({ key: publicJwk, format: 'jwk' }),
      privateKey: createPrivateKey(this.keyring.decrypt('signing-key', kid, privateKey)),
    };
  }
}
