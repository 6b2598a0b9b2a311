import { createHmac } from 'node:crypto';
import { canonicalPassword, invalidField } from '#domain';
import type { HashCaller, HashPlace, HashTask, HashThreads } from './hash-threads.js';
import { bcryptMs, importedHashFault, parseImportedHash } from './imported-hash.js';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

const stored = /^v1\$([0-9a-f]{8})(\$2b\$(\d\d)\$.{53})$/;
const storedImport = /^i1\$([A-Za-z0-9+/]+={0,2})$/;

/**
 * Passwords at rest: `v1$<pepper id>$<bcrypt>` over a keyed pre-hash (requirement PW-06). The pre-hash,
 * HMAC-SHA-384 in base64, is 64 bytes long, so bcrypt's limit of 72 cuts nothing. `i1$<sealed>` is the hash of
 * another system, until the next login makes one of ours (docs/adr/0010).
 */
export class PasswordHasher {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly threads: HashThreads,
    private readonly keyring: Keyring,
    private readonly cost: number,
  ) {}

  /** @throws GatehouseError `overloaded`, `request_timeout` */
  async hash(password: string, caller?: HashCaller): Promise<string> {
    const { kid, key } = this.keyring.pepper();
    const task = { input: preHash(password, key), cost: this.cost };
    return `v1$${kid}${await this.threads.run<string>(task, caller)}`;
  }

  /**
   * Whether the password belongs to the hash. Without a hash it takes just as long as with one of ours and
   * answers false, so that nobody learns from the time whether a customer exists.
   * @throws GatehouseError `overloaded`, `request_timeout`
   */
  async verify(password: string, hash: string | null, caller?: HashCaller): Promise<boolean> {
    const task = this.comparison(password, hash ?? (await this.decoyHash()));
    const matches = await this.threads.run<boolean>(task, caller);
    return matches && hash !== null;
  }

  /**
   * Keeps a place in the queue for a caller who has to touch the database first; to be handed to `hash` or
   * `verify`, or released.
   * @throws GatehouseError `overloaded`
   */
  reserve(projectId: string): HashPlace {
    return this.threads.reserve(projectId);
  }

  /** Whether the hash was made with another scheme, cost or pepper than a new one would be. */
  isOutdated(hash: string): boolean {
    const [, kid, , cost] = stored.exec(hash) ?? [];
    return kid !== this.keyring.pepper().kid || Number(cost) !== this.cost;
  }

  /**
   * What to store for a hash that another system made. It lacks our pepper, so it is sealed: a stolen database
   * gives nobody a hash to try guesses against.
   * @throws GatehouseError `validation_failed` for what importedHashFault finds fault with
   */
  importHash(text: string): string {
    const fault = importedHashFault(text);
    if (fault) throw invalidField('passwordHash', 'invalid', `passwordHash ${fault}`);
    return `i1$${this.keyring.encrypt('imported-password', 'i1', text).toString('base64')}`;
  }

  /** Starts the threads and makes the decoy, so that the first login is no slower than the next. */
  async warmUp(): Promise<void> {
    await this.verify('', null);
  }

  private comparison(password: string, hash: string): HashTask {
    const [, sealed] = storedImport.exec(hash) ?? [];
    if (sealed) return this.importedComparison(password, Buffer.from(sealed, 'base64'));
    const [, kid, bcryptHash] = stored.exec(hash) ?? [];
    if (!kid || !bcryptHash) throw new Error('a stored password hash is malformed');
    return { input: preHash(password, this.keyring.pepperOf(kid)), hash: bcryptHash };
  }

  private importedComparison(password: string, sealed: Buffer): HashTask {
    const parsed = parseImportedHash(this.keyring.decrypt('imported-password', 'i1', sealed));
    if ('fault' in parsed) throw new Error(`a stored imported hash ${parsed.fault}`);
    // Most systems hash what was typed, some its NFC form (RFC 8265). Both are tried, so whoever could log in
    // there can log in here; it costs a second hash only where the two differ.
    const passwords = [...new Set([password, canonicalPassword(password)])];
    const weight = Math.ceil((passwords.length * parsed.ms) / bcryptMs(this.cost));
    return { passwords, imported: parsed.hash, weight };
  }

  private decoyHash(): Promise<string> {
    this.decoy ??= this.hash(secureBytes(32).toString('hex')).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }
}

const preHash = (password: string, pepper: Buffer): string =>
  createHmac('sha384', pepper).update(canonicalPassword(password), 'utf8').digest('base64');
