import { Inject, Injectable } from '@nestjs/common';
import {
  assertGranted,
  failedAttemptError,
  notSignedInError,
  operatorFailurePolicy,
  type GrantedAttempt,
} from '@gatehouse/auth';
import { browserName, GatehouseError, type Operator } from '@gatehouse/domain';
import {
  OperatorLoginAttemptsRepository,
  Transactions,
  type LoginAllowance,
  type OperatorLoginAttemptResult,
  type OperatorWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import { errorMessage, LOGGER, PasswordHasher, sha256, type Logger } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { Client } from '../http/request-context.js';
import { PasswordVerificationService } from '../passwords/password-verification.service.js';
import { OperatorNoticesService } from './operator-notices.service.js';

/**
 * Key under which operators use the hashing threads, in place of a project id. All operators together get the same
 * share as one project, so neither can starve the other.
 */
const HASHING_SHARE = 'operators';

export interface AuthenticatedOperator extends OperatorWithPasswordHash {
  passwordHash: string;
  /** The allowance that granted the attempt. */
  granted: LoginAllowance;
}

/** Verifies operator passwords, and counts failed passwords, codes and passkeys on all routes. */
@Injectable()
export class OperatorCheckService {
  constructor(
    private readonly attempts: OperatorLoginAttemptsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly verification: PasswordVerificationService,
    private readonly notices: OperatorNoticesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns the operator with this email address if the password is correct. An unknown address, an operator who has
   * not accepted the invitation and a wrong password result in the same response after the same time. The attempt stays
   * counted until the sign-in completes.
   * @throws GatehouseError `overloaded`, `too_many_attempts`, `invalid_credentials`
   */
  async checkPassword(email: string, password: string, client: Client): Promise<AuthenticatedOperator> {
    const counter = {
      count: async () => {
        const { operator, ...counted } = await this.reserveAttempt(email, client);
        return { attempt: counted, owner: operator, decoyHash: null };
      },
      release: (granted: LoginAllowance) => this.attempts.release(sha256(email), granted),
      identify: ({ id }: OperatorWithPasswordHash) => ({ operatorId: id }),
    };
    const { attempt, owner, isCorrect } = await this.verification.verify(
      HASHING_SHARE,
      password,
      counter,
      client,
    );
    assertGranted(operatorFailurePolicy, attempt, subjectOf(owner));
    const hash = owner?.passwordHash;
    if (hash && isCorrect) return { ...owner, passwordHash: hash, granted: attempt.granted };
    const error = owner
      ? this.recordFailure(owner, 'invalid_credentials')
      : notSignedInError('invalid_credentials');
    throw failedAttemptError(operatorFailurePolicy, attempt, error, subjectOf(owner));
  }

  /**
   * Counts an attempt before an operator's code or passkey is verified.
   * @throws GatehouseError `too_many_attempts`
   */
  async countAttempt(email: string, client: Client): Promise<GrantedAttempt<OperatorLoginAttemptResult>> {
    const attempt = await this.reserveAttempt(email, client);
    assertGranted(operatorFailurePolicy, attempt, subjectOf(attempt.operator));
    return attempt;
  }

  private async reserveAttempt(email: string, { addressBlock }: Client): Promise<OperatorLoginAttemptResult> {
    const emailHash = sha256(email);
    const attempt = await this.attempts.reserve({ ...operatorFailurePolicy, email, emailHash, addressBlock });
    if (attempt.granted === 'open' && attempt.attempts === operatorFailurePolicy.quota) {
      this.logger.warn(
        { operatorId: attempt.operator?.id },
        'operator sign-in locked except from known client IPs',
      );
    }
    return attempt;
  }

  /**
   * Records an existing operator's wrong password, code or passkey in the audit log, and returns the error. Only
   * granted attempts are recorded, which limits the number of entries. The entry is written asynchronously, so that the
   * response time reveals nothing.
   */
  recordFailure(
    { id }: Pick<Operator, 'id'>,
    code: 'invalid_credentials' | 'invalid_code' | 'passkey_not_accepted',
  ): GatehouseError {
    const action = code === 'invalid_credentials' ? 'operator.password_failed' : 'operator.code_failed';
    this.transactions
      .run((tx) => this.audit.record(tx, { ...operatorAction(action, { id }), operatorId: id }))
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'audit entry for failed sign-in not written'),
      );
    return notSignedInError(code, { operatorId: id });
  }

  /**
   * Clears the failed attempts of an operator who has completed the sign-in, and saves the client as known.
   * @returns true if the operator had already signed in from the client IP with the same browser
   */
  async recordSuccess(tx: Tx, operator: Operator, client: Client): Promise<boolean> {
    await this.attempts.clear(tx, sha256(operator.email));
    return this.saveClient(tx, operator, client);
  }

  /** Records a completed sign-in, and notifies the operator if the client IP or the browser is new. */
  async recordSignIn(tx: Tx, operator: Operator, client: Client): Promise<void> {
    const wasKnown = await this.recordSuccess(tx, operator, client);
    if (!wasKnown) await this.notices.notifyOwner(tx, 'signed_in', operator, client);
  }

  /**
   * Records a sign-in at the OpenID Provider, and notifies the operator as `recordSignIn` does. The failed attempts
   * stay counted, because the operator has not entered the password.
   */
  async recordSingleSignOn(tx: Tx, operator: Operator, client: Client): Promise<void> {
    const wasKnown = await this.saveClient(tx, operator, client);
    if (!wasKnown) await this.notices.notifyOwner(tx, 'signed_in', operator, client);
  }

  private async saveClient(tx: Tx, { id }: Operator, { addressBlock, userAgent }: Client): Promise<boolean> {
    if (addressBlock === null) return false;
    return this.attempts.saveKnownAddress(tx, id, addressBlock, browserName(userAgent));
  }

  /**
   * Releases the attempt of a signed-in operator whose password, code or passkey was correct. The failures stay
   * counted: otherwise, an attacker with a session and the password could clear them, and guess codes without a limit.
   */
  async releaseAttempt(tx: Tx, email: string, granted: LoginAllowance): Promise<void> {
    await this.attempts.release(sha256(email), granted, tx);
  }

  /** @throws GatehouseError `overloaded`, `request_timeout` */
  hashPassword(password: string, { signal }: Client): Promise<string> {
    return this.hasher.hash(password, { projectId: HASHING_SHARE, signal });
  }

  /**
   * Returns a new hash if the current hash has an outdated scheme, cost or pepper; null if the current hash is up to
   * date or hashing fails.
   */
  async rehashIfOutdated({ passwordHash }: AuthenticatedOperator, password: string): Promise<string | null> {
    if (!this.hasher.isOutdated(passwordHash, 'peppered')) return null;
    return this.hasher.hash(password, { projectId: HASHING_SHARE }).catch(() => null);
  }
}

/** Returns the operator for the log entry of an error. */
const subjectOf = (operator: Operator | null): { operatorId: string } | undefined =>
  operator ? { operatorId: operator.id } : undefined;
