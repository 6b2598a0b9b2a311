import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  GatehouseError,
  newCustomer,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  EventsRepository,
  Transactions,
  type CustomerWithPasswordHash,
  type EmailCodeGuessResult,
  type Tx,
} from '@gatehouse/persistence';
import { newId, sha256 } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { FailedSignInsService } from '../factors/failed-sign-ins.service.js';
import { wellKnownDeviceName } from '../http/device-name.js';
import { assertGranted, attemptPolicy, failedAttempt, type GrantedAttempt } from '../http/granted-attempt.js';
import type { Client } from '../http/request-context.js';
import { VerifiedAddressService } from '../one-time-tokens/verified-address.service.js';
import type { AuthResponse } from '../sign-in/dto/auth.response.js';
import type { VerifyEmailCodeRequest } from './dto/email-code.request.js';
import { EmailCodesService } from './email-codes.service.js';
import { SignInService } from '../sign-in/sign-in.service.js';

/** Per project and email address. Only a sign-in with a code clears the count. */
const wrongCodePolicy = attemptPolicy('wrong-email-code');

/** A correct guess, and the language of the customer that it creates if none has the address. */
interface CorrectGuess {
  guess: GrantedAttempt<EmailCodeGuessResult>;
  tokenHash: Buffer;
  locale: string | null | undefined;
}

/** Signs in the owners of email addresses with a code. */
@Injectable()
export class EmailCodeSignInService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly emailCodes: EmailCodesService,
    private readonly customers: CustomersRepository,
    private readonly addresses: VerifiedAddressService,
    private readonly signIns: SignInService,
    private readonly events: EventsRepository,
    private readonly transactions: Transactions,
    private readonly failures: FailedSignInsService,
  ) {}

  /**
   * Signs in the owner of the address of a challenge, and creates a customer if none has the address.
   * @throws GatehouseError `method_not_enabled`, `invalid_code`, with the same body for every cause,
   *   `too_many_attempts`, `sign_up_not_allowed`, `customer_disabled`
   */
  async signIn(
    project: ProjectContext,
    { token, code, locale }: VerifyEmailCodeRequest,
    client: Client,
  ): Promise<AuthResponse> {
    assertMethodEnabled(project, 'emailCode');
    const tokenHash = sha256(token);
    const guess = await this.codes.guess({
      ...wrongCodePolicy,
      projectId: project.id,
      tokenHash,
      codeHashes: this.emailCodes.hash(project, tokenHash, code.replace(/\s/g, '')),
      addressBlock: client.addressBlock,
    });
    if (!guess) throw new GatehouseError('invalid_code');
    assertGranted(wrongCodePolicy, guess);
    if (!guess.isCorrect) throw this.fail(project, guess);
    return this.transactions
      .run((tx) => this.complete(tx, project, { guess, tokenHash, locale }, client))
      .catch(async (error: unknown) => {
        const isRefused = error instanceof GatehouseError && error.status === 403;
        if (isRefused) await this.codes.release(project.id, sha256(guess.email), guess.granted);
        throw error;
      });
  }

  private async complete(
    tx: Tx,
    project: ProjectContext,
    correct: CorrectGuess,
    client: Client,
  ): Promise<AuthResponse> {
    const { email } = correct.guess;
    const newCustomerId = newId();
    const owner =
      (await this.customers.lockWithEmail(tx, project.id, email)) ??
      (await this.create(tx, project, newCustomerId, correct, client)) ??
      (await this.customers.lockWithEmail(tx, project.id, email));
    const isUsable = await this.codes.consume(tx, project.id, sha256(email), correct.tokenHash);
    if (!owner || !isUsable) throw new GatehouseError('invalid_code');
    const isNew = owner.id === newCustomerId;
    if (isNew) this.events.record(tx, [customerEvent('customer.created', owner, project)]);
    const customer = isNew ? owner : await this.claimIfUnverified(tx, project, owner, correct.guess);
    const response = await this.signIns.complete(tx, project, customer, { amr: ['email'] }, client, {
      isNew,
    });
    // Without a session, earlier wrong codes stay counted.
    if (!response.tokens) await this.codes.release(project.id, sha256(email), correct.guess.granted, tx);
    return response;
  }

  /**
   * Creates the customer of an address. Returns null if another request has just created one.
   * @throws GatehouseError `sign_up_not_allowed`
   */
  private async create(
    tx: Tx,
    project: ProjectContext,
    id: string,
    { guess: { email }, locale }: CorrectGuess,
    client: Client,
  ): Promise<CustomerWithPasswordHash | null> {
    if (!project.settings.signIn.allowSignUp) throw new GatehouseError('sign_up_not_allowed');
    const customer = await this.customers.insert(tx, project.id, {
      id,
      ...newCustomer({ email, emailVerified: true, locale }),
      passwordHash: null,
      registrationDevice: wellKnownDeviceName(client.userAgent),
    });
    return customer && { ...customer, passwordHash: null };
  }

  /** Removes all access from before the proof if the address was not verified. @returns the updated customer */
  private async claimIfUnverified(
    tx: Tx,
    project: ProjectContext,
    before: CustomerWithPasswordHash,
    { email, createdAt }: EmailCodeGuessResult,
  ): Promise<Customer> {
    if (before.emailVerified) return before;
    const proof = { email, via: 'code', requestedAt: createdAt } as const;
    const { customer, events } = await this.addresses.claimAddress(
      tx,
      before,
      project,
      proof,
      'address_claimed',
    );
    const hadPassword = before.passwordHash !== null;
    this.events.record(tx, [
      ...events,
      ...(hadPassword ? [customerEvent('password.changed', customer, project)] : []),
    ]);
    return customer;
  }

  /** Reports a wrong code, and returns its error. */
  private fail(project: ProjectContext, guess: GrantedAttempt<EmailCodeGuessResult>): GatehouseError {
    this.failures.report(project, (tx) => this.customers.lockWithEmail(tx, project.id, guess.email));
    return failedAttempt(wrongCodePolicy, guess, new GatehouseError('invalid_code'));
  }
}
