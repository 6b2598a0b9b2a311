import { Injectable } from '@nestjs/common';
import type { LoginAllowance } from '@gatehouse/persistence';
import { PasswordHasher, UnreadableValues, type HashOptions } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';

/** A counted attempt to enter a customer's or an operator's password. */
export interface PasswordAttempt<Owner, Attempt> {
  attempt: Attempt;
  /** The customer or operator with the email address; null if it is unknown. */
  owner: Owner | null;
  /** Hash whose scheme and parameters determine the response time if there is no password. Null stands for a new hash. */
  decoyHash: string | null;
}

/** Functions that count an attempt, and release it if its password could not be verified. */
interface AttemptCount<Owner, Attempt> {
  count: () => Promise<PasswordAttempt<Owner, Attempt>>;
  release: (granted: LoginAllowance) => Promise<void>;
  /** Returns the ids to log if the owner's hash cannot be verified. */
  identify: (owner: Owner) => Record<string, string>;
}

interface VerifiedPassword<Owner, Attempt> extends Omit<PasswordAttempt<Owner, Attempt>, 'decoyHash'> {
  /** False if the owner is unknown or has no password. Callers must ignore it if the attempt was rejected. */
  isCorrect: boolean;
}

/** Verifies customer and operator passwords. */
@Injectable()
export class PasswordVerificationService {
  constructor(
    private readonly hasher: PasswordHasher,
    private readonly unreadable: UnreadableValues,
  ) {}

  /**
   * Counts an attempt, and then verifies its password. An unknown email address, an owner without a password, a hash
   * whose entry in GATEHOUSE_SECRET is missing and a rejected attempt take the same time as a wrong password.
   * Otherwise, the duration would reveal who is registered, and whether the client IP is known (requirement PW-08, ADR
   * 0035).
   * @param share the project id, or the name under which operators share the hashing threads
   * @throws GatehouseError `overloaded`, `request_timeout`
   */
  async verify<
    Owner extends { passwordHash: string | null },
    Attempt extends { granted: LoginAllowance | null },
  >(
    share: string,
    password: string,
    { count, release, identify }: AttemptCount<Owner, Attempt>,
    { signal }: Client,
  ): Promise<VerifiedPassword<Owner, Attempt>> {
    // The cheapest check comes first: a request that would wait too long for a thread executes no query.
    const permit = this.hasher.reserve(share);
    try {
      const { attempt, owner, decoyHash } = await count();
      const hash = owner?.passwordHash ?? null;
      const options = { projectId: share, signal, permit };
      const isCorrect = await this.verifyHash(password, hash, decoyHash, options).catch(
        async (error: unknown) => {
          if (attempt.granted) await release(attempt.granted);
          throw error;
        },
      );
      const problem = owner?.passwordHash && attempt.granted && this.hasher.findProblem(owner.passwordHash);
      if (problem) this.unreadable.report(problem, identify(owner));
      return { attempt, owner, isCorrect };
    } finally {
      permit.release();
    }
  }

  private async verifyHash(
    password: string,
    hash: string | null,
    decoyHash: string | null,
    options: HashOptions,
  ): Promise<boolean> {
    if (hash) return this.hasher.verify(password, hash, options);
    await this.hasher.verifyDecoy(password, decoyHash, options);
    return false;
  }
}
