import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext } from '#domain';
import {
  CustomersRepository,
  EventsRepository,
  LoginAttemptsRepository,
  Transactions,
  type CustomerWithHash,
  type LoginGrant,
  type LoginTries,
  type NewEvent,
  type Tx,
} from '#persistence';
import {
  errorMessage,
  LOGGER,
  PasswordHasher,
  rateLimitHeaders,
  sha256,
  type HashPlace,
  type Logger,
  type RatePolicy,
} from '#platform';
import { customerEvent } from '../customers/customer-events.js';
import type { Client } from '../http/request-context.js';

/** Failed logins per (project, e-mail) within the window, for everybody and for known addresses (contract, section 3). */
const failedLogins: RatePolicy = { name: 'failed-login', quota: 10, windowSeconds: 15 * 60 };

/** A customer who has just proved to know their password. */
export type ProvenCustomer = CustomerWithHash & { passwordHash: string };

/** The one place where a customer's password is asked for: every route that takes one shares its count of failures. */
@Injectable()
export class PasswordCheck {
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
   * The customer, who is logged in already and gives the password once more.
   * @param field the one field of the request that holds it
   * Forgets the failures.
   * @throws GatehouseError as `check` does, naming the field
   */
  async confirm(
    project: ProjectContext,
    email: string,
    field: Record<string, string>,
    client: Client,
  ): Promise<ProvenCustomer> {
    const [[name, password] = ['', '']] = Object.entries(field);
    const proven = await this.check(project, email, password, client).catch((error: unknown) => {
      if (!(error instanceof GatehouseError) || error.code !== 'invalid_credentials') throw error;
      const errors = [{ field: name, code: 'wrong', message: `${name} is not the customer's password` }];
      throw new GatehouseError(error.code, { ...error.details, detail: 'The password is wrong.', errors });
    });
    await this.forget(proven);
    return proven;
  }

  /** Forgets the failures of a customer whose password was right. */
  async forget({ projectId, email }: Customer): Promise<void> {
    await this.attempts.forget(projectId, sha256(email));
  }

  /** Lets everybody try again. @returns the event to record, none unless the failures had locked the customer */
  async unlock(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    const tries = await this.attempts.forget(project.id, sha256(customer.email), tx);
    return tries < failedLogins.quota ? [] : [customerEvent('customer.unlocked', customer, project)];
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
    if (customer && hash && isRight) return { ...customer, passwordHash: hash };
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
        const isDue = await this.customers.claimLoginFailedEvent(tx, project.id, customer.id);
        await this.events.record(tx, [
          ...(isDue ? [customerEvent('login.failed', customer, project)] : []),
          ...(isLocked ? [customerEvent('customer.locked', customer, project)] : []),
        ]);
      })
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'a failed login was not recorded'),
      );
  }
}

/** 401 `invalid_credentials`: one answer, whatever was wrong (requirement PW-08). */
export const invalidCredentials = (): GatehouseError =>
  new GatehouseError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });
