import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import {
  effectiveMfa,
  GatehouseError,
  invalidField,
  type AuthenticationMethod,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  ProjectsRepository,
  SessionProofsRepository,
  Transactions,
  type Tx,
} from '@gatehouse/persistence';
import { FactorCheckService } from '../factors/factor-check.service.js';
import type { Client } from '../http/request-context.js';
import { PasswordCheckService } from '../passwords/password-check.service.js';
import type { ReauthenticateRequest } from './dto/reauthentication.request.js';
import type { AccessTokenResponse } from './dto/tokens.response.js';
import { SignInService } from './sign-in.service.js';

/** Lets a signed-in customer prove their identity again in the same session. */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly passwords: PasswordCheckService,
    private readonly check: FactorCheckService,
    private readonly projects: ProjectsRepository,
    private readonly customers: CustomersRepository,
    private readonly proofs: SessionProofsRepository,
    private readonly signIn: SignInService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Records the proof in the session of the caller, whose access tokens then contain its time.
   * @throws GatehouseError `validation_failed`, `invalid_credentials`, `invalid_code`, `too_many_attempts`,
   *   `method_not_enabled`, `overloaded`; `invalid_access_token` if the session has ended in the meantime
   */
  async reauthenticate(
    caller: CustomerCaller,
    { method, password, code }: ReauthenticateRequest,
    client: Client,
  ): Promise<AccessTokenResponse> {
    const { customer } = caller;
    const project = await this.projects.getContext(customer.projectId);
    if (method === 'password') {
      if (password === undefined) throw invalidField('password', 'required', 'password is required');
      await this.passwords.confirm(project, customer, { password }, client);
      return this.transactions.run((tx) => this.recordProof(tx, caller, project, 'pwd'));
    }
    if (code === undefined) throw invalidField('code', 'required', 'code is required');
    if (effectiveMfa(project.settings.mfa, customer.mfa) === 'off')
      throw new GatehouseError('method_not_enabled');
    await this.check.countAttempt(customer.id);
    return this.transactions.run(async (tx) => {
      const current = await this.customers.lock(tx, project.id, customer.id);
      if (!current) throw new GatehouseError('invalid_access_token');
      await this.check.consumeCode(tx, project, current, method, code);
      await this.check.releaseAttempt(customer.id, tx);
      return this.recordProof(tx, caller, project, 'otp');
    });
  }

  private async recordProof(
    tx: Tx,
    { customer, sessionId }: CustomerCaller,
    project: ProjectContext,
    method: AuthenticationMethod,
  ): Promise<AccessTokenResponse> {
    const proof = await this.proofs.recordProof(tx, customer.id, sessionId, method);
    if (!proof) throw new GatehouseError('invalid_access_token');
    return this.signIn.issueAccessToken(customer, { id: sessionId, ...proof }, project);
  }
}
