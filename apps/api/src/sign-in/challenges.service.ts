import { Injectable } from '@nestjs/common';
import {
  addMethod,
  GatehouseError,
  type ChallengeMethod,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  ChallengesRepository,
  CustomersRepository,
  Transactions,
  type Challenge,
  type Tx,
} from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import type { TotpSecretResponse } from '../factors/dto/factors.response.js';
import { describeSecret, FactorChangesService } from '../factors/factor-changes.service.js';
import { FactorCheckService } from '../factors/factor-check.service.js';
import type { Client } from '../http/request-context.js';
import type { CompletedChallengeResponse } from './dto/auth.response.js';
import { SignInService } from './sign-in.service.js';

/** Completes sign-ins that lack a second factor. */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly challenges: ChallengesRepository,
    private readonly customers: CustomersRepository,
    private readonly check: FactorCheckService,
    private readonly changes: FactorChangesService,
    private readonly signIn: SignInService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Completes a challenge with a code. In an enrollment, the code confirms the new authenticator. A challenge accepts
   * five codes; the attempts of a customer are also counted over all challenges.
   * @throws GatehouseError `challenge_expired`, `invalid_code`, `too_many_attempts`, and the errors of a sign-in
   */
  async complete(
    project: ProjectContext,
    token: string,
    method: ChallengeMethod,
    code: string,
    client: Client,
  ): Promise<CompletedChallengeResponse> {
    const tokenHash = sha256(token);
    const { customerId } = await this.find(project, tokenHash);
    await this.check.countAttempt(customerId);
    if (!(await this.challenges.countTry(tokenHash))) {
      await this.check.releaseAttempt(customerId);
      throw new GatehouseError('challenge_expired');
    }
    return this.transactions.run(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, customerId);
      const challenge = customer && (await this.challenges.consume(tx, tokenHash));
      if (!customer || !challenge) throw new GatehouseError('challenge_expired');
      const recoveryCodes = await this.proveFactor(tx, project, customer, challenge, method, code);
      const amr = addMethod(challenge.amr, 'otp');
      const response = await this.signIn.complete(tx, project, customer, { amr }, client);
      return { ...response, recoveryCodes };
    });
  }

  /**
   * Returns the secret of a new authenticator, which a code confirms. Replaces an earlier secret of the challenge.
   * @throws GatehouseError `challenge_expired` if the challenge is not an open enrollment
   */
  async enrollTotp(project: ProjectContext, token: string): Promise<TotpSecretResponse> {
    const tokenHash = sha256(token);
    const { customerId } = await this.find(project, tokenHash);
    const { customer } = await this.customers.get(
      { organizationId: null, projectId: project.id },
      customerId,
    );
    const secret = this.changes.newSecret(project, customer);
    if (!(await this.challenges.saveSecret(tokenHash, secret.sealed)))
      throw new GatehouseError('challenge_expired');
    return describeSecret(secret);
  }

  private async find(project: ProjectContext, tokenHash: Buffer): Promise<Challenge> {
    const challenge = await this.challenges.find(project.id, tokenHash);
    if (!challenge) throw new GatehouseError('challenge_expired');
    return challenge;
  }

  /** Verifies the code. @returns the recovery codes that come with the first factor, otherwise null */
  private async proveFactor(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { kind, totpSecret }: Challenge,
    method: ChallengeMethod,
    code: string,
  ): Promise<string[] | null> {
    if (kind === 'second_factor') {
      await this.check.consumeCode(tx, project, customer, method, code);
      return null;
    }
    const step = totpSecret && method === 'totp' ? this.check.matchStep(customer.id, totpSecret, code) : null;
    if (!totpSecret || step === null) throw this.check.fail(project, customer);
    return this.changes.addConfirmed(tx, project, customer, totpSecret, step);
  }
}
