import { createHmac } from 'node:crypto';
import { canonicalPassword, invalidField } from '@gatehouse/domain';
import type { HashOptions, HashPermit, HashTask, HashThreads } from './hash-threads.js';
import { estimateBcryptMs, importedHashProblem, parseImportedHash } from './imported-hash.js';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

const storedPattern = /^v1\$([0-9a-f]{8})(\$2b\$(\d\d)\$.{53})$/;
const storedImportPattern = /^i1\$([A-Za-z0-9+/]+={0,2})$/;

/**
 * Passwords at rest: `v1$<pepper id>$<bcrypt>` over a keyed pre-hash (requirement PW-06). The pre-hash,
 * HMAC-SHA-384 in base64, is 64 bytes long, so bcrypt's limit of 72 cuts nothing. `i1$<sealed>` is the hash of
 * another system, until the next login makes one of ours (docs/adr/0010).
 */
export class PasswordHasher {
  private dummyHash: Promise<string> | undefined;

  constructor(
    private readonly threads: HashThreads,
    private readonly keyring: Keyring,
    private readonly cost: number,
  ) {}

  /** @throws GatehouseError `overloaded`, `request_timeout` */
  async hash(password: string, options?: HashOptions): Promise<string> {
    const { kid, key } = this.keyring.getCurrentPepper();
    const task = { input: preHash(password, key), cost: this.cost };
    return `v1$${kid}${await this.threads.run<string>(task, options)}`;
  }

  /**
   * Whether the password belongs to the hash. Without a hash it takes just as long as with one of ours and
   * answers false, so that nobody learns from the time whether a customer exists.
   * @throws GatehouseError `overloaded`, `request_timeout`
   */
  async verify(password: string, hash: string | null, options?: HashOptions): Promise<boolean> {
    const task = this.createVerifyTask(password, hash ?? (await this.getDummyHash()));
    const matches = await this.threads.run<boolean>(task, options);
    return matches && hash !== null;
  }

  /**
   * Keeps a place in the queue for a caller who has to touch the database first; to be handed to `hash` or
   * `verify`, or released.
   * @throws GatehouseError `overloaded`
   */
  reserve(projectId: string): HashPermit {
    return this.threads.reserve(projectId);
  }

  /** Lets those go first who wait for their password, for a second at most: before work that takes the cores from them. */
  waitUntilIdle(): Promise<void> {
    return this.threads.waitUntilIdle();
  }

  /** Whether the hash was made with another scheme, cost or pepper than a new one would be. */
  isOutdated(hash: string): boolean {
    const [, kid, , cost] = storedPattern.exec(hash) ?? [];
    return kid !== this.keyring.getCurrentPepper().kid || Number(cost) !== this.cost;
  }

  /**
   * What to store for a hash that another system made. It lacks our pepper, so it is sealed: a stolen database
   * gives nobody a hash to try guesses against. One that `exportHash` gave out stays as it is.
   * @throws GatehouseError `validation_failed` for what importedHashProblem finds fault with, and for one of ours whose
   *   pepper is not known here
   */
  importHash(text: string): string {
    const [, kid, bcryptHash] = storedPattern.exec(text) ?? [];
    const fault =
      kid && !this.keyring.hasKey(kid)
        ? 'was created with a different GATEHOUSE_SECRET'
        : importedHashProblem(bcryptHash ?? text);
    if (fault) throw invalidField('passwordHash', 'invalid', `passwordHash ${fault}`);
    return kid ? text : `i1$${this.keyring.encrypt('imported-password', 'i1', text).toString('base64')}`;
  }

  /**
   * A stored hash as `importHash` takes it: that of another system as it came, one of ours only where the same
   * GATEHOUSE_SECRET is known.
   * @throws Error when the secret behind it left the ring
   */
  exportHash(hash: string): string {
    const [, sealed] = storedImportPattern.exec(hash) ?? [];
    return sealed ? this.unseal(sealed) : hash;
  }

  /** Starts the threads and makes the decoy, so that the first login is no slower than the next. */
  async warmUp(): Promise<void> {
    await this.verify('', null);
  }

  private createVerifyTask(password: string, hash: string): HashTask {
    const [, sealed] = storedImportPattern.exec(hash) ?? [];
    if (sealed) return this.createImportedVerifyTask(password, sealed);
    const [, kid, bcryptHash, cost] = storedPattern.exec(hash) ?? [];
    if (!kid || !bcryptHash) throw new Error('a stored password hash is malformed');
    const input = preHash(password, this.keyring.getPepper(kid));
    if (Number(cost) <= this.cost) return { input, hash: bcryptHash };
    // Made here before the cost was lowered, or by another Gatehouse: it weighs what it takes.
    const weight = Math.ceil(estimateBcryptMs(Number(cost)) / estimateBcryptMs(this.cost));
    return { passwords: [input], imported: { scheme: 'bcrypt', hash: bcryptHash }, weight };
  }

  private unseal(sealed: string): string {
    return this.keyring.decrypt('imported-password', 'i1', Buffer.from(sealed, 'base64'));
  }

  private createImportedVerifyTask(password: string, sealed: string): HashTask {
    const parsed = parseImportedHash(this.unseal(sealed));
    if ('problem' in parsed) throw new Error(`a stored imported hash ${parsed.problem}`);
    // Most systems hash what was typed, some its NFC form (RFC 8265). Both are tried, so whoever could log in
    // there can log in here; it costs a second hash only where the two differ.
    const passwords = [...new Set([password, canonicalPassword(password)])];
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

const preHash = (password: string, pepper: Buffer): string =>
  createHmac('sha384', pepper).update(canonicalPassword(password), 'utf8').digest('base64');
