import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  passkeyMethods,
  type AuthenticationMethod,
  type ChallengeKind,
  type CodeMethod,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  ChallengesRepository,
  CustomersRepository,
  FactorsRepository,
  IdentityProvidersRepository,
  Transactions,
  type Challenge,
  type CustomerDetails,
  type CustomerForUpdate,
  type PasskeyCeremony,
  type Tx,
} from '@gatehouse/persistence';
import {
  sha256,
  type PasskeyAssertion,
  type PasskeyRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@gatehouse/platform';
import type { TotpSecretResponse } from '../factors/dto/factors.response.js';
import { describeSecret, FactorChangesService } from '../factors/factor-changes.service.js';
import { FactorCheckService } from '../factors/factor-check.service.js';
import { FactorCodesService } from '../factors/factor-codes.service.js';
import { flowHashOf, type Client } from '../http/request-context.js';
import { defaultPasskeyName, PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import { CurrentProof } from './current-proof.js';
import type { CompletedChallengeResponse } from './dto/auth.response.js';
import { SignInFlowsService } from './sign-in-flows.service.js';
import { SignInMetricsService } from './sign-in-metrics.service.js';
import { SignInService, type SignInOutcome } from './sign-in.service.js';

/** The response to a completed challenge. */
type CompletedChallenge = CompletedChallengeResponse & Pick<SignInOutcome, 'redirectUrl' | 'flow'>;

/** The proof of a second factor in a challenge. */
interface FactorProof {
  methods: AuthenticationMethod[];
  /** The new recovery codes if this is the first factor, otherwise null. */
  recoveryCodes: string[] | null;
}

/**
 * Completes sign-ins that lack a second factor. A challenge on the hosted page is bound to its flow, and the API does
 * not accept it. Likewise, the page does not accept a challenge from the API.
 */
@Injectable()
export class ChallengesService {
  constructor(
    private readonly challenges: ChallengesRepository,
    private readonly customers: CustomersRepository,
    private readonly factors: FactorsRepository,
    private readonly providers: IdentityProvidersRepository,
    private readonly check: FactorCheckService,
    private readonly codes: FactorCodesService,
    private readonly changes: FactorChangesService,
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly signIn: SignInService,
    private readonly flows: SignInFlowsService,
    private readonly transactions: Transactions,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Completes a challenge with a code. In an enrollment, the code confirms the new authenticator. A challenge accepts
   * five codes, and a customer's attempts are also counted across challenges.
   * @throws GatehouseError `challenge_expired`, `invalid_code`, `too_many_attempts`, and every sign-in error
   */
  complete(
    project: ProjectContext,
    token: string,
    method: CodeMethod,
    code: string,
    client: Client,
  ): Promise<CompletedChallenge> {
    return this.metrics.count(method, async () => {
      const challenge = await this.countAttempt(
        project,
        await this.getOpen(project, token, flowHashOf(client)),
        client,
      );
      return this.finish(project, challenge, client, async (tx, customer, consumed) => ({
        methods: ['otp'],
        recoveryCodes: await this.proveFactor(tx, project, customer, consumed, { method, code, client }),
      }));
    });
  }

  /** @throws GatehouseError `challenge_expired`, `method_not_enabled` */
  async beginPasskey(
    project: ProjectContext,
    token: string,
    flowHash: Buffer | null = null,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const challenge = await this.getOpen(project, token, flowHash, 'second_factor');
    return this.passkeys.beginAuthentication(project, ceremony('second_factor', challenge));
  }

  /**
   * Completes a challenge with a passkey. Like a code, a passkey response counts as an attempt.
   * @throws GatehouseError `challenge_expired`, `passkey_not_accepted`, `too_many_attempts`, and every sign-in error
   */
  completeWithPasskey(
    project: ProjectContext,
    token: string,
    response: PasskeyAssertion,
    client: Client,
  ): Promise<CompletedChallenge> {
    return this.metrics.count('passkey', async () => {
      const challenge = await this.countAttempt(
        project,
        await this.getOpen(project, token, flowHashOf(client), 'second_factor'),
        client,
      );
      const purpose = ceremony('second_factor', challenge);
      const passkey = await this.passkeys.verifyAssertion(project, purpose, response);
      return this.finish(project, challenge, client, async (tx, customer) => {
        await this.passkeys.assertCurrent(tx, customer, passkey);
        return { methods: passkey.methods, recoveryCodes: null };
      });
    });
  }

  /** @throws GatehouseError `challenge_expired` if the challenge is not an open enrollment, `method_not_enabled` */
  async beginPasskeyEnrollment(
    project: ProjectContext,
    token: string,
    flowHash: Buffer | null = null,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const challenge = await this.getOpen(project, token, flowHash, 'enroll_factor');
    const { customer } = await this.getCustomer(project, challenge.customerId);
    return this.passkeys.beginRegistration(project, customer, ceremony('enroll', challenge));
  }

  /**
   * Completes an enrollment with a new passkey.
   * @throws GatehouseError `challenge_expired`, `passkey_not_accepted`, `too_many_attempts`, and every sign-in error
   */
  enrollPasskey(
    project: ProjectContext,
    token: string,
    response: PasskeyRegistration,
    client: Client,
  ): Promise<CompletedChallenge> {
    return this.metrics.count('passkey', async () => {
      const challenge = await this.countAttempt(
        project,
        await this.getOpen(project, token, flowHashOf(client), 'enroll_factor'),
        client,
      );
      const purpose = ceremony('enroll', challenge);
      const added = await this.passkeys.verifyRegistration(project, purpose, response);
      const name = defaultPasskeyName(client.userAgent);
      return this.finish(project, challenge, client, async (tx, customer) => {
        const { recoveryCodes } = await this.changes.addPasskey(tx, project, customer, added, name);
        return { methods: passkeyMethods(added.passkey.deviceBound), recoveryCodes };
      });
    });
  }

  /**
   * Returns the secret of a new authenticator, which a code must confirm. Replaces an earlier secret of the challenge.
   * @throws GatehouseError `challenge_expired` if the challenge is not an open enrollment
   */
  async enrollTotp(
    project: ProjectContext,
    token: string,
    flowHash: Buffer | null = null,
  ): Promise<TotpSecretResponse> {
    const { customerId, tokenHash } = await this.getOpen(project, token, flowHash, 'enroll_factor');
    const { customer } = await this.getCustomer(project, customerId);
    const secret = this.changes.newSecret(project, customer);
    if (!(await this.challenges.saveSecret(tokenHash, secret.sealed)))
      throw new GatehouseError('challenge_expired');
    return describeSecret(secret);
  }

  /**
   * Returns an open challenge.
   * @param flowHash hash of the hosted page's flow that the challenge is bound to; null for the API
   */
  private async getOpen(
    project: ProjectContext,
    token: string,
    flowHash: Buffer | null,
    kind?: ChallengeKind,
  ): Promise<Challenge> {
    const challenge = await this.challenges.find(project.id, sha256(token), flowHash);
    if (!challenge || (kind && kind !== challenge.kind)) throw new GatehouseError('challenge_expired');
    return challenge;
  }

  private getCustomer(project: ProjectContext, id: string): Promise<CustomerDetails> {
    return this.customers.get({ organizationIds: null, projectId: project.id }, id);
  }

  private async countAttempt(
    project: ProjectContext,
    challenge: Challenge,
    client: Client,
  ): Promise<Challenge> {
    await this.check.countAttempt(project, challenge.customerId, client);
    if (await this.challenges.countAttempt(challenge.tokenHash)) return challenge;
    await this.check.releaseAttempt(challenge.customerId);
    throw new GatehouseError('challenge_expired');
  }

  /** Consumes a challenge after its attempt has been counted, and completes the sign-in with the proof. */
  private finish(
    project: ProjectContext,
    { customerId, tokenHash }: Challenge,
    client: Client,
    prove: (tx: Tx, customer: CustomerForUpdate, challenge: Challenge) => Promise<FactorProof>,
  ): Promise<CompletedChallenge> {
    return this.transactions.join(async (tx) => {
      const customer = await this.customers.lock(tx, project.id, customerId);
      const challenge = customer && (await this.challenges.consume(tx, tokenHash));
      if (!customer || !challenge || !(await this.flows.consume(tx, client.page?.flow)))
        throw new GatehouseError('challenge_expired');
      // Rejected, because a stolen password could otherwise enroll a factor after the owner has enrolled the first one.
      if (challenge.kind === 'enroll_factor' && (await this.factors.exists(tx, customerId)))
        throw new GatehouseError('challenge_expired');
      const { amr, createdAt, providerId, newIdentity } = challenge;
      const provider = await this.findProvider(tx, project, providerId);
      const first = CurrentProof.verify(customer, createdAt, { amr, provider, newIdentity });
      if (!first) throw new GatehouseError('challenge_expired');
      const { methods, recoveryCodes } = await prove(tx, customer, challenge);
      const proof = first.withMethods(methods);
      const showsPageFirst = recoveryCodes !== null;
      const response = await this.signIn.complete(tx, project, customer, proof, client, { showsPageFirst });
      return { ...response, recoveryCodes };
    });
  }

  /** Returns the provider that the sign-in started with, or null. */
  private async findProvider(tx: Tx, { id }: ProjectContext, providerId: string | null) {
    return providerId === null ? null : this.providers.get(id, providerId, tx);
  }

  /**
   * Verifies the code.
   * @returns the new recovery codes if this is the first factor, otherwise null
   */
  private async proveFactor(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { kind, totpSecret }: Challenge,
    { method, code, client }: { method: CodeMethod; code: string; client: Client },
  ): Promise<string[] | null> {
    if (kind === 'second_factor') {
      await this.check.consumeCode(tx, project, customer, { method, code, client });
      return null;
    }
    const step = totpSecret && method === 'totp' ? this.codes.matchStep(customer.id, totpSecret, code) : null;
    if (!totpSecret || step === null) throw this.check.fail(project, customer, client);
    return this.changes.addConfirmed(tx, project, customer, totpSecret, step);
  }
}

/** Returns a challenge's ceremony, to which the passkey response is bound. */
const ceremony = (
  purpose: 'second_factor' | 'enroll',
  { customerId, tokenHash }: Challenge,
): PasskeyCeremony => ({ purpose, customerId, sessionId: null, bindingHash: tokenHash });
