import { Injectable } from '@nestjs/common';
import { assertMethodEnabled, type ProjectContext } from '@gatehouse/domain';
import { CustomersRepository, Transactions, type Tx } from '@gatehouse/persistence';
import { PasswordHasher } from '@gatehouse/platform';
import type { Client } from '../http/request-context.js';
import { LegacySignInService } from '../legacy-sign-in/legacy-sign-in.service.js';
import { CurrentProof } from './current-proof.js';
import type { LoginRequest } from './dto/auth.request.js';
import type { AuthResponse } from './dto/auth.response.js';
import {
  invalidCredentials,
  PasswordCheckService,
  type AuthenticatedCustomer,
} from '../passwords/password-check.service.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService } from './sign-in.service.js';

/** Signs customers in with email address and password. */
@Injectable()
export class LoginService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly customers: CustomersRepository,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly signIn: SignInService,
    private readonly legacySignIn: LegacySignInService,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Signs a customer in, and renews the password hash if its scheme, cost or pepper is outdated. A customer without a
   * password, or with an imported password that does not match, may be moved from the project's previous system
   * (`legacySignIn`).
   * @throws GatehouseError `method_not_enabled`, `too_many_attempts`, `invalid_credentials`, `customer_disabled`,
   * `email_not_verified`, `overloaded`
   */
  login(project: ProjectContext, request: LoginRequest, client: Client): Promise<AuthResponse> {
    return this.metrics.count('password', () => this.authenticate(project, request, client));
  }

  private async authenticate(
    project: ProjectContext,
    { email, password }: LoginRequest,
    client: Client,
  ): Promise<AuthResponse> {
    assertMethodEnabled(project, 'password');
    const customer = await this.passwords.check(project, email, password, client, () =>
      this.legacySignIn.migrateCustomer(project, email, password, client),
    );
    await this.assertMaySignIn(project, customer, client);
    const newHash = await this.rehashIfOutdated(project, customer, password);
    const response =
      (await this.transactions.join((tx) => this.complete(tx, project, customer, newHash, client))) ??
      (await this.completeAfterRehash(project, customer, password, client));
    // Failures stay counted until the sign-in is complete. This attempt does not stay counted, because its password was correct.
    if (!response.tokens) await this.passwords.releaseAttempt(project, customer);
    return response;
  }

  private async completeAfterRehash(
    project: ProjectContext,
    customer: AuthenticatedCustomer,
    password: string,
    client: Client,
  ): Promise<AuthResponse> {
    const renewed = await this.reloadAfterRehash(project, customer, password, client);
    const retried = await this.transactions.join((tx) => this.complete(tx, project, renewed, null, client));
    if (!retried) throw invalidCredentials();
    return retried;
  }

  /**
   * Rejects a customer who may not sign in despite the correct password.
   * @throws GatehouseError `customer_disabled`, `email_not_verified`, or the same error as for a wrong password
   */
  private async assertMaySignIn(
    project: ProjectContext,
    customer: AuthenticatedCustomer,
    client: Client,
  ): Promise<void> {
    const rejection = this.signIn.findRejection(project, customer);
    if (!rejection) return;
    // The same error as for a wrong password, because a caller who has just registered this address would otherwise
    // learn that it was not taken.
    if (rejection === 'email_not_verified' && project.settings.enumerationProtection)
      throw this.passwords.failAuthenticated(project, customer, rejection, client);
    await this.passwords.releaseAttempt(project, customer);
    throw this.signIn.reject(project, customer, { reason: rejection, methods: ['pwd'], client });
  }

  /**
   * Returns the current customer if the hash differs only because a concurrent login has renewed it.
   * @throws GatehouseError `invalid_credentials` if the customer was disabled or deleted or the password was changed in
   * the meantime
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
   * Returns a new hash if the current hash is outdated, otherwise null. Also returns null for passwords that portable
   * hashes would truncate, and if no hashing thread is available: the login must not fail for that reason, and the next
   * login renews the hash.
   */
  private async rehashIfOutdated(
    project: ProjectContext,
    customer: AuthenticatedCustomer,
    password: string,
  ): Promise<string | null> {
    if (!this.hasher.isOutdated(customer.passwordHash, project.settings.passwordHashing)) return null;
    return this.hasher.hashFor(project, password).catch(() => null);
  }

  /** Returns null if the customer was disabled or deleted or the hash was changed in the meantime. */
  private async complete(
    tx: Tx,
    project: ProjectContext,
    authenticated: AuthenticatedCustomer,
    newHash: string | null,
    client: Client,
  ): Promise<AuthResponse | null> {
    const hash = { old: authenticated.passwordHash, new: newHash };
    const customer = await this.customers.lockAuthenticated(tx, authenticated, hash);
    if (!customer) return null;
    const { granted, attemptedAt } = authenticated.attempt;
    const proof = CurrentProof.verify(customer, attemptedAt, { amr: ['pwd'], attempt: granted });
    if (!proof) throw invalidCredentials();
    return this.signIn.complete(tx, project, customer, proof, client);
  }
}
