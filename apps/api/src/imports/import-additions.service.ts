import { Injectable } from '@nestjs/common';
import type { FieldError, ImportPlan, ProjectContext } from '@gatehouse/domain';
import { FactorsRepository, type StoredImportTarget, type TotpFactor, type Tx } from '@gatehouse/persistence';
import { Keyring, newId, PasswordHasher, UnreadableValueError } from '@gatehouse/platform';
import type { SeenValues } from './seen-values.js';
import { ImportedIdentitiesService } from './imported-identities.service.js';
import { ImportedPasskeysService } from './imported-passkeys.service.js';
import type { Candidate } from './import-lines.service.js';
import { rootOf } from './omitted-values.js';
import { keptWarning, missingWarning, otherFactorWarning } from './update-messages.js';

/** The values that a line adds to an existing customer. */
export interface Additions {
  /** The line, reduced to the passkeys and identities that the customer lacks. */
  candidate: Candidate;
  /** The new password hash; null if the stored one stays. */
  passwordHash: string | null;
  /** New authenticator secret in base32, or null. */
  totpSecret: string | null;
  /** Names of the fields that add something. */
  names: string[];
  /** Warnings about values that are not added to the customer. */
  warnings: FieldError[];
}

interface Match {
  candidate: Candidate;
  target: StoredImportTarget;
  plan: Pick<ImportPlan, 'wasApplied'>;
}

/** Adds credentials to existing customers. Never removes a credential, and replaces only imported passwords. */
@Injectable()
export class ImportAdditionsService {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly passkeys: ImportedPasskeysService,
    private readonly identities: ImportedIdentitiesService,
    private readonly hasher: PasswordHasher,
    private readonly keyring: Keyring,
  ) {}

  /** Returns the values that each line adds. Removes from the line the values that cannot be added. */
  async find(
    tx: Tx,
    project: ProjectContext,
    matches: Match[],
    seen: SeenValues,
  ): Promise<Map<Candidate, Additions>> {
    const candidates = matches.map(({ candidate }) => candidate);
    await this.passkeys.omitTaken(tx, project, candidates, seen);
    await this.identities.omitUnusable(tx, project, candidates, seen);
    const withSecret = matches.filter(({ candidate }) => candidate.totpSecret !== null);
    const secrets =
      withSecret.length === 0
        ? new Map<string, Buffer[]>()
        : await this.factors.listSecretsByCustomers(
            tx,
            withSecret.map(({ target }) => target.id),
          );
    return new Map(
      matches.map((match) => [match.candidate, this.compare(match, secrets.get(match.target.id) ?? [])]),
    );
  }

  /**
   * Inserts the additions, except for password hashes.
   * @returns the authenticator apps by customer id
   */
  async insert(tx: Tx, project: ProjectContext, additions: Additions[]): Promise<Map<string, TotpFactor>> {
    const candidates = additions.map(({ candidate }) => candidate);
    const factors = await this.insertFactors(
      tx,
      additions.map(({ candidate, totpSecret }) => ({ customer: candidate.customer, totpSecret })),
    );
    await this.passkeys.insert(tx, project, candidates);
    await this.identities.insert(tx, project, candidates);
    return factors;
  }

  /**
   * Inserts authenticator apps for customers that have none.
   * @returns the apps by customer id
   */
  async insertFactors(
    tx: Tx,
    lines: { customer: { id: string }; totpSecret: string | null }[],
  ): Promise<Map<string, TotpFactor>> {
    const factors = lines.flatMap(({ customer: { id: customerId }, totpSecret }) =>
      totpSecret
        ? [{ id: newId(), customerId, secret: this.keyring.encrypt('totp-secret', customerId, totpSecret) }]
        : [],
    );
    if (factors.length === 0) return new Map();
    const inserted = await this.factors.insertImported(tx, factors);
    return new Map(inserted.map(({ customerId, ...factor }) => [customerId, factor]));
  }

  /**
   * @param stored encrypted secrets of the customer's authenticator apps
   */
  private compare({ candidate, target, plan }: Match, stored: Buffer[]): Additions {
    // Gatehouse does not record removals, so the customer may have removed any credential that is missing.
    const mayAdd = target.claimedAt === null && target.importUpdatedAt !== null;
    const names: string[] = [];
    const warnings: FieldError[] = [];
    const password = this.comparePassword(candidate, target, mayAdd);
    if (password === 'new') names.push('passwordHash');
    if (password === 'kept' && !plan.wasApplied)
      warnings.push(keptWarning(candidate.input.password === undefined ? 'passwordHash' : 'password'));
    const totpSecret = this.findNewSecret(candidate, target, stored);
    const missing = [
      ...(totpSecret !== null && stored.length === 0 ? ['totpSecret'] : []),
      ...candidate.passkeys.map(({ position }) => `passkeys.${position}`),
      ...candidate.identities.map(({ position }) => `identities.${position}`),
    ];
    if (totpSecret !== null && stored.length > 0) warnings.push(otherFactorWarning);
    if (mayAdd) names.push(...new Set(missing.map(rootOf)));
    else {
      warnings.push(...missing.map(missingWarning));
      Object.assign(candidate, { passkeys: [], identities: [] });
    }
    return {
      ...{ candidate, names, warnings },
      passwordHash: password === 'new' ? candidate.customer.passwordHash : null,
      totpSecret: names.includes('totpSecret') ? totpSecret : null,
    };
  }

  /**
   * Compares the passwords:
   * - `same`: they are equal.
   * - `new`: the customer has no password, or still has an imported one.
   * - `kept`: the customer has set a password, or the owner of the address has claimed the account. The owner may have
   *   removed the password.
   */
  private comparePassword(
    { customer, input }: Candidate,
    { passwordHash: stored, claimedAt }: StoredImportTarget,
    mayAdd: boolean,
  ): 'same' | 'new' | 'kept' {
    const { passwordHash } = customer;
    if (passwordHash === null && input.password === undefined) return 'same';
    if (passwordHash !== null && stored !== null) {
      const current = this.readOrNull(() => this.hasher.exportHash(stored));
      if (current === this.hasher.exportHash(passwordHash)) return 'same';
    }
    const isReplaceable = stored === null ? mayAdd : this.hasher.isImported(stored);
    return claimedAt === null && isReplaceable ? 'new' : 'kept';
  }

  /** Returns a line's authenticator secret, or null if the customer already has it. */
  private findNewSecret(
    { totpSecret }: Candidate,
    { id }: StoredImportTarget,
    stored: Buffer[],
  ): string | null {
    const isKnown =
      totpSecret !== null && stored.some((secret) => this.matchesSecret(id, secret, totpSecret));
    return isKnown ? null : totpSecret;
  }

  private matchesSecret(customerId: string, stored: Buffer, secret: string): boolean {
    return this.readOrNull(() => this.keyring.decrypt('totp-secret', customerId, stored)) === secret;
  }

  /** Returns null if the key for the value is no longer in the ring. Null never equals a value from a line. */
  private readOrNull(read: () => string): string | null {
    try {
      return read();
    } catch (error) {
      if (error instanceof UnreadableValueError) return null;
      throw error;
    }
  }
}
