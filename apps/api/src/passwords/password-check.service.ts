import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  LoginAttemptsRepository,
  Transactions,
  type CustomerWithPasswordHash,
  type LoginGrant,
  type LoginAttemptResult,
  type NewEvent,
  type RecordedLogin,
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
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';

/** Failed logins per (project, e-mail) within the window, for everybody and for known addresses (contract, section 3). */
const failedLoginPolicy: RateLimitPolicy = { name: 'failed-login', quota: 10, windowSeconds: 15 * 60 };

/** A customer who has just proved to know their password, and the allowance that let them try. */
export type AuthenticatedCustomer = CustomerWithPasswordHash & { passwordHash: string; granted: LoginGrant };

/** The one place where a customer's password is asked for: every route that takes one shares its count of failures. */
@Injectable()
export class PasswordCheckService {
  constructor(
    private readonly attempts: LoginAttemptsRepository,
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The customer of this address, if the password is theirs. An unknown address, a customer without a password
   * and a wrong password answer alike and take alike (requirement PW-08). The failures stay counted: `forget`.
   * @throws GatehouseError `overloaded`, `too_many_attempts`, `invalid_credentials`
   */
  async check(
    project: ProjectContext,
    email: string,
    password: string,
    client: Client,
  ): Promise<AuthenticatedCustomer> {
    // Cheapest first: who would have to wait too long for a thread costs no query.
    const place = this.hasher.reserve(project.id);
    try {
      return await this.checkWithPermit(place, project, email, password, client);
    } finally {
      place.release();
    }
  }

  /**
   * The customer, who is logged in already and gives the password once more. Forgets the failures.
   * @param field the one field of the request that holds it
   * @throws GatehouseError as `check` does, naming the field
   */
  async confirm(
    project: ProjectContext,
    { id, email }: Customer,
    field: Record<string, string>,
    client: Client,
  ): Promise<AuthenticatedCustomer> {
    const [[name, password] = ['', '']] = Object.entries(field);
    try {
      const proven = await this.check(project, email, password, client);
      // The address can have passed to somebody else since the customer was read.
      if (proven.id !== id) throw invalidCredentials();
      await this.forgetFailures(project, proven);
      return proven;
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'invalid_credentials') throw error;
      const errors = [{ field: name, code: 'wrong', message: `${name} is incorrect` }];
      throw new GatehouseError(error.code, {
        ...error.details,
        detail: 'The password is incorrect.',
        errors,
      });
    }
  }

  /**
   * Holds the row of a customer for the change that their password allows.
   * @throws GatehouseError `invalid_credentials` for one who was deleted, disabled or given another password since
   */
  async lockAuthenticated(
    tx: Tx,
    { projectId, id, passwordHash }: AuthenticatedCustomer,
  ): Promise<CustomerWithPasswordHash> {
    const current = await this.customers.lock(tx, projectId, id);
    if (current?.passwordHash !== passwordHash || current.disabledAt) throw invalidCredentials();
    return current;
  }

  /** Forgets the failures of a customer whose password was right, which ends a lock. */
  async forgetFailures(project: ProjectContext, proven: AuthenticatedCustomer): Promise<void> {
    if (proven.granted === 'open') {
      await this.attempts.clear(project.id, sha256(proven.email));
      return;
    }
    await this.transactions.runInNewTransaction(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, proven.id);
      if (customer) await this.events.record(tx, await this.unlock(tx, project, customer));
    });
  }

  /**
   * Lets everybody try again; the caller holds the customer's row, so that nothing is told of one who is deleted.
   * @returns the event to record, none unless the failures had locked the customer
   */
  async unlock(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    const tries = await this.attempts.clear(project.id, sha256(customer.email), tx);
    return unlockEvents(project, customer, tries);
  }

  /** Unlocks a customer, and lets no address they logged in from try more often than others: it can be an intruder's. */
  async unlockAndForgetAddresses(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    await this.attempts.deleteKnownAddresses(tx, customer.id);
    return this.unlock(tx, project, customer);
  }

  /** The event of a login that ended a lock. The tenth try, if it is the right one, was not locked out. */
  loginUnlockEvents(
    project: ProjectContext,
    { granted }: AuthenticatedCustomer,
    { customer, clearedAttempts }: RecordedLogin,
  ): NewEvent[] {
    return granted === 'known' ? unlockEvents(project, customer, clearedAttempts) : [];
  }

  private async checkWithPermit(
    permit: HashPermit,
    project: ProjectContext,
    email: string,
    password: string,
    client: Client,
  ): Promise<AuthenticatedCustomer> {
    const emailHash = sha256(email);
    const { granted, tries, customer } = await this.takeAttempt(project, email, emailHash, client);
    const hash = customer?.passwordHash ?? null;
    const options = { projectId: project.id, signal: client.signal, permit };
    const isRight = await this.hasher.verify(password, hash, options).catch(async (error: unknown) => {
      await this.attempts.release(project.id, emailHash, granted);
      throw error;
    });
    if (customer && hash && isRight) return { ...customer, passwordHash: hash, granted };
    if (customer)
      this.reportFailure(project, customer, tries === failedLoginPolicy.quota && granted === 'open');
    throw invalidCredentials();
  }

  private async takeAttempt(
    project: ProjectContext,
    email: string,
    emailHash: Buffer,
    { addressBlock }: Client,
  ): Promise<LoginAttemptResult & { granted: LoginGrant }> {
    const { quota, windowSeconds } = failedLoginPolicy;
    const attempt = { quota, windowSeconds, email, emailHash, addressBlock };
    const taken = await this.attempts.reserve(project.id, attempt);
    if (taken.granted) return { ...taken, granted: taken.granted };
    const headers = rateLimitHeaders(failedLoginPolicy, Math.max(1, taken.secondsLeft));
    throw new GatehouseError('too_many_attempts', { headers });
  }

  /** Off the path of the answer, so that its time tells nothing. */
  private reportFailure(project: ProjectContext, customer: Customer, isLocked: boolean): void {
    this.transactions
      .runInNewTransaction(async (tx) => {
        if (!(await this.customers.lock(tx, project.id, customer.id))) return;
        const isDue = await this.customers.claimLoginFailedEvent(tx, project.id, customer.id);
        if (!isDue && !isLocked) return;
        const current = await this.customers.lock(tx, project.id, customer.id);
        // Deleted meanwhile, and nothing may follow that.
        if (!current) return;
        await this.events.record(tx, [
          ...(isDue ? [customerEvent('login.failed', current, project)] : []),
          ...(isLocked ? [customerEvent('customer.locked', current, project)] : []),
        ]);
      })
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'failed sign-in not recorded'),
      );
  }
}

const unlockEvents = (project: ProjectContext, customer: Customer, forgottenTries: number): NewEvent[] =>
  forgottenTries < failedLoginPolicy.quota ? [] : [customerEvent('customer.unlocked', customer, project)];

/** 401 `invalid_credentials`: one answer, whatever was wrong (requirement PW-08). */
export const invalidCredentials = (): GatehouseError =>
  new GatehouseError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });
