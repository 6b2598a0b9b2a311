import { Injectable } from '@nestjs/common';
import { assertMethodEnabled, canonicalCode, GatehouseError, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  IdentityProvidersRepository,
  type EmailCodeGuessResult,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { AccountNeeded, AccountsService, type Admission } from '../accounts/accounts.service.js';
import { FailedSignInsService } from '../factors/failed-sign-ins.service.js';
import { assertGranted, failedAttemptError, failurePolicy, type GrantedAttempt } from '@gatehouse/auth';
import { flowHashOf, type Client } from '../http/request-context.js';
import { AddressSignInService, type ProviderAccount } from '../sign-in/address-sign-in.service.js';
import { SignInFlowsService } from '../sign-in/sign-in-flows.service.js';
import { SignInMetricsService } from '../sign-in/sign-in-metrics.service.js';
import type { SignInOutcome } from '../sign-in/sign-in.service.js';
import type { VerifyEmailCodeRequest } from './dto/email-code.request.js';
import { EmailCodesService, findProfileWithoutEmail } from './email-codes.service.js';

/** Returns the wrong-code limit, per email address. Only a sign-in with a code clears the count. */
const wrongCodePolicy = (project: ProjectContext) => failurePolicy('wrong-email-code', project);

/** A correct guess, with the locale for a new customer if no customer has the address. */
interface CorrectGuess {
  guess: GrantedAttempt<EmailCodeGuessResult>;
  tokenHash: Buffer;
  locale: string | null | undefined;
}

/** Signs in the owners of email addresses with emailed codes. */
@Injectable()
export class EmailCodeSignInService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly emailCodes: EmailCodesService,
    private readonly customers: CustomersRepository,
    private readonly providers: IdentityProvidersRepository,
    private readonly flows: SignInFlowsService,
    private readonly addresses: AddressSignInService,
    private readonly accounts: AccountsService,
    private readonly metrics: SignInMetricsService,
    private readonly failures: FailedSignInsService,
  ) {}

  /**
   * Signs in the owner of a challenge's address, and creates a customer if no customer has the address.
   * @throws GatehouseError `method_not_enabled`, `invalid_code`, with the same body for every cause,
   *   `too_many_attempts`, `sign_up_not_allowed`, `customer_disabled`, `identity_already_linked`
   */
  signIn(project: ProjectContext, request: VerifyEmailCodeRequest, client: Client): Promise<SignInOutcome> {
    return this.metrics.count('email_code', () => this.authenticate(project, request, client));
  }

  private async authenticate(
    project: ProjectContext,
    { token, code, locale }: VerifyEmailCodeRequest,
    client: Client,
  ): Promise<SignInOutcome> {
    if (!findProfileWithoutEmail(client)) assertMethodEnabled(project, 'emailCode');
    const tokenHash = sha256(token);
    const guess = await this.codes.guess({
      ...wrongCodePolicy(project),
      projectId: project.id,
      tokenHash,
      flowHash: flowHashOf(client),
      codeHashes: this.emailCodes.hash(project, tokenHash, canonicalCode(code)),
      addressBlock: client.addressBlock,
    });
    if (!guess) throw new GatehouseError('invalid_code');
    if (guess.granted === null)
      this.failures.reportRejection(project, guess, { reason: 'locked', methods: ['email'], client });
    assertGranted(wrongCodePolicy(project), guess);
    if (!guess.isCorrect) throw this.fail(project, guess, client);
    return this.accounts
      .run(project, (tx, admission) =>
        this.complete(tx, project, { guess, tokenHash, locale }, client, admission),
      )
      .catch(async (error: unknown) => {
        const isRejected = error instanceof GatehouseError && error.status === 403;
        if (isRejected) await this.codes.release(project.id, sha256(guess.email), guess.granted);
        throw error;
      });
  }

  private async complete(
    tx: Tx,
    project: ProjectContext,
    { guess, tokenHash, locale }: CorrectGuess,
    client: Client,
    admission: Admission | null,
  ): Promise<SignInOutcome | AccountNeeded> {
    const { email, createdAt: requestedAt, granted } = guess;
    const consume = async () =>
      (await this.codes.consume(tx, tokenHash)) && (await this.flows.consume(tx, client.page?.flow));
    const identity = await this.findIdentity(tx, project, client);
    const proof = { email, requestedAt, locale, identity, consume };
    const response = await this.addresses.signIn(tx, project, proof, client, admission);
    if (response instanceof AccountNeeded) return response;
    if (!response.tokens) await this.codes.release(project.id, sha256(email), granted, tx);
    return response;
  }

  /**
   * Returns the identity of a customer who verifies the address on the hosted page after a provider sign-in, or
   * null.
   */
  private async findIdentity(
    tx: Tx,
    { id }: ProjectContext,
    client: Client,
  ): Promise<ProviderAccount | null> {
    const account = findProfileWithoutEmail(client);
    if (!account) return null;
    const provider = await this.providers.get(id, account.providerId, tx);
    if (!provider.enabled) throw new GatehouseError('method_not_enabled');
    return { provider, profile: account.profile };
  }

  /** Reports a wrong code, and returns its error. */
  private fail(
    project: ProjectContext,
    guess: GrantedAttempt<EmailCodeGuessResult>,
    client: Client,
  ): GatehouseError {
    this.failures.report(project, { reason: 'wrong_code', methods: ['email'], client }, (tx) =>
      this.customers.lockWithEmail(tx, project.id, guess.email),
    );
    return failedAttemptError(wrongCodePolicy(project), guess, new GatehouseError('invalid_code'));
  }
}
