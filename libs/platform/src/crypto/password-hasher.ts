import { createHmac } from 'node:crypto';
import {
  canonicalPassword,
  exceedsBcryptLimit,
  invalidField,
  weakPasswordError,
  type PasswordHashing,
  type ProjectContext,
} from '@gatehouse/domain';
import type { HashOptions, HashPermit, HashTask, HashThreads } from './hash-threads.js';
import { isWeakHash, parseImportedHash, type ImportedHashOptions } from './imported-hash.js';
import { estimateBcryptMs, type ImportedHash } from './imported-hash-parameters.js';
import { UnreadableValueError, type Keyring } from './keyring.js';
import { secureBytes } from './random.js';

const storedPattern = /^v1\$([0-9a-f]{8})(\$2b\$(\d\d)\$.{53})$/;
/** Stricter than `storedPattern`: the last characters must not contain surplus bits (128 salt bits, 184 hash bits). */
const portablePattern =
  /^\$2b\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;
const storedImportPattern = /^i1\$([A-Za-z0-9+/]+={0,2})$/;

/** A password hash from another system or from an export. */
export interface ImportedPasswordHash {
  /** The value to store. */
  stored: string;
  /** True for a hash from another system that is weaker than OWASP recommends. */
  isWeak: boolean;
}

/**
 * Hashes and verifies passwords. There are three stored formats:
 * - `v1$<pepper id>$<bcrypt>` is bcrypt of a keyed pre-hash (requirement PW-06). The pre-hash, HMAC-SHA-384 in base64,
 * is 64 bytes long, so bcrypt's 72-byte limit does not truncate it.
 * - `$2b$…` is plain bcrypt, for projects with portable hashes (docs/adr/0102).
 * - `i1$<sealed>` is an encrypted hash from another system, until the next sign-in replaces it (docs/adr/0010).
 */
export class PasswordHasher {
  private dummyHash: Promise<string> | undefined;

  constructor(
    private readonly threads: HashThreads,
    private readonly keyring: Keyring,
    private readonly cost: number,
  ) {}

  /**
   * Hashes an operator's password, with the pepper.
   * @throws GatehouseError `overloaded`, `request_timeout`
   */
  async hash(password: string, options?: HashOptions): Promise<string> {
    const { kid, key } = this.keyring.getCurrentPepper();
    const task = { input: preHash(password, key), cost: this.cost };
    return `v1$${kid}${await this.threads.run<string>(task, options)}`;
  }

  /**
   * Hashes a customer's password with the project's hashing method.
   * @throws GatehouseError `overloaded`, `request_timeout`; `weak_password` if the project has portable hashes and
   * bcrypt would truncate the password
   */
  async hashFor(
    { id: projectId, settings }: Pick<ProjectContext, 'id' | 'settings'>,
    password: string,
    options?: Omit<HashOptions, 'projectId'>,
  ): Promise<string> {
    const { passwordHashing, passwordMinLength } = settings;
    if (passwordHashing === 'peppered') return this.hash(password, { ...options, projectId });
    if (exceedsBcryptLimit(password))
      throw weakPasswordError(['too_many_bytes'], passwordMinLength, 'password');
    const task = { input: canonicalPassword(password), cost: this.cost };
    return this.threads.run<string>(task, { ...options, projectId });
  }

  /**
   * Returns whether the password matches the hash. Without a hash, it returns false after the same time as with one, so
   * that the duration does not reveal whether a customer exists. A hash whose secret is no longer in the ring
   * (`findProblem`) matches no password, and takes as long as its decoy. The same applies to a portable hash if bcrypt
   * would truncate the password.
   * @throws GatehouseError `overloaded`, `request_timeout`; Error if the hash is malformed
   */
  async verify(password: string, hash: string | null, options?: HashOptions): Promise<boolean> {
    if (hash !== null && !this.findProblem(hash) && !isTruncated(password, hash))
      return this.threads.run<boolean>(this.createVerifyTask(password, hash), options);
    await this.verifyDecoy(password, hash, options);
    return false;
  }

  /**
   * Returns the reason why passwords cannot be compared with a hash, or null if they can.
   * @throws Error if the hash is malformed
   */
  findProblem(hash: string): UnreadableValueError | null {
    try {
      this.createVerifyTask('', hash);
      return null;
    } catch (error) {
      if (error instanceof UnreadableValueError) return error;
      throw error;
    }
  }

  /**
   * Takes as long as a verification of `model`, but uses neither its salt nor its hash value. Otherwise, the result of
   * a comparison with another customer's hash could be measured.
   * @param model the stored hash whose scheme and parameters determine the time; null for a new hash
   * @throws GatehouseError `overloaded`, `request_timeout`
   */
  async verifyDecoy(password: string, model: string | null, options?: HashOptions): Promise<void> {
    const dummyHash = await this.getDummyHash();
    await this.threads.run(this.createDecoyTask(password, model ?? dummyHash, dummyHash), options);
  }

  /**
   * Reserves a permit for a caller that queries the database first. The permit must be passed to `hash` or `verify`, or
   * released.
   * @throws GatehouseError `overloaded`
   */
  reserve(projectId: string): HashPermit {
    return this.threads.reserve(projectId);
  }

  /**
   * Waits until a thread is available for the next password, but for a second at most. Call it before CPU-intensive
   * work, which would slow down the threads.
   */
  waitUntilIdle(): Promise<void> {
    return this.threads.waitUntilIdle();
  }

  /** Returns whether a new hash would have a different scheme, cost or pepper. */
  isOutdated(hash: string, hashing: PasswordHashing): boolean {
    if (hashing === 'portable') return Number(portablePattern.exec(hash)?.[1]) !== this.cost;
    const [, kid, , cost] = storedPattern.exec(hash) ?? [];
    return kid !== this.keyring.getCurrentPepper().kid || Number(cost) !== this.cost;
  }

  /**
   * Returns the value to store for a hash from another system. It is encrypted because it has no pepper, so that
   * guesses cannot be verified with a stolen database. A Gatehouse hash from `exportHash` is stored unchanged.
   * @throws GatehouseError `validation_failed` for a hash that `parseImportedHash` rejects. The field's code is
   * `fast_hash` if the hash requires `allowFastHashes`, and `unknown_pepper` for a Gatehouse hash from another
   * installation
   */
  importHash(text: string, options?: ImportedHashOptions): ImportedPasswordHash {
    const [, kid, bcryptHash] = storedPattern.exec(text) ?? [];
    if (kid && !this.keyring.hasKey(kid))
      throw invalidField(
        'passwordHash',
        'unknown_pepper',
        'passwordHash was created with a GATEHOUSE_SECRET that is not in the list of this installation',
      );
    const parsed = parseImportedHash(bcryptHash ?? text, options);
    if ('problem' in parsed)
      throw invalidField('passwordHash', parsed.code, `passwordHash ${parsed.problem}`);
    if (kid) return { stored: text, isWeak: false };
    const sealed = this.keyring.encrypt('imported-password', 'i1', text).toString('base64');
    return { stored: `i1$${sealed}`, isWeak: isWeakHash(parsed.hash) };
  }

  /**
   * Returns whether a stored hash is from another system, and has not been replaced by a sign-in or password change.
   */
  isImported(hash: string): boolean {
    return storedImportPattern.test(hash);
  }

  /**
   * Returns a stored hash in the form that `importHash` accepts. A hash from another system is returned in its original
   * form, and other hashes unchanged. A hash with a pepper can be used only with the same GATEHOUSE_SECRET.
   * @throws UnreadableValueError if its secret is no longer in the ring
   */
  exportHash(hash: string): string {
    const [, sealed] = storedImportPattern.exec(hash) ?? [];
    return sealed ? this.unseal(sealed) : hash;
  }

  /** Starts a thread and creates the dummy hash, so that the first sign-in is as fast as later ones. */
  async warmUp(): Promise<void> {
    await this.verify('', null);
  }

  private createVerifyTask(password: string, hash: string): HashTask {
    const [, sealed] = storedImportPattern.exec(hash) ?? [];
    if (sealed) return this.createImportedVerifyTask(password, sealed);
    const [, portableCost] = portablePattern.exec(hash) ?? [];
    if (portableCost) return this.createBcryptTask(canonicalPassword(password), hash, Number(portableCost));
    const [, kid, bcryptHash, cost] = storedPattern.exec(hash) ?? [];
    if (!kid || !bcryptHash) throw new Error('a stored password hash is malformed');
    return this.createBcryptTask(preHash(password, this.keyring.getPepper(kid)), bcryptHash, Number(cost));
  }

  private createBcryptTask(input: string, bcryptHash: string, cost: number): HashTask {
    if (cost <= this.cost) return { input, hash: bcryptHash };
    // The hash was created before the cost was lowered, or by another installation. The weight depends on its cost.
    const weight = Math.ceil(estimateBcryptMs(cost) / estimateBcryptMs(this.cost));
    return { passwords: [input], imported: { scheme: 'bcrypt', hash: bcryptHash }, weight };
  }

  private createDecoyTask(password: string, model: string, dummyHash: string): HashTask {
    const [, , bcryptHash, cost] = storedPattern.exec(model) ?? [];
    if (bcryptHash) {
      // The duration depends only on the cost, so the model's secret need not be in the ring.
      const input = preHash(password, this.keyring.getCurrentPepper().key);
      return toDecoyTask(this.createBcryptTask(input, bcryptHash, Number(cost)), dummyHash);
    }
    try {
      return toDecoyTask(this.createVerifyTask(password, model), dummyHash);
    } catch {
      // An imported hash's parameters are encrypted with a secret that is no longer in the ring.
      return this.createVerifyTask(password, dummyHash);
    }
  }

  private unseal(sealed: string): string {
    return this.keyring.decrypt('imported-password', 'i1', Buffer.from(sealed, 'base64'));
  }

  private createImportedVerifyTask(password: string, sealed: string): HashTask {
    // The import has already decided whether a fast hash is accepted.
    const parsed = parseImportedHash(this.unseal(sealed), { allowFastHashes: true });
    if ('problem' in parsed) throw new Error(`a stored imported hash ${parsed.problem}`);
    // All forms are compared, so that every password that worked in the other system still works.
    const passwords = [...new Set(parsed.forms(password))];
    const weight = Math.ceil((passwords.length * parsed.ms) / estimateBcryptMs(this.cost));
    return { passwords, imported: parsed.hash, weight };
  }

  private getDummyHash(): Promise<string> {
    this.dummyHash ??= this.hash(secureBytes(32).toString('hex')).catch((error: unknown) => {
      this.dummyHash = undefined;
      throw error;
    });
    return this.dummyHash;
  }
}

/** Returns whether bcrypt would truncate a password that is compared with a portable hash. */
const isTruncated = (password: string, hash: string): boolean =>
  portablePattern.test(hash) && exceedsBcryptLimit(password);

const BCRYPT_PREFIX_LENGTH = '$2b$10$'.length;

/** Returns a bcrypt hash with the cost of `model`, and the salt and hash of `source`. */
const withBcryptCost = (model: string, source: string): string =>
  model.slice(0, BCRYPT_PREFIX_LENGTH) + source.slice(source.lastIndexOf('$') + 1);

/** Returns a task with the same duration and weight, but without any customer's salt and hash value. */
function toDecoyTask(task: HashTask, dummyHash: string): HashTask {
  if ('imported' in task) return { ...task, imported: toDecoy(task.imported, dummyHash) };
  return 'hash' in task ? { ...task, hash: withBcryptCost(task.hash, dummyHash) } : task;
}

function toDecoy(model: ImportedHash, dummyHash: string): ImportedHash {
  if (model.scheme === 'bcrypt') return { ...model, hash: withBcryptCost(model.hash, dummyHash) };
  const random = { salt: secureBytes(model.salt.length), hash: secureBytes(model.hash.length) };
  if (model.scheme !== 'firebase-scrypt') return { ...model, ...random };
  return { ...model, ...random, signerKey: secureBytes(model.signerKey.length) };
}

const preHash = (password: string, pepper: Buffer): string =>
  createHmac('sha384', pepper).update(canonicalPassword(password), 'utf8').digest('base64');
