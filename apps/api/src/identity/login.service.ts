import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ProjectContext } from '#domain';
import {
  CustomersRepository,
  EventsRepository,
  LoginAttemptsRepository,
  Transactions,
  type CustomerWithHash,
  type Tx,
} from '#persistence';
import {
  errorMessage,
  LOGGER,
  PasswordHasher,
  rateLimitHeaders,
  sha256,
  type Logger,
  type RatePolicy,
} from '#platform';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import type { LoginRequest } from './dto/auth.request.js';
import type { AuthResponse } from './dto/auth.response.js';
import { customerEvent, sessionResource } from './identity-events.js';
import { SessionOpener, type Client } from './session-opener.service.js';

/** Failed logins per (project, e-mail) within the window (contract, section 3). */
const failedLogins: RatePolicy = { name: 'failed-login', quota: 10, windowSeconds: 15 * 60 };

const invalidCredentials = (): GatehouseError =>
  new GatehouseError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });

@Injectable()
export class LoginService {
  constructor(
    private readonly attempts: LoginAttemptsRepository,
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpener,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Logs a customer in. An unknown address, a customer without a password and a wrong password answer alike
   * and take alike (requirement PW-08).
   * @throws GatehouseError `too_many_attempts`, `invalid_credentials`, `customer_disabled`, `email_not_verified`,
   *   `overloaded`
   */
  async login(
    project: ProjectContext,
    { email, password }: LoginRequest,
    client: Client,
  ): Promise<AuthResponse> {
    const emailHash = sha256(email);
    await this.takeTry(project, emailHash);
    const customer = await this.customers.findByEmail(project.id, email);
    const hash = customer?.passwordHash ?? null;
    const isRight = await this.hasher.verify(password, hash, client.signal).catch(async (error: unknown) => {
      await this.attempts.giveBack(project.id, emailHash);
      throw error;
    });
    if (!customer || !hash || !isRight) {
      if (customer) this.reportFailure(project, customer);
      throw invalidCredentials();
    }
    // A login that is accepted must not fail for want of a thread; the next one renews the hash.
    const newHash = this.hasher.isOutdated(hash) ? await this.hasher.hash(password).catch(() => null) : null;
    const answer = await this.transactions.run(async (tx) => {
      await this.attempts.forget(tx, project.id, emailHash);
      return (
        refusalOf(customer, project) ?? this.open(tx, project, customer, { old: hash, new: newHash }, client)
      );
    });
    // Thrown after the commit, not in it: the password was right, so the count is forgotten all the same.
    if (answer instanceof GatehouseError) throw answer;
    return answer;
  }

  private async takeTry(project: ProjectContext, emailHash: Buffer): Promise<void> {
    const { tries, secondsLeft } = await this.attempts.take(
      project.id,
      emailHash,
      failedLogins.windowSeconds,
    );
    if (tries <= failedLogins.quota) return;
    const headers = rateLimitHeaders(failedLogins, Math.max(1, secondsLeft));
    throw new GatehouseError('too_many_attempts', { headers });
  }

  private async open(
    tx: Tx,
    project: ProjectContext,
    found: CustomerWithHash,
    hash: { old: string; new: string | null },
    client: Client,
  ): Promise<AuthResponse> {
    const customer = await this.customers.recordLogin(tx, project.id, found.id, hash);
    // Disabled, deleted or given another password since it was read.
    if (!customer) throw invalidCredentials();
    const { tokens, session } = await this.sessions.open(tx, customer, project, client);
    const data = { session: sessionResource(session) };
    await this.events.record(tx, [
      customerEvent('login.succeeded', customer, project, data),
      customerEvent('session.created', customer, project, data),
    ]);
    return { tokens, customer: CustomerSummary.from(customer) };
  }

  /** Off the path of the answer, so that its time tells nothing. */
  private reportFailure(project: ProjectContext, customer: Customer): void {
    this.transactions
      .run(async (tx) => {
        const isDue = await this.customers.claimLoginFailedEvent(tx, project.id, customer.id);
        if (isDue) await this.events.record(tx, [customerEvent('login.failed', customer, project)]);
      })
      .catch((error: unknown) =>
        this.logger.warn({ reason: errorMessage(error) }, 'login.failed was not recorded'),
      );
  }
}

/** Why the right password still does not let this customer in, or null. */
function refusalOf(customer: Customer, { settings }: ProjectContext): GatehouseError | null {
  if (customer.disabledAt) return new GatehouseError('customer_disabled');
  if (settings.requireVerifiedEmail && !customer.emailVerified)
    return new GatehouseError('email_not_verified');
  return null;
}
