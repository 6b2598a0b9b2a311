import { createHmac } from 'node:crypto';
import { canonicalPassword } from '#domain';
import { secureBytes } from './random.js';
import type { HashThreads } from './hash-threads.js';
import type { Keyring } from './keyring.js';

const stored = /^v1\$([0-9a-f]{8})(\$2b\$(\d\d)\$.{53})$/;

/**
 * Passwords at rest: `v1$<pepper id>$<bcrypt>` over a keyed pre-hash (requirement PW-06). The pre-hash,
 * HMAC-SHA-384 in base64, is 64 bytes long, so bcrypt's limit of 72 cuts nothing.
 */
export class PasswordHasher {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly threads: HashThreads,
    private readonly keyring: Keyring,
    private readonly cost: number,
  ) {}

  /** @throws GatehouseError `overloaded` */
  async hash(password: string, signal?: AbortSignal): Promise<string> {
    const { kid, key } = this.keyring.pepper();
    const task = { input: preHash(password, key), cost: this.cost };
    return `v1$${kid}${await this.threads.run<string>(task, signal)}`;
  }

  /**
   * Whether the password belongs to the hash. Without a hash it takes just as long and answers false, so that
   * nobody learns from the time whether a customer exists.
   * @throws GatehouseError `overloaded`
   */
  async verify(password: string, hash: string | null, signal?: AbortSignal): Promise<boolean> {
    const [, kid, bcryptHash] = stored.exec(hash ?? (await this.decoyHash())) ?? [];
    if (!kid || !bcryptHash) throw new Error('a stored password hash is malformed');
    const task = { input: preHash(password, this.keyring.pepperOf(kid)), hash: bcryptHash };
    const matches = await this.threads.run<boolean>(task, signal);
    return matches && hash !== null;
  }

  /** Whether the hash was made with another cost or pepper than a new one would be. */
  isOutdated(hash: string): boolean {
    const [, kid, , cost] = stored.exec(hash) ?? [];
    return kid !== this.keyring.pepper().kid || Number(cost) !== this.cost;
  }

  /** Starts the threads and makes the decoy, so that the first login is no slower than the next. */
  async warmUp(): Promise<void> {
    await this.verify('', null);
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
