import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type Customer, type ErrorCode, type ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, EventsRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { ApiMetrics, PasswordHasher, sha256, type LoginResult } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { CustomerSummary } from '../customers/dto/customer.response.js';
import type { Client } from '../http/request-context.js';
import { SessionResponse } from '../sessions/dto/session.response.js';
import { SessionOpenerService } from '../sessions/session-opener.service.js';
import type { LoginRequest } from './dto/auth.request.js';
import type { AuthResponse } from './dto/auth.response.js';
import {
  invalidCredentials,
  PasswordCheckService,
  type AuthenticatedCustomer,
} from '../passwords/password-check.service.js';

/** How a refusal is counted; whatever else goes wrong is an `error`. */
const refusalResults: Partial<Record<ErrorCode, LoginResult>> = {
  invalid_credentials: 'invalid',
  too_many_attempts: 'throttled',
  customer_disabled: 'disabled',
  email_not_verified: 'unverified',
  overloaded: 'overloaded',
  request_timeout: 'aborted',
};

/** A login by e-mail and password. */
@Injectable()
export class LoginService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpenerService,
    @Inject(ApiMetrics) private readonly metrics: ApiMetrics | null,
  ) {}

  /**
   * Logs a customer in, and renews a password hash that was made in another way than a new one would be.
   * @throws GatehouseError `too_many_attempts`, `invalid_credentials`, `customer_disabled`, `email_not_verified`,
   *   `overloaded`
   */
  async login(project: ProjectContext, request: LoginRequest, client: Client): Promise<AuthResponse> {
    try {
      const opened = await this.authenticate(project, request, client);
      this.metrics?.recordLogin('success');
      return opened;
    } catch (error) {
      this.metrics?.recordLogin((error instanceof GatehouseError && refusalResults[error.code]) || 'error');
      throw error;
    }
  }

  private async authenticate(
    project: ProjectContext,
    { email, password }: LoginRequest,
    client: Client,
  ): Promise<AuthResponse> {
    const customer = await this.passwords.check(project, email, password, client);
    const refusal = loginRefusal(customer, project);
    if (refusal) {
      await this.passwords.forgetFailures(project, customer);
      throw refusal;
    }
    const newHash = await this.rehashIfOutdated(project, customer, password);
    const opened = await this.transactions.run((tx) =>
      this.openSession(tx, project, customer, newHash, client),
    );
    if (opened) return opened;
    const renewed = await this.reloadAfterRehash(project, customer, password, client);
    const again = await this.transactions.run((tx) => this.openSession(tx, project, renewed, null, client));
    if (!again) throw invalidCredentials();
    return again;
  }

  /**
   * The customer as they are now, if it was only a login at the same time that renewed the hash.
   * @throws GatehouseError `invalid_credentials` for one who was disabled, deleted or given another password since
   */
  private async reloadAfterRehash(
    project: ProjectContext,
    { id, email, granted }: AuthenticatedCustomer,
    password: string,
    { signal }: Client,
  ): Promise<AuthenticatedCustomer> {
    const current = await this.customers.findByEmail(project.id, email);
    const hash = current?.passwordHash;
    const isSame = hash && current.id === id && !current.disabledAt;
    if (isSame && (await this.hasher.verify(password, hash, { projectId: project.id, signal }))) {
      return { ...current, passwordHash: hash, granted };
    }
    throw invalidCredentials();
  }

  /** A login that is accepted must not fail for want of a thread; the next one renews the hash. */
  private async rehashIfOutdated(
    project: ProjectContext,
    customer: AuthenticatedCustomer,
    password: string,
  ): Promise<string | null> {
    if (!this.hasher.isOutdated(customer.passwordHash)) return null;
    return this.hasher.hash(password, { projectId: project.id }).catch(() => null);
  }

  private async openSession(
    tx: Tx,
    project: ProjectContext,
    found: AuthenticatedCustomer,
    newHash: string | null,
    client: Client,
  ): Promise<AuthResponse | null> {
    const hash = { old: found.passwordHash, new: newHash };
    const recorded = await this.customers.recordLogin(tx, found, hash, sha256(found.email));
    // Disabled, deleted or given another hash since it was read.
    if (!recorded) return null;
    const { customer } = recorded;
    const { tokens, session } = await this.sessions.open(tx, customer, project, client);
    const data = { session: SessionResponse.from(session) };
    await this.events.record(tx, [
      ...this.passwords.loginUnlockEvents(project, found, recorded),
      customerEvent('login.succeeded', customer, project, data),
      customerEvent('session.created', customer, project, data),
    ]);
    return { tokens, customer: CustomerSummary.from(customer) };
  }
}

/** Why the right password still does not let this customer in, or null. */
function loginRefusal(customer: Customer, { settings }: ProjectContext): GatehouseError | null {
  if (customer.disabledAt) return new GatehouseError('customer_disabled');
  if (customer.emailVerified) return null;
  // Whoever has just registered the address with this password would learn that it had been free.
  if (settings.enumerationProtection) return invalidCredentials();
  return settings.requireVerifiedEmail ? new GatehouseError('email_not_verified') : null;
}
