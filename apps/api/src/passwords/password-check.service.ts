import { Injectable } from '@nestjs/common';
import {
  assertGranted,
  failedAttemptError,
  failurePolicy,
  type CustomerCaller,
  type GrantedAttempt,
} from '@gatehouse/auth';
import {
  assertMethodEnabled,
  GatehouseError,
  MAX_PASSWORD_GUESSES,
  type AuthenticationMethod,
  type Customer,
  type ProjectContext,
  type SignInFailureReason,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EventsRepository,
  FactorAttemptsRepository,
  LoginAttemptsRepository,
  Transactions,
  type ClearedAttempts,
  type CustomerWithPasswordHash,
  type DecoySelection,
  type LoginAllowance,
  type LoginAttemptResult,
  type NewEvent,
  type Tx,
} from '@gatehouse/persistence';
import { Keyring, sha256 } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { FailedSignInsService, type SignInFailure } from '../factors/failed-sign-ins.service.js';
import { FreshProofService } from '../factors/fresh-proof.service.js';
import type { Client } from '../http/request-context.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { OneTimeLinksService } from '../one-time-tokens/one-time-links.service.js';
import { PasswordVerificationService, type PasswordAttempt } from './password-verification.service.js';

/** Returns the policy for failed attempts per email address. */
const failedLoginPolicy = (project: ProjectContext) => failurePolicy('failed-login', project);

/** Authentication method in reported failures. */
const methods: AuthenticationMethod[] = ['pwd'];

type CountedLogin = PasswordAttempt<
  CustomerWithPasswordHash,
  Omit<LoginAttemptResult, 'customer' | 'decoyHash'>
>;

type GrantedLogin = GrantedAttempt<CountedLogin['attempt']>;

export type CustomerWithPassword = CustomerWithPasswordHash & { passwordHash: string };

/** A customer who has just provided the correct password, with the counted attempt. */
export type AuthenticatedCustomer = CustomerWithPassword & { attempt: GrantedLogin };

/** Confirmation of a change: the hash of the verified password, or null if the session has a recent proof. */
export type ConfirmedChange = Pick<CustomerWithPasswordHash, 'passwordHash'>;

/** Returns the customer if another system confirms the password, or null. */
type CheckOtherSystem = () => Promise<CustomerWithPassword | null>;

/** Verifies customer passwords. All routes that accept a password share its failure count. */
@Injectable()
export class PasswordCheckService {
  constructor(
    private readonly attempts: LoginAttemptsRepository,
    private readonly factorAttempts: FactorAttemptsRepository,
    private readonly customers: CustomersRepository,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly verification: PasswordVerificationService,
    private readonly keyring: Keyring,
    private readonly links: OneTimeLinksService,
    private readonly fresh: FreshProofService,
    private readonly failures: FailedSignInsService,
    private readonly required: RequiredProvidersService,
  ) {}

  /**
   * Returns the customer with this email address if the password is correct. An unknown address, a customer without a
   * password and a wrong password result in the same response after the same time (requirement PW-08). The failures
   * stay counted until a completed sign-in, `confirm` or `unlock` clears them.
   * @param checkOtherSystem called after the attempt is counted if the password matches no stored hash
   * @throws GatehouseError `overloaded`, `too_many_attempts`, `invalid_credentials`; `sso_required` before the attempt
   * is counted
   */
  async check(
    project: ProjectContext,
    email: string,
    password: string,
    client: Client,
    checkOtherSystem: CheckOtherSystem = () => Promise.resolve(null),
  ): Promise<AuthenticatedCustomer> {
    const counter = {
      count: () => this.countAttempt(project, email, client),
      release: (granted: LoginAllowance) => this.attempts.release(project.id, sha256(email), granted),
      identify: ({ id }: CustomerWithPasswordHash) => ({ projectId: project.id, customerId: id }),
    };
    const { attempt, owner, isCorrect } = await this.verification.verify(
      project.id,
      password,
      counter,
      client,
    );
    if (attempt.granted === null && owner)
      this.failures.reportRejection(project, owner, { reason: 'locked', methods, client });
    assertGranted(failedLoginPolicy(project), attempt);
    const hash = owner?.passwordHash;
    const isClosed = attempt.guesses > MAX_PASSWORD_GUESSES;
    if (hash && isCorrect && !isClosed) return { ...owner, passwordHash: hash, attempt };
    const moved = isClosed
      ? null
      : await checkOtherSystem().catch(async (error: unknown) => {
          await counter.release(attempt.granted);
          throw error;
        });
    if (moved) return { ...moved, attempt };
    const reason = isClosed ? 'locked' : hash ? 'wrong_password' : 'no_password';
    throw this.fail(project, owner, attempt, { reason, methods, client });
  }

  /**
   * Verifies the password of a customer who is already signed in, and clears the failures.
   * @param field an object whose only entry is the request field with the password
   * @throws GatehouseError `method_not_enabled`, and the same codes as `check`, with the field's name
   */
  async confirm(
    project: ProjectContext,
    { id, email }: Customer,
    field: Record<string, string>,
    client: Client,
  ): Promise<AuthenticatedCustomer> {
    assertMethodEnabled(project, 'password');
    const [[name, password] = ['', '']] = Object.entries(field);
    try {
      const authenticated = await this.check(project, email, password, client);
      // Another customer may have taken over the address since the customer was read.
      if (authenticated.id !== id) throw invalidCredentials();
      await this.clearFailures(project, authenticated);
      return authenticated;
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
   * Verifies that a signed-in customer may change their factors: with the password if the request contains it,
   * otherwise with a recent proof of identity. The change must call `assertUnchanged`.
   * @throws GatehouseError `reauthentication_required`, and the same codes as `confirm`
   */
  async confirmFactorChange(
    project: ProjectContext,
    caller: CustomerCaller,
    password: string | undefined,
    client: Client,
  ): Promise<ConfirmedChange> {
    await this.fresh.assertFresh(caller, project, { withPassword: password !== undefined });
    if (password === undefined) return { passwordHash: null };
    return this.confirm(project, caller.customer, { password }, client);
  }

  /**
   * Verifies that a signed-in customer may change the account: with the password in the request, or with a recent proof
   * in the session if the customer has no password.
   * @param field an object whose only entry is the request field with the password
   * @throws GatehouseError `validation_failed`, `reauthentication_required`, and the same codes as `confirm`
   */
  async confirmChange(
    project: ProjectContext,
    caller: CustomerCaller,
    field: Record<string, string | undefined>,
    client: Client,
  ): Promise<ConfirmedChange> {
    const [[name, value] = ['', undefined]] = Object.entries(field);
    await this.fresh.assertFreshWithPassword(caller, project, { name, value });
    if (value === undefined) return { passwordHash: null };
    return this.confirm(project, caller.customer, { [name]: value }, client);
  }

  /**
   * Locks a signed-in customer whom `confirmChange` has verified.
   * @throws GatehouseError `invalid_credentials` if the customer was disabled or the password was changed in the
   * meantime, `invalid_access_token` if the session has ended
   */
  async lockAuthenticated(
    tx: Tx,
    caller: CustomerCaller,
    confirmed: ConfirmedChange,
  ): Promise<CustomerWithPasswordHash> {
    const current = await this.fresh.lock(tx, caller);
    this.assertUnchanged(current, confirmed);
    return current;
  }

  /**
   * Checks that the password that confirmed a change is still the customer's password. The transaction must have locked
   * the customer.
   * @throws GatehouseError `invalid_credentials` if the customer was disabled or the password was changed in the
   * meantime
   */
  assertUnchanged(current: CustomerWithPasswordHash, { passwordHash }: ConfirmedChange): void {
    const isChanged = passwordHash !== null && current.passwordHash !== passwordHash;
    if (isChanged || current.disabledAt) throw invalidCredentials();
  }

  /**
   * Releases an attempt whose password was correct but which opens no session. Earlier failures stay counted: only a
   * completed sign-in clears them.
   */
  async releaseAttempt(project: ProjectContext, { email, attempt }: AuthenticatedCustomer): Promise<void> {
    await this.attempts.release(project.id, sha256(email), attempt.granted);
  }

  /** Reports a sign-in with the correct password as failed, and returns the same error as for a wrong password. */
  failAuthenticated(
    project: ProjectContext,
    { attempt, ...customer }: AuthenticatedCustomer,
    reason: SignInFailureReason,
    client: Client,
  ): GatehouseError {
    return this.fail(project, customer, attempt, { reason, methods, client });
  }

  /** Clears the failures of an authenticated customer, which ends a lock. */
  private async clearFailures(project: ProjectContext, authenticated: AuthenticatedCustomer): Promise<void> {
    if (authenticated.attempt.granted === 'open') {
      await this.attempts.clear(project.id, sha256(authenticated.email));
      return;
    }
    // oxlint-disable-next-line gatehouse/joined-transactions -- the password was correct, even if the change fails
    await this.transactions.run(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, authenticated.id);
      if (customer) this.events.record(tx, await this.unlock(tx, project, customer));
    });
  }

  /**
   * Clears a customer's failures. The caller must have locked the customer, so that no event is recorded for a deleted
   * one.
   * @returns the event to record if the customer was locked, otherwise none
   */
  async unlock(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    const clearedAttempts = await this.attempts.clear(project.id, sha256(customer.email), tx);
    return unlockEvents(project, customer, clearedAttempts);
  }

  /** Clears a customer's second-factor failures in addition to what `unlock` clears. */
  async unlockAll(tx: Tx, project: ProjectContext, customer: Customer): Promise<NewEvent[]> {
    await this.factorAttempts.clear(tx, customer.id);
    return this.unlock(tx, project, customer);
  }

  private async countAttempt(project: ProjectContext, email: string, client: Client): Promise<CountedLogin> {
    const checked = this.required.assertAllowed(project, email);
    await this.failures.reportOtherProvider(checked, project, { email }, { methods, client });
    const { addressBlock } = client;
    const projectId = project.id;
    const { customer, decoyHash, ...attempt } = await this.attempts.reserve(
      projectId,
      { ...failedLoginPolicy(project), email, emailHash: sha256(email), addressBlock },
      selectDecoy(this.keyring, projectId, email),
    );
    return { attempt, owner: customer, decoyHash };
  }

  /** Reports an existing customer's failed attempt, and returns the error. */
  private fail(
    project: ProjectContext,
    customer: Customer | null,
    attempt: GrantedLogin,
    failure: SignInFailure,
  ): GatehouseError {
    if (customer) this.reportFailure(project, customer, attempt, failure);
    return failedAttemptError(failedLoginPolicy(project), attempt, invalidCredentials());
  }

  private reportFailure(
    project: ProjectContext,
    { id, email }: Customer,
    attempt: GrantedLogin,
    failure: SignInFailure,
  ): void {
    const isLastGuess = attempt.guesses >= MAX_PASSWORD_GUESSES;
    // The last guess blocks the password. The lock that is recorded for it below does not end with the window.
    const isLocking =
      attempt.granted === 'open' && attempt.attempts === project.settings.limits.failedLogin && !isLastGuess;
    const lock = (tx: Tx) => this.customers.lock(tx, project.id, id);
    this.failures.report(project, failure, lock, async (tx, customer) => {
      // A later guess may have to block the password, because the last guess may have been released when no thread was
      // available.
      const isClosing =
        isLastGuess &&
        (await this.attempts.recordPasswordBlocked(tx, project.id, sha256(email), MAX_PASSWORD_GUESSES));
      if (isLocking || isClosing)
        this.events.record(tx, [customerEvent('customer.locked', customer, project)]);
      if (isClosing && customer.passwordHash && !customer.disabledAt)
        await this.links.notify(tx, 'password-closed', customer, project);
    });
  }
}

/** Returns the event for the end of a lock, or none if the cleared attempts did not lock the customer. */
export const unlockEvents = (
  project: ProjectContext,
  customer: Customer,
  { attempts, guesses }: ClearedAttempts,
): NewEvent[] =>
  attempts < project.settings.limits.failedLogin && guesses < MAX_PASSWORD_GUESSES
    ? []
    : [customerEvent('customer.unlocked', customer, project)];

/**
 * Returns the decoy selection for an email address without a password. It is the same each time, and uniformly
 * distributed over all email addresses (ADR 0034).
 */
export function selectDecoy(keyring: Keyring, projectId: string, email: string): DecoySelection {
  const mac = keyring.mac('decoy', `${projectId}:${email}`);
  return { position: mac.readBigInt64BE(0), seed: mac.readBigInt64BE(8) };
}

/** Returns a 401 `invalid_credentials` that is the same for every cause (requirement PW-08). */
export const invalidCredentials = (): GatehouseError =>
  new GatehouseError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer' } });
