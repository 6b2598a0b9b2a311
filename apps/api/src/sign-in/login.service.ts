import { Inject, Injectable } from '@nestjs/common';
import { GatehouseError, type ErrorCode, type ProjectContext } from '@gatehouse/domain';
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

/** Result with which each error code is counted in the metrics. All other errors are counted as `error`. */
const refusalResults: Partial<Record<ErrorCode, LoginResult>> = {
  invalid_credentials: 'invalid',
  too_many_attempts: 'throttled',
  customer_disabled: 'disabled',
  email_not_verified: 'unverified',
  overloaded: 'overloaded',
  request_timeout: 'aborted',
};

/** Signs customers in with email address and password. */
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
   * Signs a customer in, and renews the password hash if its scheme, cost or pepper is outdated.
   * @throws GatehouseError `too_many_attempts`, `invalid_credentials`, `customer_disabled`,
   *   `email_not_verified`, `overloaded`
   */
  async login(project: ProjectContext, request: LoginRequest, client: Client): Promise<AuthResponse> {
    try {
      const response = await this.authenticate(project, request, client);
      this.metrics?.recordLogin('success');
      return response;
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
    await this.assertMaySignIn(project, customer);
    const newHash = await this.rehashIfOutdated(project, customer, password);
    const opened = await this.transactions.run((tx) =>
      this.openSession(tx, project, customer, newHash, client),
    );
    if (opened) return opened;
    const renewed = await this.reloadAfterRehash(project, customer, password, client);
    const retried = await this.transactions.run((tx) => this.openSession(tx, project, renewed, null, client));
    if (!retried) throw invalidCredentials();
    return retried;
  }

  /**
   * Rejects a customer who may not sign in despite the correct password.
   * @throws GatehouseError `customer_disabled`, `email_not_verified`; the error of a wrong password
   */
  private async assertMaySignIn(project: ProjectContext, customer: AuthenticatedCustomer): Promise<void> {
    const { enumerationProtection, requireVerifiedEmail } = project.settings;
    const isUnverified = !customer.emailVerified && (enumerationProtection || requireVerifiedEmail);
    if (!customer.disabledAt && !isUnverified) return;
    // Otherwise the caller who has just registered this address would learn that it was not taken.
    if (!customer.disabledAt && enumerationProtection)
      throw this.passwords.failAuthenticated(project, customer);
    await this.passwords.releaseAttempt(project, customer);
    throw new GatehouseError(customer.disabledAt ? 'customer_disabled' : 'email_not_verified');
  }

  /**
   * Returns the current customer if only a concurrent login has renewed the hash.
   * @throws GatehouseError `invalid_credentials` if the customer was disabled, deleted or given a new
   *   password in the meantime
   */
  private async reloadAfterRehash(
    project: ProjectContext,
    { id, email, attempt }: AuthenticatedCustomer,
    password: string,
    { signal }: Client,
  ): Promise<AuthenticatedCustomer> {
    const current = await this.customers.findByEmail(project.id, email);
    const hash = current?.passwordHash;
    const isSame = hash && current.id === id && !current.disabledAt;
    if (isSame && (await this.hasher.verify(password, hash, { projectId: project.id, signal }))) {
      return { ...current, passwordHash: hash, attempt };
    }
    throw invalidCredentials();
  }

  /**
   * Returns a new hash if the current one is outdated, otherwise null. Also returns null if no hashing thread
   * is available: the login must not fail for that, and the next login renews the hash.
   */
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
    authenticated: AuthenticatedCustomer,
    newHash: string | null,
    client: Client,
  ): Promise<AuthResponse | null> {
    const hash = { old: authenticated.passwordHash, new: newHash };
    const recorded = await this.customers.recordLogin(tx, authenticated, hash, sha256(authenticated.email));
    // The customer was disabled, deleted or given another hash in the meantime.
    if (!recorded) return null;
    const { customer } = recorded;
    const { tokens, session } = await this.sessions.open(tx, customer, project, client);
    const data = { session: SessionResponse.from(session) };
    this.events.record(tx, [
      ...this.passwords.loginUnlockEvents(project, authenticated, recorded),
      customerEvent('login.succeeded', customer, project, data),
      customerEvent('session.created', customer, project, data),
    ]);
    return { tokens, customer: CustomerSummary.from(customer) };
  }
}
