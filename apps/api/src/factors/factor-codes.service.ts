import { Injectable } from '@nestjs/common';
import type { Tx } from '@gatehouse/persistence';
import {
  hashRecoveryCodes,
  Keyring,
  newRecoveryCodes,
  newTotpSecret,
  now,
  recoveryCodeHashes,
  totpStep,
  totpUri,
  UnreadableValues,
} from '@gatehouse/platform';

/** A secret for an authenticator app, in plain text and encrypted. */
export interface NewTotpSecret {
  secret: string;
  /** The `otpauth://` URI that an app reads from a QR code. */
  uri: string;
  sealed: Buffer;
}

/**
 * Stores the factors of customers or operators. If parallel calls contain the same code, only one returns true.
 */
export interface FactorStore {
  consumeStep(tx: Tx, authenticatorId: string, step: number): Promise<boolean>;
  consumeRecoveryCode(tx: Tx, ownerId: string, hashes: Buffer[]): Promise<boolean>;
}

/**
 * Creates and verifies authenticator codes (RFC 6238) and recovery codes. An owner is a customer or an operator. The
 * caller counts the attempts.
 */
@Injectable()
export class FactorCodesService {
  constructor(
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
  ) {}

  /** Returns a new secret for an authenticator. @param issuer,account displayed by the app */
  newSecret(ownerId: string, issuer: string, account: string): NewTotpSecret {
    const secret = newTotpSecret();
    return { secret, uri: totpUri(secret, issuer, account), sealed: this.encrypt(ownerId, secret) };
  }

  /**
   * Re-encrypts a secret that is copied to another row, because `npm run gatehouse -- reencrypt` may have
   * changed the row since it was read.
   */
  reencrypt(ownerId: string, sealedSecret: Buffer): Buffer {
    return this.encrypt(ownerId, this.decrypt(ownerId, sealedSecret));
  }

  /**
   * Returns the time step of an authenticator's code, or null if the code is invalid or the secret cannot be
   * decrypted.
   */
  matchStep(ownerId: string, sealedSecret: Buffer, code: string): number | null {
    const secret = this.unreadable.readOrNull({ ownerId }, () => this.decrypt(ownerId, sealedSecret));
    return secret === null ? null : totpStep(secret, code, now());
  }

  /**
   * Consumes a code from one of the authenticators. The transaction must have locked their owner. Each time step is
   * accepted once (RFC 6238, section 5.2).
   * @returns false if the code is not valid
   */
  async consumeTotpCode(
    tx: Tx,
    store: FactorStore,
    ownerId: string,
    authenticators: { id: string; secret: Buffer }[],
    code: string,
  ): Promise<boolean> {
    for (const { id, secret } of authenticators) {
      const step = this.matchStep(ownerId, secret, code);
      if (step !== null && (await store.consumeStep(tx, id, step))) return true;
    }
    return false;
  }

  /** Consumes a recovery code. @returns false if the code is unknown or already used */
  consumeRecoveryCode(tx: Tx, store: FactorStore, ownerId: string, code: string): Promise<boolean> {
    return store.consumeRecoveryCode(tx, ownerId, recoveryCodeHashes(this.keyring, ownerId, code));
  }

  /** Returns new recovery codes, and the hashes to store. */
  newRecoveryCodes(ownerId: string): { codes: string[]; hashes: Buffer[] } {
    const codes = newRecoveryCodes();
    return { codes, hashes: hashRecoveryCodes(ownerId, codes) };
  }

  private encrypt(ownerId: string, secret: string): Buffer {
    return this.keyring.encrypt('totp-secret', ownerId, secret);
  }

  private decrypt(ownerId: string, sealedSecret: Buffer): string {
    return this.keyring.decrypt('totp-secret', ownerId, sealedSecret);
  }
}
