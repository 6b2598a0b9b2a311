import { Injectable } from '@nestjs/common';
import type { FieldError, ProjectContext } from '@gatehouse/domain';
import { FactorsRepository, type StoredImportTarget, type Tx } from '@gatehouse/persistence';
import { Keyring, newId, PasswordHasher, UnreadableValueError } from '@gatehouse/platform';
import type { EarlierLines } from './earlier-lines.js';
import { ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService } from './imported-passkeys.service.js';
import type { Candidate } from './import-lines.service.js';
import { otherFactorWarning } from './update-messages.js';

/** What a line adds to an existing customer. */
export interface Additions {
  /** The line, of which only the passkeys and identities that the customer lacks remain. */
  candidate: Candidate;
  /** The hash that replaces an imported one, or none. */
  passwordHash: string | null;
  /** In base32, or null. */
  totpSecret: string | null;
  /** The fields of the line that add something. */
  names: string[];
  warnings: FieldError[];
}

interface Match {
  candidate: Candidate;
  target: StoredImportTarget;
}

/** Adds credentials to existing customers. None is removed, and only an imported password is replaced. */
@Injectable()
export class ImportAdditionsService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
    private readonly hasher: PasswordHasher,
    private readonly keyring: Keyring,
  ) {}

  /** Returns what each line adds, and leaves out of the line what cannot be added. */
  async find(
    tx: Tx,
    project: ProjectContext,
    matches: Match[],
    earlier: EarlierLines,
  ): Promise<Map<Candidate, Additions>> {
    const candidates = matches.map(({ candidate }) => candidate);
    await this.passkeys.leaveOutTaken(tx, project, candidates, earlier);
    await this.identities.leaveOutUnusable(tx, project, candidates, earlier);
    const withSecret = matches.filter(({ candidate }) => candidate.totpSecret !== null);
    const secrets =
      withSecret.length === 0
        ? new Map<string, Buffer>()
        : await this.factors.listNewestSecrets(
            withSecret.map(({ target }) => target.id),
            tx,
          );
    return new Map(
      matches.map((match) => [match.candidate, this.compare(match, secrets.get(match.target.id))]),
    );
  }

  /** Inserts what lines add, except the password hashes. */
  async insert(tx: Tx, project: ProjectContext, additions: Additions[]): Promise<void> {
    const candidates = additions.map(({ candidate }) => candidate);
    await this.insertFactors(
      tx,
      additions.map(({ candidate, totpSecret }) => ({ customer: candidate.customer, totpSecret })),
    );
    await this.passkeys.insert(tx, project, candidates);
    await this.identities.insert(tx, project, candidates);
  }

  /** Inserts the authenticator apps of customers that have none. */
  async insertFactors(
    tx: Tx,
    lines: { customer: { id: string }; totpSecret: string | null }[],
  ): Promise<void> {
    const factors = lines.flatMap(({ customer: { id: customerId }, totpSecret }) =>
      totpSecret
        ? [{ id: newId(), customerId, secret: this.keyring.encrypt('totp-secret', customerId, totpSecret) }]
        : [],
    );
    if (factors.length > 0) await this.factors.insertImported(tx, factors);
  }

  /** @param stored the encrypted secret of the customer's authenticator app */
  private compare({ candidate, target }: Match, stored: Buffer | undefined): Additions {
    const passwordHash = this.findNewHash(candidate, target);
    const totpSecret = stored ? null : candidate.totpSecret;
    const hasOther = stored !== undefined && !this.isSecret(target.id, stored, candidate.totpSecret!);
    return {
      ...{ candidate, passwordHash, totpSecret, warnings: hasOther ? [otherFactorWarning] : [] },
      names: [
        ...(passwordHash === null ? [] : ['passwordHash']),
        ...(totpSecret === null ? [] : ['totpSecret']),
        ...(candidate.passkeys.length === 0 ? [] : ['passkeys']),
        ...(candidate.identities.length === 0 ? [] : ['identities']),
      ],
    };
  }

  /**
   * Returns the hash of a line if the customer has none, or one that no sign-in and no change has replaced since its import. The
   * owner of the address may have removed it.
   */
  private findNewHash({ customer }: Candidate, target: StoredImportTarget): string | null {
    const { passwordHash } = customer;
    const { passwordHash: stored, claimedAt } = target;
    if (passwordHash === null || claimedAt !== null) return null;
    if (stored === null) return passwordHash;
    if (!this.hasher.isImported(stored)) return null;
    const isSame =
      this.readOrNull(() => this.hasher.exportHash(stored)) === this.hasher.exportHash(passwordHash);
    return isSame ? null : passwordHash;
  }

  private isSecret(customerId: string, stored: Buffer, secret: string): boolean {
    return this.readOrNull(() => this.keyring.decrypt('totp-secret', customerId, stored)) === secret;
  }

  /** A value whose secret is no longer in the ring is different from every other value. */
  private readOrNull(read: () => string): string | null {
    try {
      return read();
    } catch (error) {
      if (error instanceof UnreadableValueError) return null;
      throw error;
    }
  }
}
