import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { nonceBytes } from './nonce-bytes.js';

const KID_LENGTH = 4;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encryption key purposes. `encryptedColumns` in libs/persistence declares each purpose's columns, which
 * `npm run gatehouse -- reencrypt` encrypts again with the newest secret.
 */
export const encryptionPurposes = [
  'idempotent-answer',
  'identity-flow-state',
  'identity-provider-secret',
  'identity-provider-settings',
  'imported-password',
  'legacy-sign-in-secret',
  'mail-parameters',
  'signing-key',
  'totp-secret',
  'webhook-headers',
  'webhook-secret',
] as const;
export type EncryptionPurpose = (typeof encryptionPurposes)[number];

/** The MAC key purposes. Values that were derived with them cannot be converted to another secret. */
export type MacPurpose =
  | 'alert-webhook'
  | 'billing-portal'
  | 'cursor'
  | 'decoy'
  | 'email-code'
  | 'idempotent-request'
  | 'import-lines'
  | 'operator-oidc'
  | 'password-pepper'
  | 'reauthentication-code'
  | 'recovery-code'
  | 'refresh-token'
  | 'refresh-successor';

/** A derived key's purpose. Each purpose has its own key. */
type KeyPurpose = EncryptionPurpose | MacPurpose;

/** The purposes of stored values that cannot be used without the secret with which they were created. */
export const storedPurposes = [...encryptionPurposes, 'password-pepper'] as const;
export type StoredPurpose = (typeof storedPurposes)[number];

/** Thrown if a stored value cannot be read, because its secret is no longer in the ring or the value was modified. */
export class UnreadableValueError extends Error {
  constructor(
    readonly purpose: StoredPurpose,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'UnreadableValueError';
  }
}

interface RootKey {
  /** Identifies the root key in values that were created with it. Reveals nothing about the key itself. */
  kid: Buffer;
  derive: (purpose: KeyPurpose) => Buffer;
}

function rootKey(secret: string): RootKey {
  const derived = new Map<string, Buffer>();
  const derive = (info: string, length: number): Buffer => {
    const key = derived.get(info) ?? Buffer.from(hkdfSync('sha256', secret, 'gatehouse', info, length));
    derived.set(info, key);
    return key;
  };
  return { kid: derive('kid', KID_LENGTH), derive: (purpose) => derive(purpose, 32) };
}

const computeMac = (root: RootKey, purpose: MacPurpose, data: string | Buffer): Buffer =>
  createHmac('sha256', root.derive(purpose)).update(data).digest();

/**
 * Derives keys from GATEHOUSE_SECRET with HKDF (RFC 5869). The newest secret encrypts and signs; all of them decrypt
 * and verify.
 */
export class Keyring {
  private readonly rootKeys: RootKey[];

  constructor(rootSecrets: string[]) {
    this.rootKeys = rootSecrets.map(rootKey);
  }

  /**
   * Encrypts a value with AES-256-GCM. `context` (an id) is authenticated, so that the value cannot be moved to another
   * row.
   */
  encrypt(purpose: EncryptionPurpose, context: string, plain: string): Buffer {
    const root = this.getNewestRoot();
    const iv = nonceBytes(IV_LENGTH);
    const cipher = createCipheriv('aes-256-gcm', root.derive(purpose), iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([root.kid, iv, cipher.getAuthTag(), sealed]);
  }

  /**
   * Decrypts a value.
   * @throws UnreadableValueError if the value was modified, belongs to another row, or was created with a secret that
   *   is no longer in the ring
   */
  decrypt(purpose: EncryptionPurpose, context: string, sealed: Buffer): string {
    const root = this.getRoot(purpose, sealed.subarray(0, KID_LENGTH));
    const iv = sealed.subarray(KID_LENGTH, KID_LENGTH + IV_LENGTH);
    const tag = sealed.subarray(KID_LENGTH + IV_LENGTH, KID_LENGTH + IV_LENGTH + TAG_LENGTH);
    const body = sealed.subarray(KID_LENGTH + IV_LENGTH + TAG_LENGTH);
    try {
      const decipher = createDecipheriv('aes-256-gcm', root.derive(purpose), iv, {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
      return decipher.update(body, undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      const message = 'the encrypted value was modified or belongs to another row';
      throw new UnreadableValueError(purpose, message, { cause });
    }
  }

  /** Computes the HMAC-SHA256 with the newest key. */
  mac(purpose: MacPurpose, data: string | Buffer): Buffer {
    return computeMac(this.getNewestRoot(), purpose, data);
  }

  /** Computes the HMAC-SHA256 with each key in the ring, newest first. */
  macWithEachKey(purpose: MacPurpose, data: string | Buffer): Buffer[] {
    return this.rootKeys.map((root) => computeMac(root, purpose, data));
  }

  /**
   * Returns whether `mac`, which can be truncated, is valid for `data` with any key in the ring. The comparison takes
   * constant time per key.
   */
  verifyMac(purpose: MacPurpose, data: string | Buffer, mac: Buffer): boolean {
    return this.rootKeys.some((root) => {
      const expected = createHmac('sha256', root.derive(purpose))
        .update(data)
        .digest()
        .subarray(0, mac.length);
      return mac.length >= 16 && mac.length === expected.length && timingSafeEqual(expected, mac);
    });
  }

  /** Returns the pepper for new password hashes, with the id that is stored with them. */
  getCurrentPepper(): { kid: string; key: Buffer } {
    const root = this.getNewestRoot();
    return { kid: root.kid.toString('hex'), key: root.derive('password-pepper') };
  }

  /**
   * Returns the pepper with an id.
   * @throws UnreadableValueError if the secret with this id is no longer in the ring
   */
  getPepper(kid: string): Buffer {
    return this.getRoot('password-pepper', Buffer.from(kid, 'hex')).derive('password-pepper');
  }

  /** Returns whether the secret with an id is in the ring. */
  hasKey(kid: string): boolean {
    return this.listKids().includes(kid);
  }

  /** Returns the hexadecimal ids of all secrets, newest first. Encrypted values begin with the id bytes. */
  listKids(): string[] {
    return this.rootKeys.map(({ kid }) => kid.toString('hex'));
  }

  private getNewestRoot(): RootKey {
    return this.rootKeys[0]!;
  }

  private getRoot(purpose: StoredPurpose, kid: Buffer): RootKey {
    const root = this.rootKeys.find((candidate) => candidate.kid.equals(kid));
    if (root) return root;
    throw new UnreadableValueError(purpose, `no entry of GATEHOUSE_SECRET has the id ${kid.toString('hex')}`);
  }
}
