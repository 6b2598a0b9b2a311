import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  LoginAttemptsRepository,
  Transactions,
  type CustomerWithHash,
  type LoginGrant,
  type LoginTries,
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
  type HashPlace,
  type Logger,
  type RatePolicy,
} from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import type { Client } from '../http/request-context.js';

/** Failed logins per (project, e-mail) within the window, for everybody and for known addresses (contract, section 3). */
const failedLogins: RatePolicy = { name: 'failed-login', quota: 10, windowSeconds: 15 * 60 };

/** A customer who has just proved to know their password, and the allowance that let them try. */
export type ProvenCustomer = CustomerWithHash & { passwordHash: string; granted: LoginGrant };

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
  ): Promise<ProvenCustomer> {
    // Cheapest first: who would have to wait too long for a thread costs no query.
    const place = this.hasher.reserve(project.id);
    try {
      return await this.checkAt(place, project, email, password, client);
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
  ): Promise<ProvenCustomer> {
    const [[name, password] = ['', '']] = Object.entries(field);
    try {
      const proven = await this.check(project, email, password, client);
      // The address can have passed to somebody else since the customer was read.
      if (proven.id !== id) throw invalidCredentials();
      await this.forget(project, proven);
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
  async lockProven(tx: Tx, { projectId, id, passwordHash }: ProvenCustomer): Promise<CustomerWithHash> {
    const current = await this.customers.lock(tx, projectId, id);
    if (current?.passwordHash !== passwordHash || current.disabledAt) throw invalidCredentials();
    return current;
  }

  /** Forgets the failures of a customer whose password was right, which ends a lock. */
  async forget(project: ProjectContext, proven: ProvenCustomer): Promise<void> {
    if (proven.granted === 'open') {
      await this.attempts.forget(project.id, sha256(proven.email));
      return;
    }
    await this.transactions.apart(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, proven.id);
      if (customer) await this.events.record(tx, await this.unlock(tx, project, customer));
    });
  }

  /**
   * Lets everybody try again; the caller holds the customer's row, so that nothing is told of one who is deleted.
   * @returns the event to record, none unless the failures had locked the customer
   */
  async unlock(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    const tries = await this.attempts.forget(project.id, sha256(customer.email), tx);
    return endOfLock(project, customer, tries);
  }

  /** Unlocks a customer, and lets no address they logged in from try more often than others: it can be an intruder's. */
  async startAfresh(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    await this.attempts.forgetAddresses(tx, customer.id);
    return this.unlock(tx, project, customer);
  }

  /** The event of a login that ended a lock. The tenth try, if it is the right one, was not locked out. */
  unlockedByLogin(
    project: ProjectContext,
    { granted }: ProvenCustomer,
    { customer, forgottenTries }: RecordedLogin,
  ): NewEvent[] {
    return granted === 'known' ? endOfLock(project, customer, forgottenTries) : [];
  }

  private async checkAt(
    place: HashPlace,
    project: ProjectContext,
    email: string,
    password: string,
    client: Client,
  ): Promise<ProvenCustomer> {
    const emailHash = sha256(email);
    const { granted, tries, customer } = await this.takeTry(project, email, emailHash, client);
    const hash = customer?.passwordHash ?? null;
    const caller = { projectId: project.id, signal: client.signal, place };
    const isRight = await this.hasher.verify(password, hash, caller).catch(async (error: unknown) => {
      await this.attempts.giveBack(project.id, emailHash, granted);
      throw error;
    });
    if (customer && hash && isRight) return { ...customer, passwordHash: hash, granted };
    if (customer) this.reportFailure(project, customer, tries === failedLogins.quota && granted === 'open');
    throw invalidCredentials();
  }

  private async takeTry(
    project: ProjectContext,
    email: string,
    emailHash: Buffer,
    { addressBlock }: Client,
  ): Promise<LoginTries & { granted: LoginGrant }> {
    const { quota, windowSeconds } = failedLogins;
    const attempt = { quota, windowSeconds, email, emailHash, addressBlock };
    const taken = await this.attempts.take(project.id, attempt);
    if (taken.granted) return { ...taken, granted: taken.granted };
    const headers = rateLimitHeaders(failedLogins, Math.max(1, taken.secondsLeft));
    throw new GatehouseError('too_many_attempts', { headers });
  }

  /** Off the path of the answer, so that its time tells nothing. */
  private reportFailure(project: ProjectContext, customer: Customer, isLocked: boolean): void {
    this.transactions
      .apart(async (tx) => {
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

const endOfLock = (project: ProjectContext, customer: Customer, forgottenTries: number): NewEvent[] =>
  forgottenTries < failedLogins.quota ? [] : [customerEvent('customer.unlocked', customer, project)];

/** 401 `invalid_credentials`: one answer, whatever was wrong (requirement PW-08). */
export const invalidCredentials = (): GatehouseError =>
  new GatehouseError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });
