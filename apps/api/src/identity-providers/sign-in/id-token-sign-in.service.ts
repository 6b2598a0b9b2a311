import { Injectable } from '@nestjs/common';
import { GatehouseError, type ProjectContext } from '@gatehouse/domain';
import { OAuthFlowsRepository, type StoredProvider } from '@gatehouse/persistence';
import { sha256 } from '@gatehouse/platform';
import { AccountsService } from '../../accounts/accounts.service.js';
import type { Client } from '../../http/request-context.js';
import type { AuthResponse } from '../../sign-in/dto/auth.response.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { SignInMetricsService } from '../../sign-in/sign-in-metrics.service.js';
import type { IdTokenRequest } from '../dto/oauth.request.js';
import { ProviderRejectionsService } from './provider-rejections.service.js';
import { ProjectProvidersService } from '../project-providers.service.js';

/** Signs customers in with the id tokens that apps receive from Google and Apple. */
@Injectable()
export class IdTokenSignInService {
  constructor(
    private readonly projectProviders: ProjectProvidersService,
    private readonly flows: OAuthFlowsRepository,
    private readonly rejections: ProviderRejectionsService,
    private readonly signIns: ProviderSignInService,
    private readonly accounts: AccountsService,
    private readonly metrics: SignInMetricsService,
  ) {}

  /**
   * Signs in the customer that an id token identifies. Accepts each token once.
   * @throws GatehouseError `method_not_enabled` for a provider without native sign-in, `provider_unavailable`,
   *   `sign_in_failed`, and the errors of `ProviderSignInService.signIn`
   */
  signIn(
    project: ProjectContext,
    provider: StoredProvider,
    request: IdTokenRequest,
    client: Client,
  ): Promise<AuthResponse> {
    return this.metrics.count('id_token', async () => {
      const { profile, token } = await this.projectProviders.verifyAppToken(provider, request);
      const tokenHash = sha256(`${provider.id} ${token.signedText}`);
      if (!(await this.flows.claimIdToken(tokenHash, token.acceptedUntil)))
        throw new GatehouseError('sign_in_failed');
      const rejection = await this.rejections.check(project, provider, profile, client);
      if (rejection) throw new GatehouseError(rejection);
      const consume = () => Promise.resolve(true);
      const proof = { provider, profile, requestedAt: token.issuedAt, locale: request.locale, consume };
      return this.accounts.run(project, (tx, admission) =>
        this.signIns.signIn(tx, project, proof, client, admission),
      );
    });
  }
}
