import { Inject, Injectable } from '@nestjs/common';
import { notSignedIn } from '@gatehouse/auth';
import { GatehouseError, type Operator } from '@gatehouse/domain';
import {
  OperatorLoginAttemptsRepository,
  Transactions,
  type LoginGrant,
  type OperatorLoginAttemptResult,
  type OperatorWithPasswordHash,
  type Tx,
} from '@gatehouse/persistence';
import {
  errorMessage,
  LOGGER,
  PasswordHasher,
  rateLimitHeaders,
  sha256,
  type HashPermit,
  type Logger,
  type RateLimitPolicy,
} from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import type { Client } from '../http/request-context.js';

/** Failures per e-mail within the window, for everybody and for known addresses: of passwords and codes together. */
const failurePolicy: RateLimitPolicy = { name: 'failed-operator-login', quota: 10, windowSeconds: 15 * 60 };

/** Operators have a share of the threads that hash like a project, so that neither keeps out the other. */
const HASHING_SHARE = 'operators';

export type AuthenticatedOperator = OperatorWithPasswordHash & { passwordHash: string };

/** The one place where an operator's password is asked for, and where failures of passwords and codes are counted. */
@Injectable()
export class OperatorCheckService {
  constructor(
    private readonly attempts: OperatorLoginAttemptsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The operator of this address, if the password is theirs. An unknown address, one that is only invited and a wrong
   * password answer alike and take alike. The try stays counted until somebody is signed in.
   * @throws GatehouseError `overloaded`, `too_many_attempts`, `invalid_credentials`
   */
  async checkPassword(email: string, password: string, client: Client): Promise<AuthenticatedOperator> {
    const place = this.hasher.reserve(HASHING_SHARE);
    try {
      return await this.checkPasswordWithPermit(place, email, password, client);
    } finally {
      place.release();
    }
  }

  /**
   * Counts a try of an operator's code before it is looked at.
   * @throws GatehouseError `too_many_attempts`
   */
  async takeAttempt(
    email: string,
    { addressBlock }: Client,
  ): Promise<OperatorLoginAttemptResult & { granted: LoginGrant }> {
    const { quota, windowSeconds } = failurePolicy;
    const emailHash = sha256(email);
    const taken = await this.attempts.reserve({ quota, windowSeconds, email, emailHash, addressBlock });
    const { granted } = taken;
    if (!granted) {
      const headers = rateLimitHeaders(failurePolicy, Math.max(1, taken.secondsLeft));
      const about = taken.operator ? { operatorId: taken.operator.id } : undefined;
      throw new GatehouseError('too_many_attempts', { headers, subject: about });
    }
    if (granted === 'open' && taken.tries === quota) {
      this.logger.warn(
        { operatorId: taken.operator?.id },
        'operator sign-in locked except from known addresses',
      );
    }
    return { ...taken, granted };
  }

  /**
   * The refusal of a wrong password or code of somebody who is known. It is in the audit log, at most as often as tries
   * are granted; off the path of the answer, so that its time tells nothing.
   */
  recordFailure({ id }: Pick<Operator, 'id'>, code: 'invalid_credentials' | 'invalid_code'): GatehouseError {
    const action = code === 'invalid_code' ? 'operator.code_failed' : 'operator.password_failed';
    this.transactions
      .runInNewTransaction((tx) =>
        this.audit.record(tx, { ...operatorAction(action, { id }), operatorId: id }),
      )
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'audit entry of a failed sign-in not written'),
      );
    return notSignedIn(code, { operatorId: id });
  }

  /** Forgets the failures of somebody who proved both factors, and remembers where they are. */
  async recordSuccess(tx: Tx, { id, email }: Operator, { addressBlock }: Client): Promise<void> {
    await this.forgetFailures(tx, email);
    if (addressBlock !== null) await this.attempts.saveKnownAddress(tx, id, addressBlock);
  }

  /** Forgets the failures of somebody who is in. */
  async forgetFailures(tx: Tx, email: string): Promise<void> {
    await this.attempts.clear(sha256(email), tx);
  }

  /** @throws GatehouseError `overloaded`, `request_timeout` */
  hashPassword(password: string, { signal }: Client): Promise<string> {
    return this.hasher.hash(password, { projectId: HASHING_SHARE, signal });
  }

  /** The hash to put in place of one that was made in another way than a new one would be; null for a good one. */
  async rehashIfOutdated({ passwordHash }: AuthenticatedOperator, password: string): Promise<string | null> {
    if (!this.hasher.isOutdated(passwordHash)) return null;
    return this.hasher.hash(password, { projectId: HASHING_SHARE }).catch(() => null);
  }

  private async checkPasswordWithPermit(
    permit: HashPermit,
    email: string,
    password: string,
    client: Client,
  ): Promise<AuthenticatedOperator> {
    const { granted, operator } = await this.takeAttempt(email, client);
    const hash = operator?.passwordHash ?? null;
    const isRight = await this.hasher
      .verify(password, hash, { projectId: HASHING_SHARE, signal: client.signal, permit })
      .catch(async (error: unknown) => {
        await this.attempts.release(sha256(email), granted);
        throw error;
      });
    if (operator && hash && isRight) return { ...operator, passwordHash: hash };
    throw operator ? this.recordFailure(operator, 'invalid_credentials') : notSignedIn('invalid_credentials');
  }
}
