import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  assertMfaEnabled,
  invalidField,
  type AuthenticationMethod,
  type CodeMethod,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  ProjectsRepository,
  SessionProofsRepository,
  type PasskeyCeremony,
  type Tx,
} from '@gatehouse/persistence';
import type { PasskeyAssertion, PublicKeyCredentialRequestOptionsJSON } from '@gatehouse/platform';
import { FactorChangesService } from '../factors/factor-changes.service.js';
import { FactorCheckService } from '../factors/factor-check.service.js';
import { FreshProofService, sessionEndedError } from '../factors/fresh-proof.service.js';
import { ReauthenticationCodesService } from '../factors/reauthentication-codes.service.js';
import type { Client } from '../http/request-context.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import { PasswordCheckService } from '../passwords/password-check.service.js';
import type { ReauthenticateRequest } from './dto/reauthentication.request.js';
import type { AccessTokenResponse } from './dto/tokens.response.js';
import { SignInService } from './sign-in.service.js';

/** Allows a signed-in customer to prove their identity again in the same session. */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly check: FactorCheckService,
    private readonly changes: FactorChangesService,
    private readonly fresh: FreshProofService,
    private readonly emailCodes: ReauthenticationCodesService,
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly projects: ProjectsRepository,
    private readonly proofs: SessionProofsRepository,
    private readonly signIn: SignInService,
  ) {}

  /**
   * Returns the options for the browser to use one of the caller's passkeys.
   * @throws GatehouseError `method_not_enabled`
   */
  async beginPasskey({
    customer,
    sessionId,
  }: CustomerCaller): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const project = await this.projects.getContext(customer.projectId);
    this.passkeys.assertUsable(project, customer);
    return this.passkeys.beginAuthentication(project, ceremony(customer, sessionId));
  }

  /**
   * Sends the caller an email with a code.
   * @throws GatehouseError `method_not_enabled`, `reauthentication_required`, `rate_limited`
   */
  async sendCode(caller: CustomerCaller): Promise<void> {
    const project = await this.projects.getContext(caller.customer.projectId);
    await this.fresh.assertSufficient(caller, project, 'email_code');
    await this.emailCodes.send(caller, project);
  }

  /**
   * Verifies a proof and records it in the caller's session. Later access tokens contain the time of the proof.
   * @throws GatehouseError `validation_failed`, `invalid_credentials`, `invalid_code`, `passkey_not_accepted`,
   * `too_many_attempts`, `method_not_enabled`, `reauthentication_required`, `overloaded`, `invalid_access_token` if the
   * session has ended in the meantime
   */
  async reauthenticate(
    caller: CustomerCaller,
    { method, password, code, response }: ReauthenticateRequest,
    client: Client,
  ): Promise<AccessTokenResponse> {
    const { customer } = caller;
    const project = await this.projects.getContext(customer.projectId);
    if (method === 'password') {
      if (password === undefined) throw invalidField('password', 'required', 'password is required');
      await this.fresh.assertSufficient(caller, project, 'password');
      const confirmed = await this.passwords.confirm(project, customer, { password }, client);
      return this.changes.runLocked(caller, (tx, current) => {
        this.passwords.assertUnchanged(current, confirmed);
        return this.recordProof(tx, caller, project, ['pwd']);
      });
    }
    if (method === 'passkey') {
      if (response === undefined) throw invalidField('response', 'required', 'response is required');
      return this.proveWithPasskey(caller, project, response, client);
    }
    if (code === undefined) throw invalidField('code', 'required', 'code is required');
    if (method === 'email_code') return this.proveWithEmailCode(caller, project, code, client);
    return this.proveWithCode(caller, project, { method, code, client });
  }

  private async proveWithEmailCode(
    caller: CustomerCaller,
    project: ProjectContext,
    code: string,
    client: Client,
  ): Promise<AccessTokenResponse> {
    const { customer, sessionId } = caller;
    const fail = () =>
      this.check.fail(project, customer, client, { reason: 'wrong_code', methods: ['email'] });
    await this.fresh.assertSufficient(caller, project, 'email_code');
    await this.check.countAttempt(project, customer.id, client);
    if (!(await this.emailCodes.guess(caller, code))) throw fail();
    return this.changes.runLocked(caller, async (tx, current) => {
      if (!(await this.emailCodes.consume(tx, current, sessionId, code))) throw fail();
      await this.check.releaseAttempt(customer.id, tx);
      return this.recordProof(tx, caller, project, ['email']);
    });
  }

  private async proveWithCode(
    caller: CustomerCaller,
    project: ProjectContext,
    proof: { method: CodeMethod; code: string; client: Client },
  ): Promise<AccessTokenResponse> {
    const { customer } = caller;
    assertMfaEnabled(project, customer);
    await this.check.countAttempt(project, customer.id, proof.client);
    return this.changes.runLocked(caller, async (tx, current) => {
      await this.check.consumeCode(tx, project, current, proof);
      await this.check.releaseAttempt(customer.id, tx);
      return this.recordProof(tx, caller, project, ['otp']);
    });
  }

  private async proveWithPasskey(
    caller: CustomerCaller,
    project: ProjectContext,
    response: PasskeyAssertion,
    client: Client,
  ): Promise<AccessTokenResponse> {
    const { customer, sessionId } = caller;
    this.passkeys.assertUsable(project, customer);
    await this.check.countAttempt(project, customer.id, client);
    const purpose = ceremony(customer, sessionId);
    const passkey = await this.passkeys.verifyAssertion(project, purpose, response);
    return this.changes.runLocked(caller, async (tx, current) => {
      await this.passkeys.assertCurrent(tx, current, passkey);
      await this.check.releaseAttempt(customer.id, tx);
      return this.recordProof(tx, caller, project, passkey.methods);
    });
  }

  /**
   * Records a proof in the caller's session. It must have been verified within the transaction.
   * @throws GatehouseError `invalid_access_token` if the session has ended in the meantime
   */
  async recordProof(
    tx: Tx,
    { customer, sessionId }: CustomerCaller,
    project: ProjectContext,
    methods: AuthenticationMethod[],
  ): Promise<AccessTokenResponse> {
    const proof = await this.proofs.recordProof(tx, customer.id, sessionId, methods);
    if (!proof) throw sessionEndedError();
    return this.signIn.issueAccessToken(customer, { id: sessionId, ...proof }, project);
  }
}

const ceremony = ({ id: customerId }: Pick<Customer, 'id'>, sessionId: string): PasskeyCeremony => ({
  purpose: 'reauthenticate',
  customerId,
  sessionId,
  bindingHash: null,
});
