import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { GatehouseError } from '@gatehouse/domain';
import { ProjectsRepository, SessionsRepository } from '@gatehouse/persistence';
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
    private readonly projects: ProjectsRepository,
    private readonly sessions: SessionsRepository,
    private readonly signIn: SignInService,
  ) {}

  /**
   * Records the proof in the session of the caller, whose access tokens then contain its time.
   * @throws GatehouseError `invalid_credentials`, `too_many_attempts`, `overloaded`; `invalid_access_token` if the session
   *   has ended in the meantime
   */
  async reauthenticate(
    { customer, sessionId }: CustomerCaller,
    { password }: ReauthenticateRequest,
    client: Client,
  ): Promise<AccessTokenResponse> {
    const project = await this.projects.getContext(customer.projectId);
    await this.passwords.confirm(project, customer, { password }, client);
    const proof = await this.sessions.recordProof(customer.id, sessionId, 'pwd');
    if (!proof) throw new GatehouseError('invalid_access_token');
    return this.signIn.issueAccessToken(customer, { id: sessionId, ...proof }, project);
  }
}
